import { type Signal, useSignal } from "@preact/signals";
import type { Series } from "../../../domain/series.ts";
import { lazy } from "../part/lazy.tsx";
import type { Members } from "./members.ts";
import { SuiteTable } from "./suite-table.tsx";
import { TrialStrip } from "./trial-strip.tsx";

/** Only this table needs what draws thousands of rows. */
const MemberTable = lazy(async () => (await import("./member-table.tsx")).MemberTable, "the rows");

/** Scenarios of which every trial is drawn at once. */
const MANY = 100;

/** Whether a table names its members, or there are too many to draw each trial. */
export const isRowByRow = ({ scenarios, columns }: Series): boolean =>
  scenarios.length > 1 && (columns !== undefined || scenarios.length > MANY);

interface SeriesTrialsProps {
  readonly series: Series;
  readonly members: Members;
  /** Sessions that the reader came from. */
  readonly current?: readonly string[];
  /** The column by which rows are grouped; null: by none. */
  readonly by?: string | null;
  /** Shows only the rows in which this failed; empty: all. */
  readonly only?: Signal<string>;
}

/** The trials of a series. */
export function SeriesTrials({ series, members, current = [], by = null, only }: SeriesTrialsProps) {
  const every = useSignal("");
  if (series.scenarios.length <= 1) return <TrialStrip {...{ series, current }} />;
  if (isRowByRow(series)) return <MemberTable {...{ series, members, current, by }} only={only ?? every} />;
  return <SuiteTable {...{ series: { ...series, ...members }, current }} />;
}
