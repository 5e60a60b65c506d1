import { memberName } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import type { Ahead } from "../../../statistics/series-words.ts";

export type ScenarioRow = Series["scenarios"][number];

/** What the rows of a suite can be sorted by. `plan`: as the series names its scenarios. */
export type SuiteSort =
  | "plan"
  | "scenario"
  | "a"
  | "none"
  | "b"
  | "missing"
  | "held"
  | "rate"
  | "solved_a"
  | "solved_b";

export interface SuiteOrder {
  readonly by: SuiteSort;
  readonly descending: boolean;
}

/** What is not known stands last in either order; rows that are equal keep the order of the plan. */
export function sortedRows(rows: readonly ScenarioRow[], { by, descending }: SuiteOrder): readonly ScenarioRow[] {
  if (by === "plan") return rows;
  const direction = descending ? -1 : 1;
  if (by === "scenario")
    return rows.toSorted(
      (one, other) => direction * memberName(one).localeCompare(memberName(other), "en", { numeric: true }),
    );
  const figure = FIGURES[by];
  return rows.toSorted((one, other) => {
    const [left, right] = [figure(one), figure(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return direction * (left - right);
  });
}

const FIGURES: Readonly<Record<Exclude<SuiteSort, "plan" | "scenario">, (row: ScenarioRow) => number | null>> = {
  a: ({ counts }) => counts.wins,
  none: ({ counts }) => counts.ties,
  b: ({ counts }) => counts.losses,
  missing: ({ counts }) => missingTrials(counts),
  held: ({ counts }) => counts.held,
  rate: ({ headline }) => headline.win_rate,
  solved_a: ({ solved }) => shareOf(solved.a),
  solved_b: ({ solved }) => shareOf(solved.b),
};

const shareOf = (solved: ScenarioRow["solved"]["a"]) =>
  solved === null || solved.trials === 0 ? null : solved.solved / solved.trials;

export const missingTrials = ({ invalid, failed, cancelled }: ScenarioRow["counts"]) => invalid + failed + cancelled;

/** `2 invalid, 1 failed`; empty when nothing is missing. */
export const missingWords = ({ invalid, failed, cancelled }: ScenarioRow["counts"]): string =>
  Object.entries({ invalid, failed, cancelled })
    .flatMap(([name, trials]) => (trials === 0 ? [] : [`${trials} ${name}`]))
    .join(", ");

/** The trials of a row by what they gave. */
type Won = Readonly<Record<"a" | "b" | "none", number>>;

export function aheadIn(rows: readonly Won[]): Ahead {
  const ahead = (sign: number) => rows.filter(({ a, b }) => Math.sign(a - b) === sign).length;
  const none = rows.filter((won) => won.a + won.b + won.none === 0).length;
  return { a: ahead(1), b: ahead(-1), even: ahead(0) - none, none };
}

export const wonIn = ({ counts: { wins, ties, losses } }: ScenarioRow): Won => ({ a: wins, none: ties, b: losses });
