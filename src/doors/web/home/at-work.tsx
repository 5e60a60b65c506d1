import type { SeriesListing } from "../../../domain/series-listing.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { count, words } from "../format.ts";
import { Ago } from "../part/ago.tsx";
import { PagePart } from "../part/page.tsx";
import { toLive, toSeries } from "../routes.ts";

interface AtWorkProps {
  readonly series: readonly SeriesListing[];
  readonly sessions: readonly SessionListing[];
}

/** Series and runs that go on now. */
export function AtWork({ series, sessions }: AtWorkProps) {
  return (
    <PagePart title="Running now">
      <ul class="newest">
        {series.map(({ series_id, scenarios, members, standing, trials, created_at }) => (
          <li key={series_id} data-stop tabIndex={-1}>
            <p>
              <a href={toSeries(series_id)}>
                <strong>{scenarios[0]}</strong>
                {scenarios.length > 1 && ` and ${scenarios.length - 1} more`}
              </a>
            </p>
            <p class="aside">
              {count(standing.counted)} of up to {count(trials * members)} trials count
            </p>
            <p class="aside newest-when">
              <Ago iso={created_at} />
            </p>
          </li>
        ))}
        {sessions.map(({ session_id, scenario, title = scenario, state, created_at }) => (
          <li key={session_id} data-stop tabIndex={-1}>
            <p>
              <a href={toLive(session_id)}>
                <strong>{title}</strong>
              </a>
            </p>
            <p>
              <span class={`state state-${state}`}>{words(state)}</span>
            </p>
            <p class="aside newest-when">
              <Ago iso={created_at} />
            </p>
          </li>
        ))}
      </ul>
    </PagePart>
  );
}
