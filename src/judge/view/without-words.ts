import type { Decision } from "../../domain/decision.ts";
import type { ChangedFile, Changes } from "../../domain/evidence.ts";
import { Pace } from "../../pace.ts";
import type { JudgedArm } from "../judge.ts";
import { WORDS, WordMask } from "./mask-words.ts";
import { type Hunk, parsePatch } from "./parse-patch.ts";

/** Written in place of an arm's words. */
const WITHHELD = "[withheld]";

/** An arm whose words were taken out. */
export interface WordlessArm {
  readonly arm: JudgedArm;
  /** Its change holds code: something that is left of the arm's work. */
  readonly has_code: boolean;
}

/**
 * The arm without its own words: what code says about it stays (which steps, how they ended, which checks passed), and its
 * change without comments, sentences and names that it made up. What it says, asks its tools, prints and
 * declares goes. Everything that is left is shown by the rules of every view.
 */
export async function withoutWords(arm: JudgedArm): Promise<WordlessArm> {
  const { changes, probe, final_answer } = arm.summary;
  const plain = changes && (await plainChanges(changes));
  const summary = {
    ...arm.summary,
    final_answer: final_answer === null ? null : WITHHELD,
    changes: plain?.changes ?? null,
    probe: probe && { ...probe, checks: probe.checks.map((check) => ({ ...check, output: "" })) },
  };
  return { arm: { ...arm, summary, decisions: arm.decisions.map(silent) }, has_code: plain?.has_code ?? false };
}

async function plainChanges(changes: Changes): Promise<{ readonly changes: Changes; readonly has_code: boolean }> {
  const names = plainNames(changes.files);
  const named = (path: string) => names.get(path) ?? path;
  const after = await afterMasking(changes.files);
  const pace = new Pace();
  const patch: string[] = [];
  let has_code = false;
  for (const hunk of await parsePatch(changes.patch)) {
    const path = named(hunk.path);
    const lines = await plainLines(hunk, await after(hunk.path), pace);
    has_code ||= lines.some(isCode);
    patch.push(`--- a/${path}\n+++ b/${path}\n${lines.join("\n")}\n`);
  }
  const files = changes.files.map((file) => ({ ...file, path: named(file.path) }));
  return { changes: { ...changes, files, patch: patch.join("") }, has_code };
}

/** The lines that the arm left in a file, and what is left of them without its words. */
interface MaskedFile {
  readonly lines: readonly string[];
  readonly masked: readonly string[];
}

/** Whole files are masked: a hunk does not tell whether it begins within a comment. Only the last file is kept. */
async function afterMasking(files: readonly ChangedFile[]): Promise<(path: string) => Promise<MaskedFile>> {
  const pace = new Pace();
  const mask = new WordMask();
  for (const { path, before } of files) await eachLine(linesOf(before), mask.learner(path), pace);
  const texts = new Map(files.map(({ path, after }) => [path, after]));
  let last: { readonly path: string; readonly file: MaskedFile } | undefined;
  return async (path) => {
    if (last?.path === path) return last.file;
    const masked: string[] = [];
    const masker = mask.masker(path);
    const lines = linesOf(texts.get(path) ?? null);
    await eachLine(lines, (line) => masked.push(masker(line)), pace);
    last = { path, file: { lines, masked } };
    return last.file;
  };
}

const linesOf = (text: string | null): readonly string[] => text?.split("\n") ?? [];

async function eachLine(lines: readonly string[], take: (line: string) => void, pace: Pace): Promise<void> {
  let waiting = 0;
  for (const line of lines) {
    take(line);
    waiting += line.length + LINE_COST;
    if (waiting < WAITING) continue;
    await pace.bytes(waiting * MASK_COST);
    waiting = 0;
  }
  await pace.bytes(waiting * MASK_COST);
}

/** What stands in place of words is none. */
const isCode = (line: string) => line.startsWith("+") && /\w/.test(line.replace(/\[\w+\]/g, ""));

/** What the arm called its new files is its word; their kind stays. */
function plainNames(files: readonly ChangedFile[]): ReadonlyMap<string, string> {
  const added = files.filter(({ status }) => status === "added");
  return new Map(
    added.map(({ path }, index) => [
      path,
      `new-${index + 1}${/\.(?:test|spec)\.|test_/.test(path) ? ".test" : ""}${endingOf(path)}`,
    ]),
  );
}

/** An ending that is none of a known kind of file could be a word too. */
const endingOf = (path: string) => /\.[A-Za-z0-9]{1,5}$/.exec(path)?.[0] ?? "";

/** Only what the arm added is masked; what is not found in the file as it was kept is words as a whole. */
async function plainLines({ text, after }: Hunk, { lines, masked }: MaskedFile, pace: Pace): Promise<string[]> {
  const [header = "", ...body] = text.split("\n");
  const plain = [header];
  let at = after[0] - 1;
  const take = (line: string) => {
    const added = line.startsWith("+");
    plain.push(added ? `+${lines[at] === line.slice(1) ? masked[at] : wordsOnly(line.slice(1))}` : line);
    if (added || line.startsWith(" ")) at += 1;
  };
  await eachLine(body, take, pace);
  return plain;
}

const wordsOnly = (line: string) => (line.trim() === "" ? line : WORDS);

/** Characters that a look at any line costs, and those that are looked at between two entries in the pace. */
const LINE_COST = 20;
const WAITING = 20_000;

/** Masking a character of the worst kind takes as long as reading so many. */
const MASK_COST = 60;

function silent(decision: Decision): Decision {
  const quiet = { ...decision, summary: WITHHELD };
  switch (quiet.kind) {
    case "model_turn":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, text: "" } } : quiet;
    case "tool_call":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, input: WITHHELD, output: WITHHELD } } : quiet;
    case "policy_block":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, input: WITHHELD } } : quiet;
    case "policy_violation":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, subject: WITHHELD } } : quiet;
    case "error":
      return quiet.detail ? { ...quiet, detail: { ...quiet.detail, message: WITHHELD } } : quiet;
    default:
      return quiet;
  }
}
