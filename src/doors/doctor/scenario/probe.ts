import { matchesPath, refusedPath } from "../../../arms/policy/refusal.ts";
import { cannotRun } from "../../../comparison/evidence/could-not-run.ts";
import { checkValue, isMissed, isSameResult } from "../../../domain/check-result.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { Mistake } from "../../../domain/failure.ts";
import { pathOfPatch, readingPatch } from "../../../domain/patch.ts";
import { checkKind, type ReferenceFix } from "../../../domain/task.ts";
import { steadily } from "../../../runtime/pace.ts";
import { after, afterSetup, type Check, check, fail, IDLE, pass, skip, warn, withoutFix } from "../check.ts";
import type { DeclaredScenario } from "../services.ts";
import type { DryRun, ProbedTwice } from "./dry-run.ts";
import { pathsNowhere } from "./probe-paths.ts";

/** Both runs of one check. */
type Pair = readonly [CheckResult, CheckResult];

const before = afterSetup(
  "probe.before",
  "Checks match `before` on the untouched fixture",
  async (dryRun: DryRun, signal) => {
    const probed = await dryRun.untouched(signal);
    if (probed === null) return notProbed(dryRun);
    const absent = await unrunnable(dryRun, probed, signal);
    if (absent.length > 0) return fail(absent.join("\n"), "install it in `setup`, or show it with --sandbox-read");
    const wrong = pairs(probed)
      .filter(isSteady)
      .map(contradiction)
      .filter((text) => text !== null);
    if (wrong.length > 0) return fail(wrong.join("\n"), "correct `before`, the check or the fixture");
    const declared = probed[0].checks.filter((check) => check.before !== null).length;
    return pass(`${declared} of ${probed[0].total} checks declare \`before\`, and match it`);
  },
);

const notProbed = ({ loaded }: DryRun) => skip(loaded.definition.task.probe ? IDLE.only_posted : IDLE.no_probe);

/** Names the checks that lack a program even with the reference fix, because they would fail for every arm. */
async function unrunnable(dryRun: DryRun, untouched: ProbedTwice, signal: AbortSignal): Promise<readonly string[]> {
  const lacking = ({ could_not_run }: CheckResult) => could_not_run ?? null;
  if (untouched[0].checks.every((result) => lacking(result) === null)) return [];
  const probed = (await probedFix(dryRun, signal)) ?? untouched;
  return probed[0].checks.flatMap((result) => {
    const why = lacking(result);
    return why === null ? [] : `${result.id} cannot run: ${why}`;
  });
}

/** A probe says nothing about an arm when every check passes before the work. */
const discrimination = afterSetup(
  "probe.discriminates",
  "A check fails on the untouched fixture",
  async (dryRun: DryRun, signal) => {
    const probed = await dryRun.untouched(signal);
    if (probed === null) return notProbed(dryRun);
    const { checks } = probed[0];
    const failing = checks.filter((check) => checkValue(check) < 1 || isMissed(check)).length;
    const fail_words = checks.some(({ score }) => score !== undefined) ? "fail or score less than 1" : "fail";
    if (failing > 0) return pass(`${failing} of ${checks.length} ${fail_words} on the untouched fixture`);
    const useless = "all pass on the untouched fixture, so an arm that does nothing passes, too";
    return warn(useless, "add a check for what the task asks");
  },
);

const stability = afterSetup("probe.stable", "Checks are repeatable", async (dryRun: DryRun, signal) => {
  const untouched = await dryRun.untouched(signal);
  if (untouched === null) return notProbed(dryRun);
  const fixed = await probedFix(dryRun, signal);
  const flaky = [
    ...waverings(untouched).map((id) => `${id}, on the untouched fixture`),
    ...(fixed === null ? [] : waverings(fixed).map((id) => `${id}, with the reference`)),
  ];
  return flaky.length === 0
    ? pass("each gave the same result in two runs")
    : fail(`it passed in one run and failed in the other: ${flaky.join("; ")}`, FLAKY_HINT);
});

const FLAKY_HINT = "make the check independent of time, chance, order and the network, or give it more time";

/** Checks that fail in both runs, with the reason. `stability` reports those that differ. */
const failedChecks = (probed: ProbedTwice): readonly string[] =>
  pairs(probed)
    .filter((pair) => isSteady(pair) && isMissed(pair[0]))
    .map(([result]) => `${result.id}: ${reasonOf(result)}`);

/** Null without a fix, and when it does not apply, which `reference.applies` reports. */
async function probedFix(dryRun: DryRun, signal: AbortSignal): Promise<ProbedTwice | null> {
  const { reference_fix } = dryRun.loaded.definition.task;
  const applies =
    reference_fix === null ||
    (await dryRun.patched(reference_fix.patch).then(
      () => true,
      () => false,
    ));
  return applies ? await dryRun.solved(signal) : null;
}

/** A check that did not finish counts as failed for `before`: an endless loop is a bug too. */
function contradiction([result]: Pair): string | null {
  if (result.before === null || (result.before === "pass") === (result.status === "pass")) return null;
  return result.before === "pass"
    ? `${result.id} should pass: ${reasonOf(result)}`
    : `${result.id} should fail, but passes`;
}

const waverings = (probed: ProbedTwice) =>
  pairs(probed)
    .filter((pair) => !isSteady(pair))
    .map(([result]) => result.id);

const isSteady = ([first, second]: Pair) => isSameResult(first, second);

const pairs = ([first, second]: ProbedTwice): readonly Pair[] =>
  first.checks.flatMap((result, index) => {
    const other = second.checks[index];
    return other === undefined ? [] : [[result, other] as const];
  });

/** Characters of a check's output that explain it well enough. */
const OUTPUT_CHARS = 400;

function reasonOf({ reason, output }: CheckResult): string {
  const said = output.trim();
  return said === "" ? `${reason}` : `${reason}; it printed: ${excerpt(said, OUTPUT_CHARS)}`;
}

/** Arms run commands like those of the checks. A command that changes a protected file disqualifies the arm. */
const protectedFiles = afterSetup(
  "probe.protected",
  "Checks change no protected file",
  async (dryRun: DryRun, signal) => {
    const { task, policies } = dryRun.loaded.definition;
    if (task.probe === null) return skip(IDLE.no_probe);
    if (policies.paths.protected.length === 0) return pass(IDLE.no_protected);
    const changed = await dryRun.changedByChecks(policies.paths.protected, signal);
    if (changed.length === 0) return pass("none is changed");
    return warn(
      `running the checks changes ${listed(changed)}`,
      "narrow policies.paths.protected, or list the files that tools write in the fixture's .gitignore",
    );
  },
);

const NAMED = 5;

/** A fix that policies forbid cannot be the measure of arms. */
const referencePaths = check(
  "reference.paths",
  "Reference changes only allowed paths",
  async ({ loaded }: DeclaredScenario) => {
    const { task, policies } = loaded.definition;
    if (task.reference_fix === null) return withoutFix(task);
    const paths = await pathsOf(task.reference_fix);
    const refused = paths.flatMap((path) => {
      const rule = refusedPath(policies.paths, path);
      return rule === null ? [] : [`${path} (${rule})`];
    });
    return refused.length === 0
      ? pass(paths.join(", "))
      : fail(`it changes ${refused.join(", ")}, which no arm may change`, "change the fix, or policies.paths");
  },
);

const pathsOf = async ({ patch }: ReferenceFix) => (await steadily(readingPatch(patch))).map(pathOfPatch);

const referenceDeliverable = check(
  "reference.deliverable",
  "Reference counts as an answer",
  async ({ loaded }: DeclaredScenario) => {
    const { reference_fix, deliverable } = loaded.definition.task;
    if (reference_fix === null) return withoutFix({ deliverable });
    const paths = await pathsOf(reference_fix);
    const uncounted = paths.filter((path) => !deliverable.some((glob) => matchesPath(glob, path)));
    return uncounted.length === 0
      ? pass(`within ${deliverable.join(", ")}`)
      : warn(`${uncounted.join(", ")} lies outside task.deliverable and would not count`, "widen task.deliverable");
  },
);

const referenceApplies = afterSetup("reference.applies", "Reference applies to the fixture", async (dryRun: DryRun) => {
  const { reference_fix } = dryRun.loaded.definition.task;
  if (reference_fix === null) return pass(IDLE.no_reference);
  try {
    await dryRun.patched(reference_fix.patch);
    return pass("every hunk fits");
  } catch (error) {
    if (error instanceof Mistake) return fail(error.message, "create the patch again from the fixture");
    throw error;
  }
});

const referencePasses = after("reference.applies")(
  "reference.passes",
  "Every check passes with the reference",
  async (dryRun: DryRun, signal) => {
    const { reference_fix, reference_answer, probe, deliverable } = dryRun.loaded.definition.task;
    if (reference_fix === null && reference_answer === undefined)
      return probe?.checks.some((check) => checkKind(check) === "run")
        ? unproven(await pathsNowhere(dryRun, signal))
        : withoutFix({ deliverable });
    if (probe === null) return skip(IDLE.no_probe);
    const probed = await dryRun.solved(signal);
    if (probed === null) return skip(IDLE.not_examinable);
    const failed = failedChecks(probed);
    return failed.length === 0
      ? pass(`${probed[0].total} of ${probe.checks.length} pass, twice`)
      : fail(failed.join("\n"), hintFor(probed));
  },
);

/** Only what a known solution passes is known to be passable. What a check without a command asks for, its words say. */
function unproven(absent: readonly string[]) {
  const unproved = "nothing shows that an arm can pass the checks";
  const proof = "add a `reference_fix` or a `reference_answer` that passes them";
  if (absent.length === 0) return warn(unproved, proof);
  return warn(
    `${unproved}. They name files that do not exist and that no arm is told to make: ${listed(absent)}`,
    `add it to the fixture, name it in the prompt, or ${proof}`,
  );
}

const listed = (names: readonly string[]) =>
  `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;

function hintFor([{ checks }]: ProbedTwice): string {
  const reasons = new Set(checks.flatMap((check) => cannotRun(check) ?? []));
  return reasons.size > 0
    ? [...reasons].join("\n")
    : "the reference fix fails this check: correct the check or the fix";
}

export const referenceChecks: readonly Check<DeclaredScenario>[] = [referencePaths, referenceDeliverable];

export const probeChecks: readonly Check<DryRun>[] = [
  before,
  discrimination,
  protectedFiles,
  referenceApplies,
  referencePasses,
  stability,
];
