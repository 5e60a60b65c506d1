import { contradict } from "./contradict.ts";
import { everyVerdict } from "./every-verdict.ts";
import type { SessionOutcome } from "./session.ts";
import { isFinal } from "./session-state.ts";

/** A column of the session list. Stores, the wire, the API's parameters and the page follow from it. */
interface ListedColumn {
  /** What the page calls it. Absent: the page does not show it. */
  readonly head?: string;
  /** Which of its orders a reader gets first. Absent: no list is sorted by it. */
  readonly sort?: "asc" | "desc";
  /** It tells who won: a blind reader sees nothing of it, nor its order. */
  readonly telling?: true;
  /** The parameter that chooses sessions with this value. */
  readonly filter?: string;
  /** What databases keep of each session, under the name of the column. Absent: nothing. */
  readonly kept?: Kept;
  /** The field in which a listing bears the value, which is a number. */
  readonly figure?: { readonly field: string; readonly unit: "usd" | "ms" | "count"; readonly description: string };
}

interface Kept {
  readonly type: "text" | "number" | "flag";
  readonly value: (session: SessionOutcome) => string | number | boolean | null;
}

const text = (value: (session: SessionOutcome) => string | null) => ({ type: "text", value }) as const;
const number = (value: (session: SessionOutcome) => number | null) => ({ type: "number", value }) as const;

/**
 * The page shows them in this order. A new figure must be null until the session has ended and stay the same from then on: sessions
 * of earlier versions get it once.
 */
const LISTED_COLUMNS = {
  created: { head: "Created", sort: "desc" },
  scenario: { head: "Scenario", sort: "asc", filter: "scenario", kept: text(({ scenario }) => scenario) },
  state: { filter: "state", kept: text(({ state }) => state) },
  series_id: { filter: "series_id", kept: text(({ trial }) => trial?.series_id ?? null) },
  arms: { head: "Arms" },
  model_a: { filter: "model", kept: text(({ arms }) => arms[0].model) },
  model_b: { filter: "model", kept: text(({ arms }) => arms[1].model) },
  outcome: { filter: "outcome", kept: text(({ verdict }) => verdict?.outcome ?? null) },
  result: {
    head: "Result",
    sort: "asc",
    telling: true,
    kept: text(({ verdict, state }) => verdict?.outcome ?? state),
  },
  gap: {
    head: "Score",
    sort: "desc",
    telling: true,
    kept: number(({ verdict }) => {
      const { score_a = null, score_b = null } = verdict ?? {};
      return score_a === null || score_b === null ? null : Math.abs(score_a - score_b);
    }),
  },
  checks: { head: "Checks", telling: true },
  judge: {
    head: "Judge",
    filter: "judge",
    kept: text(({ verdict, request }) => verdict?.judge.model ?? request.judge_model),
  },
  turns: {
    head: "Turns",
    sort: "desc",
    kept: number(({ arms, state }) => (isFinal(state) ? arms.reduce((sum, { turns }) => sum + turns, 0) : null)),
    figure: { field: "turns", unit: "count", description: "Model turns of both arms; null until it has ended." },
  },
  cost: {
    head: "Cost",
    sort: "desc",
    kept: number(({ totals }) => totals.cost_usd),
    figure: { field: "cost_usd", unit: "usd", description: "As in SessionTotals." },
  },
  duration: {
    head: "Time",
    sort: "desc",
    kept: number(({ totals }) => totals.wall_ms),
    figure: { field: "wall_ms", unit: "ms", description: "As in SessionTotals." },
  },
  asked_by: { filter: "user", kept: text(({ user }) => user ?? null) },
  conflict: { kept: { type: "flag", value: (session) => contradict(everyVerdict(session)) } },
} as const satisfies Readonly<Record<string, ListedColumn>>;

type Columns = typeof LISTED_COLUMNS;

type NamesWith<Part extends keyof ListedColumn> = {
  [Name in keyof Columns]: Part extends keyof Columns[Name] ? Name : never;
}[keyof Columns];

type ColumnsWith<Part extends keyof ListedColumn> = readonly (readonly [
  NamesWith<Part>,
  ListedColumn & { readonly [Own in Part]-?: NonNullable<ListedColumn[Own]> },
])[];

/** The columns that have something, with their names. */
export const columnsWith = <Part extends keyof ListedColumn>(part: Part): ColumnsWith<Part> =>
  Object.entries(LISTED_COLUMNS).filter(([, column]) => part in column) as unknown as ColumnsWith<Part>; // as it was filtered

/** The parameters that choose sessions by columns: by a value that one of these has. */
export const FILTERED_COLUMNS = [...Map.groupBy(columnsWith("filter"), ([, { filter }]) => filter)].map(
  ([parameter, columns]) => [parameter, columns.map(([name]) => name)],
) as unknown as readonly (readonly [FilterName, readonly NamesWith<"kept">[]])[]; // as the table has them

type FilterName = Columns[NamesWith<"filter">]["filter"];
export type SortName = NamesWith<"sort">;
export type FigureField = Columns[NamesWith<"figure">]["figure"]["field"];

type KeptRow = { readonly [Name in NamesWith<"kept">]: ReturnType<Columns[Name]["kept"]["value"]> };

/** What databases keep of a session, by column. */
export const columnValues = (session: SessionOutcome): KeptRow =>
  Object.fromEntries(columnsWith("kept").map(([name, { kept }]) => [name, kept.value(session)])) as KeptRow; // of each its own
