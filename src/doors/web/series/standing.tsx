import { useSignal } from "@preact/signals";
import type { Series } from "../../../domain/series.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { getSeries } from "../api.ts";
import { countOf } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Show } from "../part/show.tsx";
import { toSeries } from "../routes.ts";
import { useMembers } from "./members.ts";
import { SeriesTrials } from "./series-trials.tsx";

/** The series that these sessions are trials of, each once, to be opened: how the scenario of a trial stands among all. */
export function Standings({ sessions }: { sessions: readonly SessionOutcome[] }) {
  const trials = Map.groupBy(sessions, ({ trial }) => trial?.series_id);
  return [...trials].map(([series_id, own]) =>
    series_id === undefined ? null : (
      <Standing key={series_id} series_id={series_id} current={own.map(({ session_id }) => session_id)} />
    ),
  );
}

function Standing({ series_id, current }: { series_id: string; current: readonly string[] }) {
  const open = useSignal(false);
  const series = useLoaded(open.value ? `series ${series_id}` : null, (signal) => getSeries(series_id, signal));
  return (
    <details class="fold" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>{countOf(new Set(current).size, "trial")} of a series: how all its trials went</summary>
      {open.value && (
        <Show of={series} what={`series ${series_id}`}>
          {(value) => <Trials series={value} current={current} />}
        </Show>
      )}
      <p>
        <a href={toSeries(series_id)}>What {series_id} shows</a>
      </p>
    </details>
  );
}

function Trials({ series, current }: { series: Series; current: readonly string[] }) {
  return <SeriesTrials {...{ series, current }} members={useMembers(series)} />;
}
