import { memberName } from "../../../domain/member.ts";
import type { SelfTestListing } from "../../../domain/self-test.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import type { SessionListing, SessionSummary } from "../../../domain/session-list.ts";
import { sumKnown } from "../../../domain/usage.ts";

/** What the server has lately done. */
export interface Lately {
  /** Newest first. */
  readonly sessions: readonly SessionListing[];
  readonly series: readonly SeriesListing[];
  readonly self_tests: readonly SelfTestListing[];
  /** Sessions whose verdicts contradict each other. */
  readonly conflicts: readonly SessionListing[];
  /** Of all sessions since the reader's day began. */
  readonly today: SessionSummary;
}

/** A series, or the latest run of a scenario that belongs to none. */
export type NewestComparison =
  | { readonly kind: "series"; readonly row: SeriesListing }
  | {
      readonly kind: "run";
      readonly row: SessionListing;
      /** Other runs of the scenario among the newest sessions. */
      readonly others: number;
    };

/** Comparisons that have a result, the newest first. */
export function newestComparisons({ sessions, series }: Lately, most: number): readonly NewestComparison[] {
  const single = sessions.filter(({ trial, outcome }) => trial === undefined && outcome !== null);
  const runs = [...Map.groupBy(single, memberName).values()].flatMap(([row, ...others]): NewestComparison[] =>
    row ? [{ kind: "run", row, others: others.length }] : [],
  );
  const counted = series
    .filter(({ standing, state }) => standing.counted > 0 || state !== "running")
    .map((row): NewestComparison => ({ kind: "series", row }));
  return [...runs, ...counted]
    .toSorted((one, other) => other.row.created_at.localeCompare(one.row.created_at))
    .slice(0, most);
}

export interface Spent {
  /** Null: of none is the cost known. */
  readonly cost_usd: number | null;
  readonly sessions: number;
  readonly self_tests: number;
  readonly unknown: number;
}

/** What the sessions of the day cost, and the self-tests that began at or after a moment. */
export function spentSince(since: string, { today, self_tests }: Pick<Lately, "today" | "self_tests">): Spent {
  const tested = self_tests.filter(({ created_at }) => created_at >= since).map(({ cost_usd }) => cost_usd);
  const known = [today.cost_usd, ...tested].filter((cost) => cost !== null);
  return {
    cost_usd: known.length === 0 ? null : sumKnown(known),
    sessions: today.sessions,
    self_tests: tested.length,
    unknown: today.cost_unknown + tested.filter((cost) => cost === null).length,
  };
}

/** What stands against results that others may rely on. */
export const contradictions = ({ conflicts, self_tests, series }: Lately) => ({
  conflicts,
  judges: latestTests(self_tests).filter(({ verdict }) => verdict === "fail"),
  series: series.filter(
    ({ standing: { undecided_by } }) =>
      undecided_by === "results_changed" ||
      undecided_by === "contradictory_trials" ||
      undecided_by === "other_trials_disagree",
  ),
});

/** Only the latest self-test of each judge and scenario counts: a judge may have been mended. */
const latestTests = (tests: readonly SelfTestListing[]): readonly SelfTestListing[] =>
  [
    ...Map.groupBy(tests, (test) => `${memberName(test)} ${test.judge.model} ${test.judge.prompt_digest}`).values(),
  ].flatMap(([latest]) => latest ?? []);
