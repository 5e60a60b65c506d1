import { type MemberKey, memberName } from "../../../../domain/member.ts";
import type { Series } from "../../../../domain/series.ts";
import type { SessionOutcome } from "../../../../domain/session.ts";
import { rangedRateText } from "../../../../statistics/figure-text.ts";
import { getSeries, getSession } from "../../api.ts";
import { countOf, when, words } from "../../format.ts";
import { asFailed, useLoaded } from "../../loaded.ts";
import { CaveatChips } from "../../part/caveats.tsx";
import { Page, PagePart } from "../../part/page.tsx";
import { Show } from "../../part/show.tsx";
import { DataTable } from "../../part/table.tsx";
import { blind } from "../../preferences.ts";
import { toSeries, toSeriesList } from "../../routes.ts";
import { SHOWN_ROWS } from "../../rows.ts";
import { ShareAddress } from "../../share/share.tsx";
import { BothEvidence } from "../evidence-chart.tsx";
import { HiddenSeries } from "../hidden-series.tsx";
import { RangeBar } from "../range-bar.tsx";
import { SeriesName } from "../series-mark.tsx";
import { ScenarioLink, StatusName } from "../status-name.tsx";
import type { ScenarioRow } from "../suite-rows.ts";
import { SeriesWarnings } from "../warnings.tsx";
import { BothFigures, EvidenceFigures } from "./both-figures.tsx";
import { BothRates } from "./both-rates.tsx";
import { DefinitionChanges, ScenarioLinks, SetUpTables } from "./differences.tsx";
import { changedScenarios, type PairOf, scenarioPairs } from "./kinship.ts";
import { setUpRows } from "./set-up.ts";
import { WhatItCanSay } from "./what-it-can-say.tsx";

interface CompareSeriesPageProps {
  /** Ids. */
  readonly a: string;
  readonly b: string;
  /** Whose definition is shown; null for the first that differs. */
  readonly scenario: string | null;
}

/** Two series side by side: what differs between them, and every figure of both. */
export function CompareSeriesPage({ a, b, scenario }: CompareSeriesPageProps) {
  const both = useLoaded(
    `series ${a} ${b}`,
    async (signal): Promise<PairOf<Series>> => await Promise.all([getSeries(a, signal), getSeries(b, signal)]),
    { changes: (series) => series.some(({ state }) => state === "running") },
  );
  if (blind.value) return <HiddenSeries />;
  return (
    <Page
      title="Two series side by side"
      above={
        <p class="overline">
          <a href={toSeriesList(null, SHOWN_ROWS, [a, b])}>Series</a>
        </p>
      }
    >
      <Show of={both} what="the two series">
        {(series) => <Both series={series} asked={scenario} />}
      </Show>
    </Page>
  );
}

function Both({ series, asked }: { series: PairOf<Series>; asked: string | null }) {
  const scenario = scenarioToRead(series, asked);
  const ids = series.map((one) => trialOf(one, scenario));
  const trials = useLoaded(
    `trials ${ids.join(" ")}`,
    async (signal) => await Promise.all(ids.map((id) => read(id, signal))),
  );
  const loaded = trials.value.state === "ready" ? trials.value.value : [null, null];
  const [first = null, second = null] = loaded;
  const rows = setUpRows([
    { series: series[0], trial: first },
    { series: series[1], trial: second },
  ]);
  return (
    <>
      <div class="columns">
        {series.map((one, index) => (
          <Card key={index} series={one} nth={index === 0 ? 1 : 2} />
        ))}
      </div>
      <nav class="actions" aria-label="More on this comparison">
        <ShareAddress />
      </nav>
      <WhatItCanSay series={series} rows={trials.value.state === "loading" ? null : rows} />
      <PagePart title="Win rates">
        <BothRates series={series} />
      </PagePart>
      <PagePart title="What differs in the set-up">
        <Show of={trials} what="a trial of each">
          {() => (
            <>
              <SetUpTables rows={rows} />
              <ScenarioLinks series={series} current={scenario} />
              {scenario && first && second && <DefinitionChanges scenario={scenario} trials={[first, second]} />}
            </>
          )}
        </Show>
      </PagePart>
      <PagePart title="Evidence">
        <div class="columns">
          <BothEvidence series={series} />
          <EvidenceFigures series={series} />
        </div>
      </PagePart>
      <PagePart title="Checks, cost and time">
        <BothFigures series={series} />
      </PagePart>
      {series.some(({ scenarios }) => scenarios.length > 1) && (
        <PagePart title="Scenario by scenario">
          <BothScenarios series={series} />
        </PagePart>
      )}
      <PagePart title="Before you trust either">
        <div class="columns">
          {series.map((one, index) => (
            <div key={index} class="both-warnings">
              <h3>
                <SeriesName nth={index === 0 ? 1 : 2} />
              </h3>
              {one.flags.length === 0 && one.failure === null && <p class="aside">Nothing to warn of.</p>}
              <SeriesWarnings series={one} />
            </div>
          ))}
        </div>
      </PagePart>
    </>
  );
}

/** Who is preferred in a series, in how many trials. */
function Card({ series, nth }: { series: Series; nth: 1 | 2 }) {
  const { arms, counts, created_at, scenarios, series_id, state, statement } = series;
  const [first, ...others] = scenarios;
  return (
    <div class={`corner series-card nth-${nth}`}>
      <h2>
        <SeriesName nth={nth} />
      </h2>
      <p>
        <strong>
          <StatusName {...series} arms={{ a: arms.a.arm_id, b: arms.b.arm_id }} />
        </strong>{" "}
        <CaveatChips flags={series.flags} named={series.undecided_by} />
      </p>
      <p>
        {first && memberName(first)}
        {others.length > 0 && ` and ${countOf(others.length, "other")}`} · {counts.wins} – {counts.ties} –{" "}
        {counts.losses}{" "}
        <span class="aside">
          wins – none – losses of {arms.a.arm_id} in {countOf(counts.trials, "trial")}
        </span>
      </p>
      <details>
        <summary class="aside">What it says</summary>
        <p>{statement}</p>
      </details>
      <p class="aside">
        {words(state)}
        {created_at && `, ${when(created_at)}`} · <a href={toSeries(series_id)}>{series_id}</a>
      </p>
    </div>
  );
}

/** The one that is asked for; else the first that both have and that differs; else the first that both have. */
function scenarioToRead(series: PairOf<Series>, asked: string | null): MemberKey | undefined {
  const [one, other] = series;
  const names = new Set(other.scenarios.map(memberName));
  const both = one.scenarios.map(memberName).filter((name) => names.has(name));
  return both.find((name) => name === asked) ?? changedScenarios(series)[0] ?? both[0];
}

/** The session of a trial that shows how the scenario was set up; one with a verdict, if there is any. */
function trialOf({ trials }: Series, member: MemberKey | undefined): string | null {
  const own = trials.filter((trial) => member === undefined || memberName(trial) === member);
  return (own.find(({ outcome }) => outcome !== null) ?? own[0])?.session_id ?? null;
}

/** Null when it is no longer stored: then less is known of the set-up. */
async function read(session_id: string | null, signal: AbortSignal): Promise<SessionOutcome | null> {
  if (session_id === null) return null;
  try {
    return await getSession(session_id, signal);
  } catch (error) {
    if (asFailed(error).code === "unknown_session") return null;
    throw error;
  }
}

/** Every scenario of either series: those of both first. */
function BothScenarios({ series }: { series: PairOf<Series> }) {
  const heads = ["Scenario", <SeriesName key="1" nth={1} />, <SeriesName key="2" nth={2} />];
  return (
    <>
      <DataTable label="Both series by scenario" kind="both-scenarios" heads={heads}>
        {scenarioPairs(series).map(({ member, rows, changed }) => (
          <tr key={memberName(member)}>
            <th scope="row">
              <ScenarioLink series={series[0]} member={member} />
              {changed && <small>defined or judged otherwise</small>}
            </th>
            {rows.map((row, index) => (
              <td key={index}>{row ? <OfScenario row={row} /> : <span class="aside">not in it</span>}</td>
            ))}
          </tr>
        ))}
      </DataTable>
      <p class="small-print">
        The win rate of arm A, its range, and in brackets its wins – none – losses. Ranges of a row are wider, since
        with many rows some would look sure by chance.
      </p>
    </>
  );
}

function OfScenario({ row: { counts, headline, conclusion } }: { row: ScenarioRow }) {
  return (
    <div class="range-cell">
      <RangeBar {...headline} conclusion={conclusion} />
      {rangedRateText(headline)}{" "}
      <span class="aside">
        ({counts.wins} – {counts.ties} – {counts.losses})
      </span>
    </div>
  );
}
