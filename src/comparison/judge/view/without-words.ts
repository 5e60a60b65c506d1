import type { Decision } from "../../../domain/decision.ts";
import type { ChangedFile, Changes } from "../../../domain/evidence.ts";
import { Pace } from "../../../runtime/pace.ts";
import type { JudgedArm } from "../judge.ts";
import { cleanText } from "./clean-text.ts";
import { lineScan, SCAN_COST } from "./injection-scan.ts";
import { type Hunk, readHunks } from "./shown-hunks.ts";
import { WORDS, WordMask, withoutLetterRows } from "./word-mask.ts";
import { WordRows } from "./word-rows.ts";
/** Written in place of an arm's words. */
export const WITHHELD = "[withheld]";

interface WordlessArm {
  readonly arm: JudgedArm;
  /** Some code of its change is left. */
  readonly has_code: boolean;
}

/**
 * The arm without its own words. What code knows about it stays: its steps, how they ended, which checks passed. Its change
 * stays without comments, sentences, names that it made up and lines that a suspected text holds. What it says, asks its tools and prints goes. Names in
 * `brief`, which the judge reads too, are not its own.
 */
export async function withoutWords(
  arm: JudgedArm,
  brief: string,
  isQuoted: (line: string) => boolean = () => false,
): Promise<WordlessArm> {
  const { changes, probe, final_answer, answers } = arm.summary;
  const plain = changes && (await plainChanges(changes, brief, isQuoted));
  const summary = {
    ...arm.summary,
    final_answer: final_answer === null ? null : WITHHELD,
    ...(answers && { answers: answers.map(() => WITHHELD) }),
    changes: plain?.changes ?? null,
    probe: probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, output: "" })) },
  };
  return { arm: { ...arm, summary, decisions: arm.decisions.map(silent) }, has_code: plain?.has_code ?? false };
}

async function plainChanges(
  changes: Changes,
  brief: string,
  isQuoted: (line: string) => boolean,
): Promise<{ readonly changes: Changes; readonly has_code: boolean }> {
  if (changes.files.length === 0 && changes.patch === "") return { changes, has_code: false };
  const after = await afterMasking(changes.files, brief);
  const pace = new Pace();
  const patch: string[] = [];
  let has_code = false;
  for (const hunk of await readHunks(changes.patch)) {
    const lines = await plainLines(hunk, { ...(await after(hunk.path)), isQuoted }, pace);
    has_code ||= lines.some(isCode);
    patch.push(`--- a/${hunk.path}\n+++ b/${hunk.path}\n${lines.join("\n")}\n`);
  }
  return { changes: { ...changes, patch: patch.join("") }, has_code };
}

/** The lines of a file as the arm left them, and the same lines masked. */
interface MaskedFile {
  readonly lines: readonly string[];
  readonly masked: readonly string[];
}

interface Searched extends MaskedFile {
  /** A suspected text, wherever it stands, holds the line. */
  readonly isQuoted: (line: string) => boolean;
}

/** Masks whole files, because a hunk does not tell whether it begins within a comment. Of the files as they were only the last is kept. */
async function afterMasking(
  files: readonly ChangedFile[],
  brief: string,
): Promise<(path: string) => Promise<MaskedFile>> {
  const pace = new Pace();
  const [mask, rows] = [new WordMask(brief), new WordRows(brief)];
  for (const { path, before } of files) {
    const learn = mask.learner(path);
    const take = (line: string) => {
      learn(line);
      rows.learn(line);
    };
    await eachLine(linesOf(before), take, pace);
  }
  const texts = new Map<string, readonly string[]>();
  for (const { path, after } of files) {
    const masker = mask.masker(path);
    const masked: string[] = [];
    const take = (line: string) => {
      const shown = masker(line);
      rows.meet(shown);
      masked.push(shown);
    };
    await eachLine(linesOf(after), take, pace);
    texts.set(path, withoutLetterRows(masked));
  }
  const originals = new Map(files.map(({ path, after }) => [path, after]));
  let last: { readonly path: string; readonly file: MaskedFile } | undefined;
  return async (path) => {
    if (last?.path === path) return last.file;
    const lines = linesOf(originals.get(path) ?? null);
    const masked = rows.hide(texts.get(path) ?? [], (word) => mask.nameFor(word));
    await pace.bytes(lines.length * LINE_COST);
    last = { path, file: { lines, masked } };
    return last.file;
  };
}

const linesOf = (text: string | null): readonly string[] => text?.split("\n") ?? [];

async function eachLine(
  lines: readonly string[],
  take: (line: string) => void,
  pace: Pace,
  cost = MASK_COST,
): Promise<void> {
  let waiting = 0;
  for (const line of lines) {
    take(line);
    waiting += line.length + LINE_COST;
    if (waiting < WAITING) continue;
    await pace.bytes(waiting * cost);
    waiting = 0;
  }
  await pace.bytes(waiting * cost);
}

/** What stands in place of words is no code. */
const isCode = (line: string) => line.startsWith("+") && /\w/.test(line.replace(/\[\w+\]/g, ""));

/**
 * Masks the added lines. One that is not in the kept text of the file counts as words, and so does one that is suspected
 * while the mask leaves it as it is or still suspect.
 */
async function plainLines({ text, after }: Hunk, { lines, masked, isQuoted }: Searched, pace: Pace): Promise<string[]> {
  const [header = "", ...body] = text.split("\n");
  const plain = [header];
  const [isSuspect, staysSuspect] = [lineScan(true), lineScan(true)];
  let at = after[0] - 1;
  const shownOf = (line: string) => {
    if (!line.startsWith("+")) return line;
    const own = lines[at] === line.slice(1) ? masked[at] : undefined;
    return `+${own ?? wordsOnly(line.slice(1))}`;
  };
  const isWithheld = (line: string, shown: string) => {
    const [was, is] = [isSuspect(cleanText(line)), staysSuspect(cleanText(shown))];
    return isQuoted(shown.replace(/\[\w+\]/g, "")) || (was && (is || shown === line));
  };
  const take = (line: string) => {
    const shown = shownOf(line);
    const withheld = isWithheld(line, shown) && line.startsWith("+");
    plain.push(withheld ? `+${WORDS}` : shown);
    if (/^[+ ]/.test(line)) at += 1;
  };
  await eachLine(body, take, pace, SCAN_COST);
  return plain;
}

const wordsOnly = (line: string) => (line.trim() === "" ? line : WORDS);

/** Every line costs this many characters more. The pace is told after so many characters. */
const LINE_COST = 20;
const WAITING = 20_000;

/** Masking a character of the worst kind takes as long as reading so many. */
const MASK_COST = 60;

/** What stands in fields of a decision's detail that hold words of the arm or of its programs. */
const WORDLESS = new Map(
  Object.entries({ text: "", input: WITHHELD, output: WITHHELD, subject: WITHHELD, message: WITHHELD }),
);

function silent(decision: Decision): Decision {
  const detail = Object.entries(decision.detail ?? {}).map(([key, value]) => [key, WORDLESS.get(key) ?? value]);
  const quiet = { ...decision, summary: WITHHELD, ...(decision.detail && { detail: Object.fromEntries(detail) }) };
  return quiet as Decision; // texts replaced by a text
}
