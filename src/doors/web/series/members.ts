import { useMemo } from "preact/hooks";
import type { ContestMembers } from "../../../domain/contest.ts";
import { memberName } from "../../../domain/member.ts";
import type { Series, SeriesMembers } from "../../../domain/series.ts";
import type { SeriesTrial } from "../../../domain/series-trial.ts";
import type { Side } from "../../../domain/verdict.ts";
import { type Failed, whatFailed } from "../../../statistics/what-failed.ts";
import { call } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { missingTrials, type ScenarioRow } from "./suite-rows.ts";

/** Every row of a series of which an answer may have left some out. */
export interface Members {
  readonly scenarios: Series["scenarios"];
  readonly trials: Series["trials"];
  /** Rows that are still to be read. */
  readonly unread: number;
  readonly failed: readonly Failed[];
}

/** How many scenarios or rows a series has, also those that its answer leaves out. */
export const everyMember = ({ scenarios, omitted }: Pick<Series, "scenarios" | "omitted">): number =>
  scenarios.length + (omitted?.scenarios ?? 0);

/** Trials that end until a long series is read again while it runs. */
const AGAIN_AFTER = 100;

/** The rows of a series, at first those that its answer has; the others are read in pages. */
export function useMembers(series: Series): Members {
  const { series_id, omitted, state, kind, counts, arms } = series;
  const isPaged = omitted !== undefined && kind === "planned";
  const ended = state === "running" ? Math.floor(counts.trials / AGAIN_AFTER) : -1;
  const read = useLoaded(isPaged ? `members ${series_id}` : null, (signal) => everyPage(series_id, signal), {
    extent: ended,
  });
  const loaded = isPaged && read.value.state === "ready" ? read.value.value : null;
  const { scenarios, trials } = loaded ?? series;
  const unread = loaded ? 0 : (omitted?.scenarios ?? 0);
  return useMemo(
    () => ({ scenarios, trials, unread, failed: whatFailed({ scenarios, trials, arms }) }),
    [scenarios, trials, unread],
  );
}

async function everyPage(series_id: string, signal: AbortSignal): Promise<Pick<Series, "scenarios" | "trials">> {
  const scenarios: ScenarioRow[] = [];
  const trials: SeriesTrial[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: SeriesMembers | ContestMembers = await call(
      "GET /api/series/:id/members",
      { id: series_id, after },
      signal,
    );
    if (!("scenarios" in page)) break;
    scenarios.push(...page.scenarios);
    trials.push(...page.trials);
    after = page.next_after;
  }
  return { scenarios, trials };
}

/** How the rows of a table are put in order. `differs`: those first in which the arms differ most. */
export type MemberOrder = "differs" | "plan" | "missing";

interface MemberView {
  readonly order: MemberOrder;
  /** Column of the inputs, or none. */
  readonly by: string | null;
  /** Only rows in which this failed. */
  readonly only: Failed | null;
}

/** Trials by what they gave, whether their round is complete or not: a table describes, and claims nothing. */
type Won = Readonly<Record<Side | "none", number>>;

export interface MemberRow {
  readonly name: string;
  readonly row: ScenarioRow;
  readonly trials: readonly SeriesTrial[];
  readonly won: Won;
}

/** A line of the table: the head of a group, or a row. */
export type MemberLine =
  | { readonly kind: "group"; readonly value: string; readonly rows: number; readonly won: Won }
  | ({ readonly kind: "row" } & MemberRow);

type Rows = Pick<Series, "scenarios" | "trials">;

/** The rows in the order of the plan, each with its trials. */
export function memberRows({ scenarios, trials }: Rows): readonly MemberRow[] {
  const trialsOf = Map.groupBy(trials, memberName);
  return scenarios.map((row) => {
    const name = memberName(row);
    const own = trialsOf.get(name) ?? [];
    const many = (sign: number) => own.filter(({ d, copy }) => d === sign && !copy).length;
    return { name, row, trials: own, won: { a: many(1), none: many(0), b: many(-1) } };
  });
}

/** The lines of a table in the order in which they stand. */
export function memberLines(
  rows: readonly MemberRow[],
  columns: Series["columns"],
  { order, by, only }: MemberView,
): readonly MemberLine[] {
  const wanted = only && new Set(only.rows);
  const column = columns?.find(({ field }) => field === by);
  const placed = rows.map((row, place) => ({ row, group: column?.of_row[place] ?? 0, rank: RANKS[order](row) }));
  const sorted = placed
    .filter(({ row }) => !wanted || wanted.has(row.name))
    .toSorted((one, other) => one.group - other.group || other.rank - one.rank);
  const lineOf = ({ row }: (typeof placed)[number]): MemberLine => ({ kind: "row", ...row });
  if (!column) return sorted.map(lineOf);
  return [...Map.groupBy(sorted, ({ group }) => group)].flatMap(([group, own]) => [
    groupLine(
      column.values[group] || "(empty)",
      own.map(({ row }) => row),
    ),
    ...own.map(lineOf),
  ]);
}

function groupLine(value: string, own: readonly MemberRow[]): MemberLine {
  const sum = (of: keyof Won) => own.reduce((total, { won }) => total + won[of], 0);
  return { kind: "group", value, rows: own.length, won: { a: sum("a"), none: sum("none"), b: sum("b") } };
}

/** The greatest first. */
const RANKS: Readonly<Record<MemberOrder, (row: MemberRow) => number>> = {
  plan: () => 0,
  missing: ({ row: { counts } }) => missingTrials(counts),
  // Each weighs more than all that follow it together.
  differs: ({ row: { solved, checks }, won }) => 9 * netOf(won) + 3 * apart(solved) + Math.max(0, ...checks.map(apart)),
};

const netOf = ({ a, none, b }: Won) => (a + none + b === 0 ? 0 : Math.abs(a - b) / (a + none + b));

type Share = { readonly trials: number } & ({ readonly solved: number } | { readonly passed: number });

const apart = ({ a, b }: Readonly<Record<Side, Share | null>>) => Math.abs(shareOf(a) - shareOf(b));

function shareOf(share: Share | null): number {
  if (share === null || share.trials === 0) return 0;
  return ("solved" in share ? share.solved : share.passed) / share.trials;
}
