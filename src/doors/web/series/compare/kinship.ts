import { type Member, type MemberKey, memberName } from "../../../../domain/member.ts";
import type { Series } from "../../../../domain/series.ts";
import type { ScenarioRow } from "../suite-rows.ts";

/** The first and the second of two series. */
export type PairOf<T> = readonly [T, T];

/**
 * What two series have to do with each other. `one`: they are the same. `repeats`: each scenario is the same comparison in both,
 * by digest. `variants`: the scenarios and arms have the same names, and something about them differs. `apart`: the names differ.
 */
type Kinship = "one" | "repeats" | "variants" | "apart";

/** Why two series are apart. */
export type Apartness = "arms" | "exchanged" | "scenarios";

export function kinshipOf([one, other]: PairOf<Series>): Kinship {
  if (one.series_id === other.series_id) return "one";
  if (apartBy([namesIn(one), namesIn(other)]).length > 0) return "apart";
  return changedScenarios([one, other]).length === 0 ? "repeats" : "variants";
}

/** Scenarios or rows that are in both, and are another comparison in each: by their definition, arms, judge or sandbox. */
export function changedScenarios([one, other]: PairOf<Series>): readonly MemberKey[] {
  const comparisons = new Map(other.scenarios.map((member) => [memberName(member), member.comparison]));
  return one.scenarios
    .filter((member) => (comparisons.get(memberName(member)) ?? member.comparison) !== member.comparison)
    .map(memberName);
}

/** What of a series must be named alike in another, so that their win rates are of the same arm on the same tasks. */
interface Named {
  readonly scenarios: readonly string[];
  /** Ids: a, then b. */
  readonly arms: readonly (string | undefined)[];
}

export const namesIn = ({ scenarios, arms }: Series): Named => ({
  scenarios: scenarios.map(memberName),
  arms: [arms.a.arm_id, arms.b.arm_id],
});

export function apartBy([one, other]: PairOf<Named>): readonly Apartness[] {
  const [a, b] = one.arms;
  const sameArms = a === other.arms[0] && b === other.arms[1];
  const exchanged = a === other.arms[1] && b === other.arms[0];
  const scenarios = new Set(one.scenarios);
  const sameScenarios =
    scenarios.size === other.scenarios.length && other.scenarios.every((name) => scenarios.has(name));
  return [
    ...(sameArms ? [] : ([exchanged ? "exchanged" : "arms"] as const)),
    ...(sameScenarios ? [] : (["scenarios"] as const)),
  ];
}

/** Sessions that are trials of both, as when one holds all stored runs of a comparison. */
export function sharedTrials([one, other]: PairOf<Series>): number {
  const known = new Set(one.trials.map(({ session_id }) => session_id));
  return other.trials.filter(({ session_id }) => session_id !== undefined && known.has(session_id)).length;
}

/** Why no range is given for the difference of the win rates; null where one can be. */
export function whyNoDifference(two: PairOf<Series>): string | null {
  const [one, other] = two;
  const kinship = kinshipOf(two);
  if (kinship === "one") return "This is one series.";
  if (kinship === "apart")
    return "The win rates are of other arms or on other scenarios, so their difference means nothing.";
  if (sharedTrials(two) > 0) return "Some trials are in both series, so a difference between them means nothing.";
  if (two.some(({ headline }) => headline.win_rate === null)) return "No trial counts in one of them yet.";
  if (two.some(({ flags }) => flags.includes("no_variation")))
    return "The trials of a scenario are copies of each other, so a range of the difference would rest on one observation.";
  if (one.levels.alpha !== other.levels.alpha || one.protocol !== other.protocol)
    return "The two were planned with other statistics.";
  return null;
}

interface ScenarioPair {
  readonly member: Member;
  readonly rows: PairOf<ScenarioRow | undefined>;
  /** Its comparison is another one. */
  readonly changed: boolean;
}

/** Those of both first. */
export function scenarioPairs([one, other]: PairOf<Series>): readonly ScenarioPair[] {
  const [first, second] = [byName(one), byName(other)];
  const pairs = [...new Map([...second, ...first])].map(([name, member]) => {
    const rows = [first.get(name), second.get(name)] as const;
    return { member, rows, changed: rows.every(Boolean) && rows[0]?.comparison !== rows[1]?.comparison };
  });
  const inBoth = ({ rows }: ScenarioPair) => rows.every((row) => row !== undefined);
  return [...pairs.filter(inBoth), ...pairs.filter((pair) => !inBoth(pair))];
}

const byName = ({ scenarios }: Series) => new Map(scenarios.map((row) => [memberName(row), row]));
