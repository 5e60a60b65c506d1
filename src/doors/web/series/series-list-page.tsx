import type { ComponentChildren } from "preact";
import { listedAnswer } from "../../../domain/series-answer.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import { wordsText } from "../../../domain/words.ts";
import { listSeries } from "../api.ts";
import { count, idText, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { CaveatChips } from "../part/caveats.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toResults, toSeries, toSeriesList } from "../routes.ts";
import { readRows, SHOWN_ROWS } from "../rows.ts";
import { CompareSeriesBar, PickSeries } from "./compare/pick-series.tsx";
import { ListedAnswer, ListedRange } from "./listed-answer.tsx";

interface SeriesListPageProps {
  readonly scenario: string | null;
  readonly shown: number;
  readonly picked: readonly string[];
}

/** Every stored series, newest first. Two can be picked for a comparison; the address holds them. */
export function SeriesListPage({ scenario, shown, picked }: SeriesListPageProps) {
  const series = useLoaded(
    `series of ${scenario}`,
    (signal) =>
      readRows<SeriesListing>(shown, (limit, last) =>
        listSeries({ limit, ...(scenario && { scenario }), ...(last && { before: last.series_id }) }, signal),
      ),
    { extent: shown, changes: ({ rows }) => rows.some(({ state }) => state === "running") },
  );
  const more = () => navigate(toSeriesList(scenario, shown + SHOWN_ROWS, picked), { replace: true });
  const pick = (ids: readonly string[]) => navigate(toSeriesList(scenario, shown, ids), { replace: true });
  return (
    <Page title={scenario ? `Series with ${scenario}` : "Series"}>
      <p class="lead">
        A series runs a comparison again and again until more trials would change nothing, or the plan is done. Runs of
        another harness need no series: <a href={toResults()}>compare its table of results</a>.
      </p>
      {scenario && (
        <p>
          <button type="button" class="quiet" onClick={() => navigate(toSeriesList(null, shown, picked))}>
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
                  <Row key={row.series_id} row={row}>
                    {row.kind !== "results" && (
                      <PickSeries
                        row={row}
                        first={rows.find(({ series_id }) => series_id === picked[0])}
                        {...{ picked, pick }}
                      />
                    )}
                  </Row>
                ))}
              </ul>
              {!complete && (
                <button type="button" onClick={more}>
                  Show older series
                </button>
              )}
              <CompareSeriesBar {...{ rows, picked, pick }} />
            </>
          )
        }
      </Show>
    </Page>
  );
}

interface RowProps {
  readonly row: SeriesListing;
  /** Its field for a comparison. */
  readonly children: ComponentChildren;
}

function Row({ row, children }: RowProps) {
  const { series_id, kind, created_at, scenarios, members, state, standing, trials, user } = row;
  const [first, ...others] = scenarios;
  /** A status that nothing was concluded names the state itself. */
  const isTold = !blind.value && wordsText(listedAnswer(row).words).endsWith(words(state));
  return (
    <li class="session" data-stop tabIndex={-1}>
      <a class="session-link" href={toSeries(series_id)}>
        <strong>
          {first}
          {others.length > 0 && ` and ${count(others.length)} more`}
        </strong>
        <time dateTime={created_at}>{when(created_at)}</time>
        {user !== undefined && <bdi>{user}</bdi>}
        <span class="session-id" title={series_id}>
          {idText(series_id)}
        </span>
      </a>
      <div class="session-outcome">
        {blind.value ? (
          <span class="aside">hidden (blind mode)</span>
        ) : (
          <>
            <ListedAnswer row={row} />
            <CaveatChips flags={standing.flags} named={standing.undecided_by} />
          </>
        )}
        <span class="aside">
          {kind === "results"
            ? `${count(standing.counted)} trials count`
            : `${count(standing.counted)} of ${count(trials * members)} trials count`}
          {state !== "completed" && !isTold && `, ${words(state)}`}
        </span>
      </div>
      {!blind.value && (
        <div class="range-cell">
          <ListedRange row={row} />
        </div>
      )}
      {children}
    </li>
  );
}

function NoSeries() {
  return (
    <div class="empty">
      <p>
        No series is stored. Open a <a href="/scenarios">scenario</a> and run it many times.
      </p>
      <p>
        If you have run some and they are not here, the server was started without <code>--state-dir</code>.
      </p>
    </div>
  );
}
