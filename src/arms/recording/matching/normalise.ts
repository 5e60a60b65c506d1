import { RE2JS } from "re2js";
import { asRecord, type LooseRecord } from "../../../domain/lenient.ts";
import { Pace } from "../../../runtime/pace.ts";
import { STEPS_AT_ONCE } from "../../../runtime/pattern.ts";
import type { Redact } from "../../model/redaction.ts";

/** A value of JSON without what differs from run to run though nothing has changed. The event loop runs while it is read. */
export type Normalise = (value: unknown) => Promise<unknown>;

/**
 * Takes out secrets, what the patterns `ignore` (RE2 syntax) match, and the usual times, durations and random ids.
 * Linear time in the text, whatever the patterns.
 */
export function normaliser(redact: Redact, ignore: readonly string[] = []): Normalise {
  const ignored = ignore.map((source) => RE2JS.compile(source, RE2JS.MULTILINE));
  const clean = async (text: string, pace: Pace) => {
    let rest = await redactedByLines(text, redact, pace);
    for (const pattern of ignored) rest = await withoutMatches(rest, pattern, pace);
    for (const [pattern, word] of VOLATILE) {
      rest = rest.replace(pattern, word);
      if (rest.length > LONG_CHARS) await pace.bytes(rest.length);
    }
    await pace.bytes(VOLATILE.length * (FEW_BYTES + Math.min(LONG_CHARS, rest.length)));
    return rest;
  };
  return async (value) => {
    const pace = new Pace();
    const cleaned = new Map<string, string>();
    for (const text of textsIn(value)) cleaned.set(text, await clean(text, pace));
    return withTexts(value, cleaned);
  };
}

/** Bytes that are compared in the time in which a pattern begins. */
const FEW_BYTES = 100;

/** A longer text gives others their turn between two patterns. */
const LONG_CHARS = 100_000;

const kept = (record: LooseRecord) => Object.entries(record).filter(([name]) => name !== "cache_control");

function textsIn(value: unknown, texts = new Set<string>()): ReadonlySet<string> {
  if (typeof value === "string") texts.add(value);
  else if (Array.isArray(value)) for (const item of value) textsIn(item, texts);
  else
    for (const [name, item] of kept(asRecord(value) ?? {})) {
      texts.add(name);
      textsIn(item, texts);
    }
  return texts;
}

function withTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return texts.get(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, texts));
  const record = asRecord(value);
  if (record === undefined) return value;
  return Object.fromEntries(kept(record).map(([name, item]) => [texts.get(name), withTexts(item, texts)]));
}

const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const WEEKDAY = "(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? {1,2})?";
const YEAR_OR_TIME = "(?:,? {1,2}\\d{4}|,? {1,2}\\d{1,2}:\\d\\d)";

/** The order matters: a date holds what looks like a time. No pattern begins with `\b` where an id stands in a longer word. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<uuid>"],
  [/\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/g, "<date>"],
  // Also the times of `ls -l`, which has no year for young files.
  [new RegExp(`${WEEKDAY}${MONTH} {1,2}\\d{1,2}(?:st|nd|rd|th)?${YEAR_OR_TIME}`, "g"), "<date>"],
  [new RegExp(`${WEEKDAY}\\d{1,2} ${MONTH},? \\d{4}`, "g"), "<date>"],
  [/\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?/g, "<time>"],
  [/\b1\d{12}(?:\.\d+)?\b/g, "<time>"],
  [/\b(Wall time:|duration_ms:?) ?\d+(?:\.\d+)?/g, "$1 <duration>"],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|milliseconds?)\b/g, "<duration>"],
  // Test runners say nothing of one that is short. An output may stand in a text of JSON.
  [/ (?:\[<duration>\]|\(<duration>\))(?=$|\\[nr])/gm, ""],
  [/\bChunk ID: \w+/g, "Chunk ID: <id>"],
  // It counts the durations in an output.
  [/\b(Original token count:) \d+/g, "$1 <count>"],
  [/\b(shellId:) \d+/g, "$1 <id>"],
  [/\b(pg?id)(:? |[:=])\d+/gi, "$1$2<id>"],
  [/\b(ses|prt)_\w{8,}/g, "$1_<id>"],
  // Ids of helpers and of commands in the background, as agents tell them to their model, also within JSON within JSON.
  [/\b(agent_?id|task_?id|shell_?id)(\\*"?: ?\\*"?)(?![<"\\ ])[\w-]+/gi, "$1$2<id>"],
  [/(<(?:task|shell|agent)[-_]id>)[\w-]+/g, "$1<id>"],
  [/\b(running in background with ID:) [\w-]+/g, "$1 <id>"],
  // Files in which agents keep outputs that are too long for their model.
  [/(\/tool-(?:results|outputs?)\/)[\w-]+/g, "$1<id>"],
  [/(\bSendMessage with to: ')[\w-]+/g, "$1<id>"],
  [/("nickname\\*": ?\\*")[^"\\]+/g, "$1<name>"],
  // What a tool adds to a name of its own before a time that was found above.
  [/-<time>-[0-9a-f]{6,}\b/g, "-<time>-<id>"],
  [/\/tmp\/claude-[\w./-]+/g, "/tmp/claude-<path>"],
  [/\/tmp\/tmp(?:\.\w{10}|[a-z0-9_]{8})\b/g, "/tmp/<path>"],
  [/\b(cch|cc_version)=[^;&\s"]+/g, "$1=<id>"],
  // Where commands run without a sandbox, they see the directory itself.
  [/\babeval-(?:run|kept)-[\w-]+/g, "abeval-<directory>"],
];

/** Characters that one step looks at. The shortest take 50 ms with the largest pattern. */
const SHORTEST_STEP = 2_048;
const LONGEST_STEP = 16_384;

/** Bytes that are compared in the time in which a pattern reads a character. */
const CHAR_COST = 256;

const IGNORED = "<ignored>";

/**
 * A text with a word in place of each match of a pattern. The event loop runs while a long text is read: a match of more than half a
 * step may then end earlier than it would in one piece.
 */
async function withoutMatches(text: string, pattern: RE2JS, pace: Pace): Promise<string> {
  let [told, kept, from, broken] = ["", 0, 0, -1];
  for (;;) {
    const { end, border } = stretchFrom(from, text.length, pattern);
    for (const match of matchesIn(text, pattern, { from, border, end })) {
      // What the end of a step broke in two is one match.
      if (match.at !== broken) told += text.slice(kept, match.at) + IGNORED;
      kept = match.end;
    }
    broken = kept === end ? end : -1;
    await pace.bytes(CHAR_COST * (end - from));
    if (end === text.length) return told + text.slice(kept);
    from = beginOfCharacter(text, Math.max(kept, border));
  }
}

interface Stretch {
  readonly from: number;
  /** Matches begin before it. */
  readonly border: number;
  readonly end: number;
}

function stretchFrom(from: number, length: number, pattern: RE2JS): Stretch {
  const chars = Math.floor(STEPS_AT_ONCE / pattern.programSize());
  const step = Math.min(LONGEST_STEP, Math.max(SHORTEST_STEP, chars));
  const isLast = from + step >= length;
  return { from, border: isLast ? length + 1 : from + step / 2, end: Math.min(length, from + step) };
}

const beginOfCharacter = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at);

function* matchesIn(text: string, pattern: RE2JS, { from, border, end }: Stretch) {
  // One character before tells the beginning of a line or a word.
  const start = Math.max(0, from - 1);
  const matcher = pattern.matcher(text.slice(start, end));
  for (let found = matcher.find(from - start); found; found = matcher.find()) {
    const at = start + matcher.start();
    if (at >= border) return;
    yield { at, end: start + matcher.end() };
  }
}

const STEP_CHARS = 256 * 1024;

/** Forms of secrets for which each byte is looked at, about. */
const FORMS = 16;

/**
 * A text without secrets, some lines after the other: what can be sent in a header has no end of a line. The event loop runs while a
 * long text is read.
 */
export async function redactedByLines(text: string, redact: Redact, pace: Pace): Promise<string> {
  let [clean, from] = ["", 0];
  while (text.length - from > STEP_CHARS) {
    const newline = text.indexOf("\n", from + STEP_CHARS - 1);
    const end = newline < 0 ? text.length : newline + 1;
    clean += redact(text.slice(from, end));
    await pace.bytes(FORMS * (end - from));
    from = end;
  }
  return clean + redact(text.slice(from));
}
