import { regexOf } from "../../../domain/regex-of.ts";
import { CHECK_KINDS, checkKind, type Probe, type ProbeCheck } from "../../../domain/task.ts";
import { findHere } from "../../../runtime/pattern.ts";
import { checkSchemas } from "../../evidence/answer-schema.ts";
import type { CheckFile, ProbeFile } from "../authored/check-file.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import { checkAddress } from "./answering.ts";
import { type ResolveContext, readOnce } from "./context.ts";
import { resolveFileSet } from "./file-set.ts";
import { checkPathGlobs, checkPattern, commandGlobFault, MAX_PATTERN } from "./globs.ts";
import { assignIds, checkDistinct } from "./ids.ts";

type CheckMap = Exclude<CheckFile, string>;

const PATH: FieldPath = ["task", "probe"];

/** The hidden checks with every default in place. Meaningless after a problem. */
export async function resolveProbe(context: ResolveContext, { dir, files, checks }: ProbeFile): Promise<Probe> {
  const { problems } = context;
  const maps = checks.map((check) => (typeof check === "string" ? { run: check } : check));
  checkDistinct(
    problems,
    [...PATH, "checks"],
    maps.map(({ id }) => id),
  );
  for (const [index, check] of maps.entries()) checkCheck(problems, [...PATH, "checks", index], check);
  await checkAnswerSchemas(context, maps);
  const ids = assignIds(maps.map(({ id }, index) => ({ given: id, proposed: `check-${index + 1}` })));
  const set = { dir, dirPath: [...PATH, "dir"], files, filesPath: [...PATH, "files"] };
  return {
    files: await resolveFileSet(context, set),
    checks: maps.map((check, index) => resolveCheck(check, ids[index] ?? "")),
  };
}

/** Fields that say something about some kinds alone. */
const GOES_WITH = {
  timeout_s: ["run", "posted"],
  expect_exit: ["run"],
  output_matches: ["run"],
  score: ["run", "posted"],
  min_score: ["run", "posted"],
  ignore_case: ["answer_contains", "answer_lacks"],
} as const;

function checkCheck(problems: Problems, path: FieldPath, check: CheckMap): void {
  const kinds = CHECK_KINDS.filter((one) => check[one] !== undefined);
  if (kinds.length !== 1) problems.add(path, notOne(kinds));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) return;
  for (const [field, goesWith] of Object.entries(GOES_WITH) as [keyof typeof GOES_WITH, readonly string[]][])
    if (check[field] !== undefined && !goesWith.includes(kind))
      problems.add([...path, field], `goes with ${goesWith.join(" and ")}, not with ${kind}`);
  for (const field of ["output_matches", "answer_matches"] as const)
    if (check[field] !== undefined) checkPattern(problems, [...path, field], check[field]);
  checkCounted(problems, path, check);
  checkNumber(problems, path, check);
  checkPosted(problems, path, check);
  const before = beforeOf(check);
  if (before !== null && check.before !== undefined && check.before !== before)
    problems.add([...path, "before"], `is ${before}: that is what it gives before an arm has worked; leave it out`);
}

function checkPosted(problems: Problems, path: FieldPath, { posted, before }: CheckMap): void {
  if (posted === undefined) return;
  checkAddress(problems, [...path, "posted"], posted);
  if (before !== undefined)
    problems.add([...path, "before"], "goes not with posted: nobody is asked before an arm has worked; leave it out");
}

/** A number alone passes nothing, so that nothing can be asked of its passing. */
function checkNumber(problems: Problems, path: FieldPath, { score, min_score, required, before }: CheckMap): void {
  if (!score && min_score !== undefined) problems.add([...path, "min_score"], "goes with `score: true`");
  if (!score || min_score !== undefined) return;
  for (const [field, given] of Object.entries({ required, before }))
    if (given) problems.add([...path, field], "needs `min_score`: a number alone is neither a pass nor a failure");
}

const notOne = (kinds: readonly string[]) =>
  kinds.length === 0 ? `needs one of ${CHECK_KINDS.join(", ")}` : `has ${kinds.join(" and ")}; make a check of each`;

function checkCounted(problems: Problems, path: FieldPath, { called, changed }: CheckMap): void {
  checkPathGlobs(problems, [...path, "changed", "paths"], changed?.paths);
  const fault = called?.match === undefined ? null : commandGlobFault(called.match);
  if (fault !== null) problems.add([...path, "called", "match"], fault);
  for (const [kind, counted] of Object.entries({ called, changed })) {
    if (counted === undefined) continue;
    const { min, max } = bounds(counted);
    if (max !== undefined && max < min)
      problems.add([...path, kind, "max"], `is ${max}, which is less than min: ${min}`);
    if (max === undefined && min === 0) problems.add([...path, kind, "min"], "is 0, so it always passes; add `max`");
  }
}

/** Rows do not fill schemas, so that they are looked at once. */
async function checkAnswerSchemas(context: ResolveContext, checks: readonly CheckMap[]): Promise<void> {
  const given = checks.flatMap(({ answer_json: schema }, index) =>
    typeof schema === "object" ? [{ schema, path: [...PATH, "checks", index, "answer_json"] }] : [],
  );
  if (given.length === 0) return;
  const schemas = given.map(({ schema }) => schema);
  const told = await readOnce(context, "faults of schemas", JSON.stringify(schemas), () => checkSchemas(schemas));
  // A busy machine has no time for it now; the checks say it when they run.
  if ("late" in told) return;
  for (const [index, { path }] of given.entries()) {
    const fault = "over" in told ? `it ${told.over}` : told.value[index];
    if (fault) context.problems.add(path, `is no JSON Schema that can be used: ${fault}`);
  }
}

/** Seconds for one probe check. */
const CHECK_TIMEOUT_S = 60;

function resolveCheck(check: CheckMap, id: string): ProbeCheck {
  const { answer_contains, answer_lacks, ignore_case, called, changed, score, ...rest } = check;
  return {
    required: false,
    weight: 1,
    timeout_s: CHECK_TIMEOUT_S,
    expect_exit: 0,
    output_matches: null,
    ...rest,
    ...(answer_contains !== undefined && { answer_contains: [answer_contains].flat() }),
    ...(answer_lacks !== undefined && { answer_lacks: [answer_lacks].flat() }),
    ...(ignore_case && { ignore_case }),
    ...(score && { score }),
    ...(called && { called: { tool: called.tool, match: matchOf(called.match), ...bounds(called) } }),
    ...(changed && { changed: { paths: changed.paths, ...bounds(changed) } }),
    before: beforeOf(check) ?? check.before ?? null,
    id,
  };
}

/** A star alone means any call, also of a tool whose calls have no path. */
const matchOf = (match: string | undefined) => (match === undefined || match === "*" || match === "**" ? null : match);

const bounds = ({ min, max }: { readonly min?: number; readonly max?: number }) => ({
  min: min ?? (max === 0 ? 0 : 1),
  ...(max !== undefined && { max }),
});

/** What a check gives without an answer, calls and changes; null for what is run or asked. */
function beforeOf(check: CheckMap): "pass" | "fail" | null {
  const kind = checkKind(check);
  if (kind === "run" || kind === "posted") return null;
  if (kind === "answer_lacks") return "pass";
  if (check.answer_matches !== undefined) return matchesNothing(check.answer_matches) ? "pass" : "fail";
  const counted = check.called ?? check.changed;
  return counted !== undefined && bounds(counted).min === 0 ? "pass" : "fail";
}

/** Whether a pattern fits an empty answer. One that does not compile is a problem of its own. */
function matchesNothing(pattern: string): boolean {
  const regex = regexOf(pattern);
  if (regex === null || pattern.length > MAX_PATTERN) return false;
  try {
    return findHere({ source: regex, text: "" });
  } catch {
    return false;
  }
}
