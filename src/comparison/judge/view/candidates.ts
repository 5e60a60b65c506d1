import type { Side } from "../../../domain/verdict.ts";
import { QUOTE_CHARS } from "../answer/judgement-schema.ts";
import type { Case, JudgedArm } from "../judge.ts";
import { scenarioBrief } from "../scenario-brief.ts";
import type { JudgeResult } from "../verdict/judge-result.ts";
import { clip, LEFT_OUT } from "./clip.ts";
import { type EvidenceView, type PairViews, pairViews } from "./evidence-view.ts";
import { foldCharacters } from "./fold.ts";
import { quotedPart, suspectLines } from "./injection-scan.ts";
import type { ViewLine } from "./section.ts";
import { WITHHELD, withoutWords } from "./without-words.ts";
/** What every judge of a case is shown. */
export interface Candidates {
  readonly views: PairViews;
  /** The lines of each arm that seem to address the judge. */
  readonly suspicions: JudgeResult["suspicions"];
  /**
   * For a masked repetition: without the arms' words, null when neither arm changed code; where the answer is the work, without
   * the suspected lines, null when there are none. Made once, when it is first asked for.
   */
  masked(): Promise<PairViews | null>;
}

/** @throws the signal's reason when it fires. */
export async function gatherCandidates(kase: Case, signal: AbortSignal): Promise<Candidates> {
  const views = await pairViews(kase, signal);
  const suspects = { a: await suspectLines(views.a), b: await suspectLines(views.b) };
  let masked: Promise<PairViews | null> | undefined;
  return {
    views,
    suspicions: [...told(suspects, "a"), ...told(suspects, "b")],
    masked: async () => {
      if (kase.task.answer) return withoutLines(views, suspects);
      masked ??= maskedViews(kase, suspects, signal);
      return await masked;
    },
  };
}

/** Both views without the arms' words; null when neither arm changed code. */
async function maskedViews(kase: Case, suspects: SuspectLines, signal: AbortSignal): Promise<PairViews | null> {
  const brief = scenarioBrief(kase.task, kase.rubric, kase.policies);
  const isQuoted = heldBy(suspects);
  const [a, b] = [await withoutWords(kase.a, brief, isQuoted), await withoutWords(kase.b, brief, isQuoted)];
  if (!a.has_code && !b.has_code) return null;
  return await pairViews({ ...kase, a: a.arm, b: b.arm }, signal, fileNames([kase.a, kase.b], brief));
}

type SuspectLines = Readonly<Record<Side, readonly ViewLine[]>>;

/** Both views without some of their lines; null when there are none. */
function withoutLines({ a, b }: PairViews, lines: SuspectLines): PairViews | null {
  const withheld = new Set([...lines.a, ...lines.b]);
  const isQuoted = heldBy(lines);
  const isHidden = (line: ViewLine) => withheld.has(line) || (line.authored && isQuoted(line.text));
  const shown = (line: ViewLine) => (isHidden(line) ? { ...line, text: WITHHELD } : line);
  const without = (view: EvidenceView): EvidenceView => ({
    ...view,
    sections: view.sections.map((section) => ({ ...section, lines: section.lines.map(shown) })),
  });
  return withheld.size === 0 ? null : { a: without(a), b: without(b) };
}

/** Letters of a line that only a text which it was taken from holds: shorter ones stand anywhere. */
const OWN_LETTERS = 8;

/** Tells whether a suspected text holds a line, whatever signs and gaps stand between its letters. */
function heldBy({ a, b }: SuspectLines): (line: string) => boolean {
  const texts = [...a, ...b].slice(0, SEARCHED_TEXTS).map(({ text }) => lettersIn(quotedPart(text)));
  return (line) => {
    const letters = lettersIn(line);
    return letters.length >= OWN_LETTERS && texts.some((text) => text.includes(letters));
  };
}

/** Suspected texts in which lines are looked for, and characters of each. */
const SEARCHED_TEXTS = 50;
const SEARCHED_CHARS = 2_000;

const lettersIn = (text: string) =>
  foldCharacters(text.slice(0, SEARCHED_CHARS))
    .text.toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Lines kept per arm; one is enough to suspect it. */
const KEPT_LINES = 8;

/** Characters kept of the place where a line stands. */
const WHERE_CHARS = 250;

function told(lines: SuspectLines, side: Side): JudgeResult["suspicions"] {
  return lines[side].slice(0, KEPT_LINES).map(({ text, item }) => ({
    side,
    where: item && clip(`${item.kind} ${item.ref}`, WHERE_CHARS),
    quote: clip(text.replace(/^\+?\s*/, ""), QUOTE_CHARS - LEFT_OUT.length - 2),
    found_by: "scan",
  }));
}

/** Words joined by dots and slashes, as paths are. A match begins only where no other could, so that no character is read twice. */
const JOINED = /(?<![\w-])-*(\w[\w-]*(?:[./][\w-]+)*)/g;

/**
 * What files are called in a masked repetition: `file-1.ts`, the same for both arms. A path is an arm's word where the arm made
 * the file. Paths that the brief gives stay, because the judge reads it anyway.
 */
export function fileNames(arms: readonly Pick<JudgedArm, "summary">[], brief: string): (path: string) => string {
  const given = new Set(brief.matchAll(JOINED).map(([, joined]) => joined));
  const paths = arms.flatMap(({ summary: { changes } }) => (changes?.files ?? []).map(({ path }) => path));
  const numbers = new Map([...new Set(paths)].toSorted().map((path, index) => [path, index + 1]));
  return (path) => {
    if (/[./]/.test(path) && given.has(path)) return path;
    const number = numbers.get(path) ?? numbers.size + 1;
    numbers.set(path, number);
    return `file-${number}${IS_TEST.test(path) ? ".test" : ""}${/\.[A-Za-z0-9]{1,5}$/.exec(path)?.[0] ?? ""}`;
  };
}

const IS_TEST = /\.(?:test|spec)\.|test_/;
