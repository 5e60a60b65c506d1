import { useSignal } from "@preact/signals";
import { memberName, memberWord } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { SERIES_KINDS } from "../../../domain/series-status.ts";
import { wordsText } from "../../../domain/words.ts";
import { outlookWords } from "../../../statistics/series-words.ts";
import { sixLines } from "../../../statistics/six-lines.ts";
import { call, getSeriesOrContest, seriesPicture, seriesReport } from "../api.ts";
import { count, countOf, idText, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { CaveatLine } from "../part/caveats.tsx";
import { goToPart } from "../part/contents.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { Show } from "../part/show.tsx";
import { StopButton } from "../part/stop-button.tsx";
import { blind } from "../preferences.ts";
import { toResults, toSeriesList } from "../routes.ts";
import { SHOWN_ROWS } from "../rows.ts";
import { ShareWays } from "../share/share.tsx";
import { ArmsTable, CheckRates } from "./arms-table.tsx";
import { ContestReport } from "./contest-report.tsx";
import { EvidenceChart } from "./evidence-chart.tsx";
import { GoOnForm } from "./go-on-form.tsx";
import { Groups } from "./groups.tsx";
import { AnswerLines, DifferenceBar, SeriesAtAGlance } from "./headline.tsx";
import { HiddenSeries } from "./hidden-series.tsx";
import { everyMember, useMembers } from "./members.ts";
import { JudgeCosts, Plan } from "./plan.tsx";
import { QuadrantChart } from "./quadrant-chart.tsx";
import { isRowByRow, SeriesTrials } from "./series-trials.tsx";
import { ScenarioLink } from "./status-name.tsx";
import { SeriesWarnings } from "./warnings.tsx";
import { WhatFailedTable } from "./what-failed-table.tsx";

/** What the trials of a series say together. While it runs, it is read again and again. */
export function SeriesPage({ id }: { id: string }) {
  const by = useSignal<string | null>(null);
  /** Grouping does not take away what is shown, so it is an extent and no part of the key. */
  const chosen = useSignal(0);
  const series = useLoaded(`series ${id}`, (signal) => getSeriesOrContest(id, signal, by.peek()), {
    extent: chosen.value,
    changes: ({ state }) => state === "running",
  });
  const group = (column: string | null) => {
    by.value = column;
    chosen.value += 1;
  };
  const loaded = series.value;
  if (loaded.state === "ready" && blind.value) return <HiddenSeries />;
  if (loaded.state === "ready") {
    const report = loaded.value;
    if (report.kind === "contest") return <ContestReport contest={report} />;
    return <SeriesReport series={report} by={by.value} group={group} />;
  }
  return (
    <Page title="Series" short={id}>
      <Show of={series} what={`series ${id}`}>
        {() => null}
      </Show>
    </Page>
  );
}

interface SeriesReportProps {
  readonly series: Series;
  /** The column by which its rows are grouped; null: by none. */
  readonly by: string | null;
  readonly group: (column: string | null) => void;
}

function SeriesReport({ series, by, group }: SeriesReportProps) {
  const { kind, limits } = series;
  const answer = sixLines(series);
  const running = series.state === "running";
  const members = useMembers(series);
  // What has thousands of rows comes last.
  const isLong = isRowByRow(series);
  const only = useSignal("");
  const rows = (
    <PagePart id={ROWS} title={headOf(series)}>
      <SeriesTrials series={series} members={members} by={by} only={only} />
    </PagePart>
  );
  const toRows = (what: string, text: string) => (
    <a
      href={`#${ROWS}`}
      onClick={(event) => {
        only.value = what;
        goToPart(event, ROWS);
      }}
    >
      {text}
    </a>
  );
  return (
    <Page title={wordsText(answer.first)} heading={<Say words={answer.first} />} above={<Overline series={series} />}>
      <CaveatLine flags={series.flags} />
      <AnswerLines lines={answer.lines} />
      <SeriesWarnings series={series} />
      <DifferenceBar series={series} />
      <QuadrantChart series={series} />
      <SeriesAtAGlance series={series} />
      {running && kind === "planned" && (
        <div class="actions">
          <StopButton
            what="the series"
            question="Stop the series and its trials?"
            stop={() => call("DELETE /api/series/:id", { id: series.series_id })}
          />
        </div>
      )}
      <nav class="actions" aria-label="More on this series">
        {kind === "results" ? (
          <a class="button" href={toResults()}>
            Compare another table
          </a>
        ) : (
          <a class="button" href={toSeriesList(series.scenarios[0]?.scenario, SHOWN_ROWS, [series.series_id])}>
            Compare with …
          </a>
        )}
        {isLong && toRows("", countOf(everyMember(series), memberWord(series.scenarios)))}
        <ShareWays report={seriesReport(series.series_id)} card={seriesPicture(series.series_id)} />
      </nav>
      {!isLong && rows}
      {series.scenarios.length > 1 && (
        <WhatFailedTable series={series} members={members} toAll={isLong ? toRows : null} />
      )}
      <Groups series={series} by={by} group={group} />
      <PagePart title="Evidence">
        <div class="evidence-parts">
          <EvidenceChart series={{ ...series, scenarios: members.scenarios, trials: members.trials }} />
          <div>
            {outlookWords(series).map((words, index) => (
              <p key={index}>
                <Say words={words} />
              </p>
            ))}
          </div>
        </div>
      </PagePart>
      <PagePart title="Both arms">
        <ArmsTable series={series} />
      </PagePart>
      <CheckRates arms={series.arms} scenarios={members.scenarios} />
      {kind !== "results" && (
        <section data-stop tabIndex={-1}>
          <h2>Judge and cost</h2>
          <JudgeCosts series={series} />
        </section>
      )}
      {!running && limits && (
        <section data-stop tabIndex={-1}>
          <h2>Continue</h2>
          <GoOnForm series={series} limits={limits} />
        </section>
      )}
      <details class="fold">
        <summary>Plan and limits</summary>
        <Plan series={series} />
      </details>
      {isLong && rows}
    </Page>
  );
}

/** Where the trials stand on the page. */
const ROWS = "rows";

function headOf(series: Series): string {
  if (series.scenarios.length <= 1) return "Trials";
  return memberWord(series.scenarios) === "row" ? "Row by row" : "Scenario by scenario";
}

/** Scenarios named in the line above the title. */
const NAMED = 3;

function Overline({ series }: { series: Series }) {
  const { kind, scenarios, state, created_at, series_id } = series;
  const more = everyMember(series) - NAMED;
  return (
    <p class="overline">
      <a href={toSeriesList()}>{SERIES_KINDS[kind]}</a>
      {scenarios.slice(0, NAMED).map(({ scenario, input }) => (
        <span key={memberName({ scenario, input })}>
          {" · "}
          <ScenarioLink series={series} member={{ scenario, input }} />
        </span>
      ))}
      {more > 0 && ` and ${count(more)} more`} · {words(state)}
      {created_at && ` · ${when(created_at)}`}
      <span class="session-id" title={series_id}>
        {" "}
        {idText(series_id)}
      </span>
    </p>
  );
}
