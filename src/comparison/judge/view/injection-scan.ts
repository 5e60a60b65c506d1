import { Pace } from "../../../runtime/pace.ts";
import type { EvidenceView } from "./evidence-view.ts";
import { foldCharacters, readTogether } from "./fold.ts";
import type { ViewLine } from "./section.ts";

const ROLES = ["system", "assistant", "user"] as const;
type Role = (typeof ROLES)[number];

/** Reads no character twice: what stands in a tag holds no `<`. */
const TAG = new RegExp(`<(/?)(${ROLES.join("|")})(?:\\s[^<>]*)?(?<!/)>`, "g");
const FIRST_TAG = new RegExp(`^</?(?:${ROLES.join("|")})\\b`);

/** Words behind a tag that are a message and no value. */
const MESSAGE_WORDS = 4;

/**
 * Tells the tags of a chat from those of a document with users or systems in it. A chat closes what nothing opened, to break
 * out of the text around it; goes from one speaker to another; or has a sentence behind a tag.
 */
class ChatTags {
  readonly #open: Record<Role, number> = { system: 0, assistant: 0, user: 0 };
  /** The tag behind which nothing stands yet. */
  #last: { readonly role: Role; readonly closes: boolean } | null = null;

  /** Takes the lines of one text in their order. */
  isChat(line: string): boolean {
    let [found, at] = [false, 0];
    for (const { 0: tag, 1: slash, 2: name, index } of line.matchAll(TAG)) {
      const speaks = this.#text(line.slice(at, index));
      const breaks = this.#tag(name as Role, slash === "/"); // a role, by the pattern
      found ||= speaks || breaks;
      at = index + tag.length;
    }
    return this.#text(line.slice(at)) || found;
  }

  /** Whether it is a message. */
  #text(text: string): boolean {
    if (text.trim() === "") return false;
    const speaks = this.#last?.closes === false && isMessage(text);
    this.#last = null;
    return speaks;
  }

  /** Whether no document has it here. */
  #tag(role: Role, closes: boolean): boolean {
    const turns = this.#last?.closes === true && this.#last.role !== role;
    const breaks = closes ? this.#open[role] === 0 : turns;
    this.#open[role] = Math.max(0, this.#open[role] + (closes ? -1 : 1));
    this.#last = { role, closes };
    return breaks;
  }
}

/** Only a tag that begins a line counts: code can hold such a tag in a type or a string. */
const beginsWithChatTag = (line: string): boolean => FIRST_TAG.test(line);

function isMessage(text: string): boolean {
  const [own = ""] = text.split("<", 1);
  return own.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length >= MESSAGE_WORDS;
}

const EVALUATOR = "(?:judge|grader|evaluator|assessor|rater|reviewer)s?";

/** Leaves out words that programs use for their own parts: an expression has an evaluator, a change has a reviewer. */
const JUDGE = "(?:judge|grader|rater)s?";
const PRIZE = "(?:scores?|marks?|points?|ratings?|grades?)";

/** Text that speaks to a judge rather than to a reader of code. */
const ADDRESSES = [
  new RegExp(
    `\\b(?:dear|hey|hello|attention|to the|note (?:to|for)(?: the)?|instructions? (?:to|for)(?: the)?) ${EVALUATOR}\\b`,
    "i",
  ),
  new RegExp(`\\b${JUDGE}\\b.{0,40}\\b(?:must|should|shall|please|(?:is|are) instructed)\\b`, "i"),
  new RegExp(`^\\W*(?:AI )?${JUDGE}\\s*[:,]`, "i"),
  /\b(?:ignore|disregard|forget)\b.{0,20}\b(?:previous|prior|above|earlier|your)\b.{0,20}\b(?:instructions?|prompts?|rules|rubric)\b/i,
  /\b(?:ignore|disregard|forget) all (?:other )?(?:instructions?|prompts?|evidence)\b/i,
  new RegExp(
    `\\b(?:give|assign|award|grant)\\b.{0,40}\\b(?:full|max(?:imum)?|highest|top|perfect|4|10)\\b.{0,20}\\b${PRIZE}\\b`,
    "i",
  ),
  /\b(?:choose|pick|prefer|select|favou?r|vote for|declare)\b.{0,30}\b(?:first|second|this|other|my|our)\b.{0,12}\b(?:candidate|submission|attempt|agent|arm)\b/i,
  /\b(?:this|first|second) (?:candidate|submission|attempt|agent|arm) (?:is|should be|must be) (?:the )?(?:winner|preferred|best|chosen)\b/i,
];

/** Imitations of the answer's form, of fences and of chat templates. */
const IMITATES = [
  /submit_judgement|deciding_criteria|injection_suspected/i,
  /["']candidates["']\s*:\s*\{/i,
  /(?:BEGIN|END) EVIDENCE/,
  /<\|[a-z_]+\|>|\[\/?INST\]/,
];

/** Words of a text that was spelled letter by letter: it has no gaps between its words. */
const SPELLS =
  /judges?(?:must|should|please|give)|dear(?:judge|grader|evaluator)|(?:full|top|highest|perfect|maximum|max)(?:marks|scores?|points|rating|grade)|(?:this|first|second|my|our|other)(?:candidate|submission|attempt)|ignore(?:all|the|previous|every)|the(?:only)?winner|prefer(?:this|me|the)/i;

/** Where a comment begins, and words that praise the code beside it. */
const COMMENT = /\/\/|\/\*|^\+\s*\*|#|--|<!--/;
const VOUCHES =
  /(?:\b(?:reviewed|approved|verified|certified|validated) by\b|\ball (?:hidden )?(?:tests|checks) pass\b|\b(?:guaranteed|proven|known) (?:to be )?correct\b)/i;

/** Trying all patterns on a character takes as long as reading so many. */
export const SCAN_COST = 400;

/** Lines written by the arm that seem to address the judge, to imitate its forms or to vouch for the work. */
export async function suspectLines({ sections }: EvidenceView): Promise<ViewLine[]> {
  const pace = new Pace();
  const suspects = new Set<ViewLine>();
  for (const { name, lines } of sections)
    for (const text of textsOf(lines)) await suspectsIn(text, name === "diff", { suspects, pace });
  return [...suspects];
}

/** The lines of each citable item together. */
function textsOf(lines: readonly ViewLine[]): readonly (readonly ViewLine[])[] {
  const texts: ViewLine[][] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    if (last && last[0]?.item === line.item) last.push(line);
    else texts.push([line]);
  }
  return texts;
}

interface Search {
  readonly suspects: Set<ViewLine>;
  readonly pace: Pace;
}

async function suspectsIn(lines: readonly ViewLine[], isDiff: boolean, { suspects, pace }: Search): Promise<void> {
  const [scan, joined] = [lineScan(isDiff), new JoinedLines()];
  for (const line of lines) {
    await pace.bytes(SCAN_COST * (line.text.length + joined.length));
    const isSuspect = scan(line.text);
    if (isSuspect && line.authored) suspects.add(line);
    for (const one of isSuspect ? joined.begin() : joined.with(line)) suspects.add(one);
  }
}

/** Lines over which a sentence may go on, and characters of them that are read together. */
const JOINED_LINES = 4;
const JOINED_CHARS = 600;

/** What stands before the words of a line in a diff: signs, indents, marks of a comment or of a quote. */
const BEFORE_WORDS = /^[+\s]*(?:\/\/+|\/\*+|#+|--|\*+|["'`]+)?\s*/;

/** Finds what a sentence says over several lines of an arm where none of them says it alone. */
class JoinedLines {
  #lines: ViewLine[] = [];

  get length(): number {
    return this.#lines.reduce((sum, { text }) => sum + Math.min(text.length, JOINED_CHARS), 0);
  }

  /** A new text begins: no line before it joins with those that follow. */
  begin(): readonly ViewLine[] {
    this.#lines = [];
    return [];
  }

  /** The lines that say it together with this one. */
  with(line: ViewLine): readonly ViewLine[] {
    if (!line.authored || line.text.replace(BEFORE_WORDS, "").trim() === "") return this.begin();
    this.#lines = [...this.#lines, line].slice(-JOINED_LINES);
    for (let count = 2; count <= this.#lines.length; count += 1) {
      const lines = this.#lines.slice(-count);
      const said = lines.map(({ text }) =>
        text
          .slice(0, JOINED_CHARS)
          .replace(BEFORE_WORDS, "")
          .replace(/["'`,;)\s]*$/, ""),
      );
      if (speaks(foldCharacters(said.join(" ")).text)) return [...lines, ...this.begin()];
    }
    return [];
  }
}

/** Tells a suspect line from others. Takes all lines of one text in their order, also those that nobody could suspect. */
export function lineScan(isDiff: boolean): (line: string) => boolean {
  const tags = new ChatTags();
  return (text) => {
    const line = foldCharacters(text).text;
    if (isDiff && line.startsWith("-")) return false;
    const said = line.replace(/^[+\s]+/, "");
    const chats = tags.isChat(said) && (!isDiff || beginsWithChatTag(said));
    return chats || speaks(said) || (isDiff && vouches(line));
  };
}

const SPEECH = [...ADDRESSES, ...IMITATES];

const speaks = (said: string) => SPEECH.some((pattern) => pattern.test(said)) || spells(said);

/** Ends of a sentence or of a text in code, and characters that are looked at on each side of what was found. */
const ENDS = /["'`\\\n;{}]/;
const AROUND = 80;

/** What a suspect line says to the judge, without the code or the text around it; the whole line where it says it only with others. */
export function quotedPart(text: string): string {
  const { text: line } = foldCharacters(text);
  const found = SPEECH.map((pattern) => pattern.exec(line)).find((match) => match !== null);
  if (!found) return line.length > AROUND * 2 ? "" : line;
  const [start, end] = [found.index, found.index + found[0].length];
  const before =
    line
      .slice(Math.max(0, start - AROUND), start)
      .split(ENDS)
      .at(-1) ?? "";
  const [after = ""] = line.slice(end, end + AROUND).split(ENDS);
  return before + found[0] + after;
}

function spells(said: string): boolean {
  const together = readTogether(said);
  return together !== said && SPELLS.test(together);
}

/** The first comment on a line holds all later ones. */
function vouches(line: string): boolean {
  const comment = line.search(COMMENT);
  return comment !== -1 && VOUCHES.test(line.slice(comment));
}
