import type { SeriesListing } from "../../domain/series.ts";
import { listSeries } from "../api.ts";
import { count, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toSeries, toSeriesList } from "../routes.ts";
import { readRows, SHOWN_ROWS } from "../rows.ts";
import { ConclusionName } from "./conclusion.tsx";
import { RangeBar, rangeText } from "./range-bar.tsx";

/** Every stored series, newest first. */
export function SeriesListPage({ scenario, shown }: { scenario: string | null; shown: number }) {
  const series = useLoaded(
    `series of ${scenario}`,
    (signal) =>
      readRows<SeriesListing>(shown, (limit, last) =>
        listSeries({ limit, ...(scenario && { scenario }), ...(last && { before: last.series_id }) }, signal),
      ),
    { extent: shown, changes: ({ rows }) => rows.some(({ state }) => state === "running") },
  );
  const more = () => navigate(toSeriesList(scenario, shown + SHOWN_ROWS), { replace: true });
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
      <Show of={series} what="the series">
        {({ rows, complete }) =>
          rows.length === 0 ? (
            <NoSeries />
          ) : (
            <>
              <ul class="sessions">
                {rows.map((row) => (
                  <Row key={row.series_id} row={row} />
                ))}
              </ul>
              {!complete && (
                <button type="button" onClick={more}>
                  Show older series
                </button>
              )}
            </>
          )
        }
      </Show>
    </Page>
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
