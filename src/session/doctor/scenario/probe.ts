import type { CheckResult } from "../../../domain/evidence.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import { type Check, fail, pass, warn } from "../check.ts";
import { without } from "./fixture.ts";
import type { ProbedTwice, Trial } from "./trial.ts";

/** Both runs of one check. */
type Pair = readonly [CheckResult, CheckResult];

export const before: Check<Trial> = {
  id: "probe.before",
  title: "Checks give their `before` on the untouched fixture",
  needs: ["fixture.setup"],
  async run(trial, signal) {
    const probed = await trial.untouched(signal);
    if (probed === null) return without("probe");
    const wrong = pairs(probed)
      .filter(isSteady)
      .map(contradiction)
      .filter((text) => text !== null);
    if (wrong.length > 0) return fail(wrong.join("\n"), "correct `before`, the check or the fixture");
    const declared = probed[0].checks.filter((check) => check.before !== null).length;
    return pass(`${declared} of ${probed[0].total} checks say what they give, and do`);
  },
};

/** Whatever an arm does then, the probe tells nothing about it. */
export const discrimination: Check<Trial> = {
  id: "probe.discriminates",
  title: "Some check fails before the work",
  needs: ["fixture.setup"],
  async run(trial, signal) {
    const probed = await trial.untouched(signal);
    if (probed === null) return without("probe");
    const failing = probed[0].total - probed[0].passed;
    return failing > 0
      ? pass(`${failing} of ${probed[0].total} fail on the untouched fixture`)
      : warn("all pass on the untouched fixture: an arm that does nothing passes too", "add a check for what is asked");
  },
};

export const stability: Check<Trial> = {
  id: "probe.stable",
  title: "Checks give the same twice",
  needs: ["fixture.setup"],
  async run(trial, signal) {
    const untouched = await trial.untouched(signal);
    if (untouched === null) return without("probe");
    const fixed = await probedFix(trial, signal);
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

/** What fails in both runs, with the reason; what wavers is `stability`'s to tell. */
export const failures = (probed: ProbedTwice): readonly string[] =>
  pairs(probed)
    .filter((pair) => isSteady(pair) && pair[0].status !== "pass")
    .map(([result]) => `${result.id}: ${reasonOf(result)}`);

/** Null as well when the fix does not apply: its own check says so. */
async function probedFix(trial: Trial, signal: AbortSignal): Promise<ProbedTwice | null> {
  const { reference_fix } = trial.loaded.definition.task;
  if (reference_fix === null) return null;
  const applies = await trial.patched(reference_fix.patch).then(
    () => true,
    () => false,
  );
  return applies ? await trial.fixed(reference_fix.patch, signal) : null;
}

/** A check that could not finish has failed as far as `before` goes: an endless loop is a bug like another. */
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
