import type { SelfTestListing } from "../../../domain/self-test.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { call, listSeries, listSessions, summarizeSessions } from "../api.ts";
import { count, countOf, usd, words } from "../format.ts";
import { moment } from "../live/ticks.ts";
import { useLoaded } from "../loaded.ts";
import { Ago } from "../part/ago.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { toLive, toScenarios, toSelfTest, toSeries, toSeriesList, toSession, toSessions } from "../routes.ts";
import { ComparisonRow } from "./comparison-row.tsx";
import { FirstVisit, WhatItIs } from "./first-visit.tsx";
import { contradictions, type Lately, newestComparisons, type Spent, spentSince } from "./overview.ts";

/** Sessions that are read for the overview. */
const READ = 200;
/** Comparisons that are shown. */
const SHOWN = 8;

/** Whether it got better: the newest comparisons, what is at work, what contradicts itself, what was spent. */
export function HomePage() {
  const lately = useLoaded("lately", readLately, { changes: isAtWork });
  return (
    <Page title="Did it get better?" short="Home">
      <Show of={lately} what="what was compared lately">
        {(value) =>
          value.sessions.length === 0 && value.series.length === 0 ? <FirstVisit /> : <Overview lately={value} />
        }
      </Show>
    </Page>
  );
}

async function readLately(signal: AbortSignal): Promise<Lately> {
  const since = midnight();
  const [sessions, series, self_tests, conflicts, today] = await Promise.all([
    listSessions({ limit: READ }, signal),
    listSeries({ limit: 20 }, signal),
    selfTestsSince(since, signal),
    listSessions({ conflict: "only", limit: 5 }, signal),
    summarizeSessions({ since }, signal),
  ]);
  return { sessions, series, self_tests, conflicts, today };
}

/** The newest, and all that began at or after a moment. */
async function selfTestsSince(since: string, signal: AbortSignal): Promise<readonly SelfTestListing[]> {
  const found: SelfTestListing[] = [];
  for (;;) {
    const page = await call("GET /api/self-tests", { limit: 100, before: found.at(-1)?.self_test_id }, signal);
    found.push(...page);
    if (page.length < 100 || page.some(({ created_at }) => created_at < since)) return found;
  }
}

const isAtWork = (lately: Lately): boolean => {
  const { sessions, series } = running(lately);
  return sessions.length + series.length > 0;
};

/** Series and runs at work. Trials are told by their series. */
const running = ({ sessions, series }: Lately) => ({
  series: series.filter(({ state }) => state === "running"),
  sessions: sessions.filter(({ state, trial }) => trial === undefined && !isFinal(state)),
});

function Overview({ lately }: { lately: Lately }) {
  const newest = newestComparisons(lately, SHOWN);
  return (
    <>
      <SpentToday spent={spentSince(midnight(), lately)} />
      {isAtWork(lately) && <AtWork {...running(lately)} />}
      {!blind.value && <Contradictions {...contradictions(lately)} />}
      <PagePart title="Newest comparisons">
        {newest.length === 0 && <p class="empty">No comparison has a result yet.</p>}
        <ul class="newest">
          {newest.map((comparison) => (
            <ComparisonRow
              key={comparison.kind === "run" ? comparison.row.session_id : comparison.row.series_id}
              comparison={comparison}
            />
          ))}
        </ul>
        <p class="actions">
          <a class="button" href={toScenarios("")}>
            Run a scenario …
          </a>
          <a href={toSeriesList()}>All series</a>
          <a href={toSessions()}>All sessions</a>
        </p>
      </PagePart>
      <details class="fold">
        <summary>What is compared here</summary>
        <WhatItIs />
      </details>
    </>
  );
}

/** The beginning of the reader's day, in the server's form. */
function midnight(): string {
  const day = new Date(moment());
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

function SpentToday({ spent }: { spent: Spent }) {
  const { sessions, self_tests } = spent;
  if (sessions + self_tests === 0) return <p class="lead">Nothing was run today.</p>;
  return (
    <p class="lead">
      Today <strong>{countOf(sessions, "session")}</strong>
      {self_tests > 0 && ` and ${countOf(self_tests, "self-test")}`} began. <Cost {...spent} />
    </p>
  );
}

function Cost({ cost_usd, unknown }: Spent) {
  if (cost_usd === null) return "What they cost is not known.";
  const rest = unknown > 0 && `The cost of ${count(unknown)} is unknown`;
  if (cost_usd === 0) return rest ? `${rest}; the others were free.` : "They cost nothing.";
  return (
    <>
      They cost{" "}
      <strong>
        {unknown > 0 && "at least "}
        {usd(cost_usd)}
      </strong>
      .{rest && ` ${rest}.`}
    </>
  );
}

interface AtWorkProps {
  readonly series: readonly SeriesListing[];
  readonly sessions: readonly SessionListing[];
}

/** Series and runs that go on now. */
function AtWork({ series, sessions }: AtWorkProps) {
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

interface ContradictionsProps {
  readonly conflicts: readonly SessionListing[];
  readonly judges: readonly SelfTestListing[];
  readonly series: readonly SeriesListing[];
}

/** Results that should not be relied on, one sentence each; nothing where there are none. */
function Contradictions({ conflicts, judges, series }: ContradictionsProps) {
  if (conflicts.length + judges.length + series.length === 0) return null;
  return (
    <PagePart title="What not to rely on">
      <ul class="contradictions">
        {conflicts.map(({ session_id, scenario, title = scenario, verdicts = 0 }) => (
          <li key={session_id}>
            <a href={toSession(session_id)}>{title}</a>: its {verdicts} verdicts contradict each other.
          </li>
        ))}
        {judges.map(({ self_test_id, judge, scenario }) => (
          <li key={self_test_id}>
            <a href={toSelfTest(self_test_id)}>{judge.model}</a> failed its latest self-test on {scenario}.
          </li>
        ))}
        {series.map(({ series_id, scenarios, standing }) => (
          <li key={series_id}>
            <a href={toSeries(series_id)}>{scenarios.join(", ")}</a>: not known yet,{" "}
            {words(standing.undecided_by ?? "")}.
          </li>
        ))}
      </ul>
    </PagePart>
  );
}
