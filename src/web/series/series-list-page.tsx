import { useSignal } from "@preact/signals";
import type { SeriesListing } from "../../domain/series.ts";
import { listSeries } from "../api.ts";
import { count, when, words } from "../format.ts";
import { asFailed, useLoaded } from "../loaded.ts";
import { Page } from "../part/page.tsx";
import { Failed, Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toSeries, toSeriesList } from "../routes.ts";
import { ConclusionName } from "./conclusion.tsx";
import { RangeBar, rangeText } from "./range-bar.tsx";

/** Rows read at once. */
const PAGE = 50;

/** Every stored series, newest first. */
export function SeriesListPage({ scenario }: { scenario: string | null }) {
  const query = { limit: PAGE, ...(scenario && { scenario }) };
  const first = useLoaded(
    `series of ${scenario}`,
    (signal) => listSeries(query, signal),
    (rows) => rows.some(({ state }) => state === "running"),
  );
  return (
    <Page title={scenario ? `Series with ${scenario}` : "Series"}>
      <p class="lead">
        A series runs a comparison again and again until more trials would change nothing, or the plan is done.
      </p>
      {scenario && (
        <p>
          <button type="button" class="quiet" onClick={() => navigate(toSeriesList())}>
            Show every scenario
          </button>
        </p>
      )}
      <Show of={first} what="the series">
        {(rows) => <Rows first={rows} query={query} />}
      </Show>
    </Page>
  );
}

interface RowsProps {
  readonly first: readonly SeriesListing[];
  readonly query: { readonly limit: number; readonly scenario?: string };
}

function Rows({ first, query }: RowsProps) {
  const older = useSignal<readonly SeriesListing[]>([]);
  const ended = useSignal(false);
  const failure = useSignal<unknown>(null);
  if (first.length === 0) return <NoSeries />;
  const rows = [...first, ...older.value];
  const last = rows.at(-1);
  async function read(): Promise<void> {
    try {
      const page = await listSeries({ ...query, ...(last && { before: last.series_id }) });
      older.value = [...older.value, ...page];
      ended.value = page.length < PAGE;
      failure.value = null;
    } catch (error) {
      failure.value = error;
    }
  }
  return (
    <>
      <ul class="sessions">
        {rows.map((row) => (
          <Row key={row.series_id} row={row} />
        ))}
      </ul>
      {failure.value !== null && <Failed what="older series" error={asFailed(failure.value)} />}
      {first.length === PAGE && !ended.value && (
        <button type="button" onClick={() => void read()}>
          Show older series
        </button>
      )}
    </>
  );
}

function Row({ row: { series_id, created_at, scenarios, arms, state, standing, trials } }: { row: SeriesListing }) {
  const [first, ...others] = scenarios;
  const [a = "a", b = "b"] = arms;
  return (
    <li class="session" data-stop tabIndex={-1}>
      <a class="session-link" href={toSeries(series_id)}>
        <strong>
          {first}
          {others.length > 0 && ` and ${others.length} more`}
        </strong>
        <time dateTime={created_at}>{when(created_at)}</time>
        <span class="session-id">{series_id}</span>
      </a>
      <div class="session-outcome">
        {blind.value ? (
          <span class="aside">hidden (blind mode)</span>
        ) : (
          <ConclusionName conclusion={standing.conclusion} arms={{ a, b }} />
        )}
        <span class="aside">
          {count(standing.counted)} of {count(trials * scenarios.length)} trials count
          {state !== "completed" && `, ${words(state)}`}
        </span>
      </div>
      {!blind.value && (
        <div class="range-cell">
          <RangeBar {...standing} />
          <span class="aside">
            {a}: {rangeText(standing)}
          </span>
        </div>
      )}
    </li>
  );
}

function NoSeries() {
  return (
    <div class="empty">
      <p>
        No series is stored. Open a <a href="/">scenario</a> and run it many times.
      </p>
      <p>
        If you have run some and they are not here, the server was started without <code>--state-dir</code>.
      </p>
    </div>
  );
}
