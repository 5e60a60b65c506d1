import { whyNotRun } from "../../../comparison/evidence/could-not-run.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { type Check, fail, pass, skip, warn } from "../check.ts";
import { IDLE } from "../idle.ts";
import type { DryRun, ProbedTwice } from "./dry-run.ts";

/** Both runs of one check. */
type Pair = readonly [CheckResult, CheckResult];

export const before: Check<DryRun> = {
  id: "probe.before",
  title: "Checks give their `before` on the untouched fixture",
  needs: ["fixture.setup"],
  async run(dryRun, signal) {
    const probed = await dryRun.untouched(signal);
    if (probed === null) return skip(IDLE.no_probe);
    const absent = await unrunnable(dryRun, probed, signal);
    if (absent.length > 0) return fail(absent.join("\n"), "install it in `setup`, or show it with --sandbox-read");
    const wrong = pairs(probed)
      .filter(isSteady)
      .map(contradiction)
      .filter((text) => text !== null);
    if (wrong.length > 0) return fail(wrong.join("\n"), "correct `before`, the check or the fixture");
    const declared = probed[0].checks.filter((check) => check.before !== null).length;
    return pass(`${declared} of ${probed[0].total} checks say what they give, and do`);
  },
};

/** When every check passes before the work, the probe says nothing about an arm. */
/** Checks that lack a program, also with the known fix: they would fail for every arm. */
async function unrunnable(dryRun: DryRun, untouched: ProbedTwice, signal: AbortSignal): Promise<readonly string[]> {
  const { task } = dryRun.loaded.definition;
  const lacking = (result: CheckResult) => whyNotRun(result, task);
  if (untouched[0].checks.every((result) => lacking(result) === null)) return [];
  const probed = (await probedFix(dryRun, signal)) ?? untouched;
  return probed[0].checks.flatMap((result) => {
    const why = lacking(result);
    return why === null ? [] : `${result.id} cannot run: ${why}`;
  });
}

export const discrimination: Check<DryRun> = {
  id: "probe.discriminates",
  title: "Some check fails before the work",
  needs: ["fixture.setup"],
  async run(dryRun, signal) {
    const probed = await dryRun.untouched(signal);
    if (probed === null) return skip(IDLE.no_probe);
    const failing = probed[0].total - probed[0].passed;
    return failing > 0
      ? pass(`${failing} of ${probed[0].total} fail on the untouched fixture`)
      : warn("all pass on the untouched fixture: an arm that does nothing passes too", "add a check for what is asked");
  },
};

export const stability: Check<DryRun> = {
  id: "probe.stable",
  title: "Checks give the same twice",
  needs: ["fixture.setup"],
  async run(dryRun, signal) {
    const untouched = await dryRun.untouched(signal);
    if (untouched === null) return skip(IDLE.no_probe);
    const fixed = await probedFix(dryRun, signal);
    const flaky = [
      ...waverings(untouched).map((id) => `${id}, on the untouched fixture`),
      ...(fixed === null ? [] : waverings(fixed).map((id) => `${id}, with the reference`)),
    ];
    return flaky.length === 0
      ? pass("two runs each, with the same results")
      : fail(`it passes in one run and not in the other: ${flaky.join("; ")}`, FLAKY_HINT);
  },
};

const FLAKY_HINT = "take time, chance, order and the network out of the check, or give it more time";

/** Checks that fail in both runs, with the reason. `stability` reports those that differ. */
export const failedChecks = (probed: ProbedTwice): readonly string[] =>
  pairs(probed)
    .filter((pair) => isSteady(pair) && pair[0].status !== "pass")
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
    : `${result.id} should fail, and passes`;
}

const waverings = (probed: ProbedTwice) =>
  pairs(probed)
    .filter((pair) => !isSteady(pair))
    .map(([result]) => result.id);

const isSteady = ([first, second]: Pair) => (first.status === "pass") === (second.status === "pass");

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
