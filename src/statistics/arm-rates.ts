import { wilson } from "../domain/binomial.ts";
import type { Series } from "../domain/series.ts";
import type { PassedCount, ScoredCount, SeriesCheck, SkillCount } from "../domain/series-arm.ts";
import type { Side } from "../domain/verdict.ts";

interface CheckRate extends SeriesCheck {
  readonly scenario: string;
}

/** Lines of a table of rates. */
export const CHECK_RATES = 100;

/** How often each hidden check passed, for each arm: over all rows of a scenario's inputs, as they share their checks. */
export function checkRates(scenarios: Series["scenarios"]): readonly CheckRate[] {
  const rates = new Map<string, CheckRate>();
  for (const { scenario, checks } of scenarios)
    for (const { id, a, b, scores } of checks) {
      const key = `${scenario} ${id}`;
      const before = rates.get(key);
      const both = scores ?? before?.scores;
      rates.set(key, {
        ...{ scenario, id, a: together(before?.a, a), b: together(before?.b, b) },
        ...(both && { scores: { a: meanOfBoth("a", before, scores), b: meanOfBoth("b", before, scores) } }),
      });
    }
  return [...rates.values()];
}

function together(one: PassedCount | null | undefined, other: PassedCount | null): PassedCount | null {
  if (!one || !other) return one ?? other;
  const [passed, trials] = [one.passed + other.passed, one.trials + other.trials];
  return { passed, trials, ...wilson(passed, trials) };
}

/** Over all trials of both. */
function meanOfBoth(
  side: Side,
  before: Pick<SeriesCheck, "scores"> | undefined,
  scores: SeriesCheck["scores"],
): ScoredCount | null {
  const [one, other] = [before?.scores?.[side] ?? null, scores?.[side] ?? null];
  if (one === null || other === null) return one ?? other;
  const trials = one.trials + other.trials;
  return { mean: (one.mean * one.trials + other.mean * other.trials) / trials, trials };
}

type Arm = Series["arms"]["a"];

/** The names of all skills of both arms. */
export const skillNames = ({ a, b }: Series["arms"]): readonly string[] => [
  ...new Set([...(a.skills ?? []), ...(b.skills ?? [])].map(({ name }) => name)),
];

/** The trials in which it fired, and how many of these and of the others were solved: `7 of 10 (solved 6 of 7, else 1 of 3)`. */
export function skillText({ skills }: Pick<Arm, "skills">, name: string): string {
  const skill = skills?.find((one) => one.name === name);
  if (skill === undefined) return "–";
  const { fired, trials, solved_fired, solved_silent } = skill;
  const solved = [
    ...(solved_fired.trials > 0 ? [`solved ${shareText(solved_fired)}`] : []),
    ...(solved_silent.trials > 0 ? [`${fired > 0 ? "else" : "solved"} ${shareText(solved_silent)}`] : []),
  ].join(", ");
  return `${fired} of ${trials}${solved && ` (${solved})`}`;
}

const shareText = ({ solved, trials }: SkillCount["solved_fired"]) => `${solved} of ${trials}`;
