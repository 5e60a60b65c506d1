import type { Changes, ProbeResult, ReferenceFixScore } from "../../domain/evidence.ts";
import { pathOfPatch, readingPatch } from "../../domain/patch.ts";
import type { ReferenceFix } from "../../domain/task.ts";
import { Pace, steadily } from "../../runtime/pace.ts";

const WEIGHTS = { resolution: 0.7, files: 0.2, similarity: 0.1 };

/**
 * How an arm's deliverable change compares with the reference fix. It is evidence and decides nothing. Resolution follows
 * the rule of SWE-bench: full when every check that failed before passes and none that passed before breaks.
 */
export async function scoreAgainstReference(
  reference: ReferenceFix,
  changes: Changes,
  probe: ProbeResult | null,
): Promise<ReferenceFixScore> {
  const expected = await edits(reference.patch);
  const paths = changes.files.map((file) => file.path);
  const counted = new Set(paths);
  const compared = comparedPart(changes.patch);
  const touched = new Map([...(await edits(compared))].filter(([path]) => counted.has(path)));
  const isWhole = compared.length === changes.patch.length;
  const files = compareFiles([...expected.keys()], paths);
  const similarity = await diceSimilarity(await tokens(expected), await tokens(touched));
  const resolution = resolve(probe);
  return {
    score: weigh(resolution, files.file_f1, similarity),
    ...resolution,
    ...files,
    similarity,
    exact_match: isWhole && sameFiles(files) && sameEdits(expected, touched),
    size_ratio: isWhole ? ratio(size(touched), size(expected)) : null,
  };
}

/** Characters of an arm's patch that are compared line by line. One that is longer is nothing like a reference fix. */
const MAX_COMPARED_CHARS = 200_000;

/** The part of a patch that is compared: as many whole files as fit. */
function comparedPart(patch: string): string {
  if (patch.length <= MAX_COMPARED_CHARS) return patch;
  const end = patch.lastIndexOf("\ndiff --git ", MAX_COMPARED_CHARS);
  return end === -1 ? "" : patch.slice(0, end + 1);
}

type Edits = ReadonlyMap<string, readonly string[]>;

/** Added and removed lines by path, each with its sign, white space folded, blank ones left out. */
async function edits(patch: string): Promise<Edits> {
  const pace = new Pace();
  const byPath = new Map<string, string[]>();
  for (const file of await steadily(readingPatch(patch))) {
    const edited: string[] = [];
    for (const line of file.hunks.flatMap(({ lines }) => lines)) {
      await pace.bytes(LINE_BYTES + line.length);
      const folded = /^[+-]/.test(line) ? normalise(line) : "";
      if (folded.length > 1) edited.push(folded);
    }
    byPath.set(pathOfPatch(file), edited);
  }
  return byPath;
}

/** What a line costs beside its characters, in bytes of `Pace`. */
const LINE_BYTES = 200;

const normalise = (line: string) => line.charAt(0) + line.slice(1).replace(/\s+/g, " ").trim();

function compareFiles(expected: readonly string[], touched: readonly string[]) {
  const [wanted, changed] = [new Set(expected), new Set(touched)];
  const missing_files = expected.filter((path) => !changed.has(path));
  const extra_files = touched.filter((path) => !wanted.has(path));
  const hits = expected.length - missing_files.length;
  const file_precision = touched.length === 0 ? 0 : hits / touched.length;
  const file_recall = expected.length === 0 ? 0 : hits / expected.length;
  const file_f1 = hits === 0 ? 0 : (2 * file_precision * file_recall) / (file_precision + file_recall);
  return {
    files_expected: [...expected].sort(),
    files_touched: [...touched].sort(),
    missing_files,
    extra_files,
    file_precision,
    file_recall,
    file_f1,
  };
}

function resolve(probe: ProbeResult | null): Pick<ReferenceFixScore, "resolution" | "fail_to_pass" | "pass_to_pass"> {
  if (probe === null) return { resolution: null, fail_to_pass: null, pass_to_pass: null };
  const count = (before: "pass" | "fail") => {
    const checks = probe.checks.filter((check) => check.before === before);
    return { passed: checks.filter((check) => check.status === "pass").length, total: checks.length };
  };
  const [fail_to_pass, pass_to_pass] = [count("fail"), count("pass")];
  if (fail_to_pass.total === 0) return { resolution: null, fail_to_pass, pass_to_pass };
  const kept = pass_to_pass.passed === pass_to_pass.total;
  const resolution =
    !kept || fail_to_pass.passed === 0 ? "none" : fail_to_pass.passed === fail_to_pass.total ? "full" : "partial";
  return { resolution, fail_to_pass, pass_to_pass };
}

function weigh(resolved: ReturnType<typeof resolve>, file_f1: number, similarity: number): number {
  const rest = WEIGHTS.files * file_f1 + WEIGHTS.similarity * similarity;
  const { resolution, fail_to_pass } = resolved;
  if (resolution === null || fail_to_pass === null) return rest / (WEIGHTS.files + WEIGHTS.similarity);
  const share = { full: 1, partial: fail_to_pass.passed / fail_to_pass.total, none: 0 }[resolution];
  return WEIGHTS.resolution * share + rest;
}

async function tokens(edited: Edits): Promise<Map<string, number>> {
  const pace = new Pace();
  const counts = new Map<string, number>();
  for (const line of [...edited.values()].flat()) {
    await pace.bytes(LINE_BYTES);
    for (const [word] of line.slice(1).matchAll(/\w+|[^\w\s]/g)) {
      await pace.bytes(LINE_BYTES);
      const token = line.charAt(0) + word;
      counts.set(token, (counts.get(token) ?? 0) + 1);
    }
  }
  return counts;
}

/** Sørensen–Dice over token counts; two empty sides are alike. */
async function diceSimilarity(one: ReadonlyMap<string, number>, two: ReadonlyMap<string, number>): Promise<number> {
  const pace = new Pace();
  const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0);
  const all = total(one) + total(two);
  if (all === 0) return 1;
  let shared = 0;
  for (const [token, count] of one) {
    await pace.bytes(LINE_BYTES);
    shared += Math.min(count, two.get(token) ?? 0);
  }
  return (2 * shared) / all;
}

/** A patch has no lines of a binary or an empty file: only the lists tell that one was touched. */
const sameFiles = ({ missing_files, extra_files }: ReturnType<typeof compareFiles>) =>
  missing_files.length === 0 && extra_files.length === 0;

function sameEdits(one: Edits, two: Edits): boolean {
  if (one.size !== two.size) return false;
  return [...one].every(([path, lines]) => lines.join("\n") === two.get(path)?.join("\n"));
}

const size = (edited: Edits) => [...edited.values()].reduce((sum, lines) => sum + lines.length, 0);

const ratio = (own: number, other: number) => (other === 0 ? null : own / other);
