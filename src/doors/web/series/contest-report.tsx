import type { ComponentChildren } from "preact";
import type { Contest } from "../../../domain/contest.ts";
import { type ArmBar, armBars, pairMatrix } from "../../../domain/contest-bars.ts";
import { signedPoints } from "../../../domain/points-text.ts";
import { wordsText } from "../../../domain/words.ts";
import { contestLines, contestTable, contestTitle, RANKS_TEXT } from "../../../statistics/contest-words.ts";
import { call, seriesPicture, seriesReport } from "../api.ts";
import { idText, when, words } from "../format.ts";
import { CaveatLine } from "../part/caveats.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { StopButton } from "../part/stop-button.tsx";
import { DataTable } from "../part/table.tsx";
import { toSeriesList } from "../routes.ts";
import { ShareWays } from "../share/share.tsx";
import { ContestCases } from "./contest-cases.tsx";
import { AnswerLines } from "./headline.tsx";
import { RangeBar } from "./range-bar.tsx";

/** What the trials of more than two arms say: the answer, every arm on one axis, each pair, and what was left row by row. */
export function ContestReport({ contest }: { contest: Contest }) {
  const { series_id, flags, state, contest: standing } = contest;
  const { first, lines } = contestLines(contest);
  return (
    <Page title={wordsText(first)} heading={<Say words={first} />} above={<Overline contest={contest} />}>
      <CaveatLine flags={flags} />
      <AnswerLines lines={lines} />
      {state === "running" && (
        <div class="actions">
          <StopButton
            what="the contest"
            question="Stop the contest and its trials?"
            stop={() => call("DELETE /api/series/:id", { id: series_id })}
          />
        </div>
      )}
      <nav class="actions" aria-label="More on this contest">
        <ShareWays report={seriesReport(series_id)} card={seriesPicture(series_id)} />
      </nav>
      <PagePart title="Arms">
        <Arms contest={contest} />
        <p class="small-print">{RANKS_TEXT}</p>
      </PagePart>
      {standing.control === null && (
        <PagePart title="Each against each">
          <Pairs contest={contest} />
        </PagePart>
      )}
      <ContestCases contest={contest} />
    </Page>
  );
}

const Overline = ({ contest }: { contest: Contest }) => (
  <p class="overline">
    <a href={toSeriesList()}>contest</a> · {contestTitle(contest)} · {words(contest.state)}
    {contest.created_at && ` · ${when(contest.created_at)}`}
    <span class="session-id" title={contest.series_id}>
      {" "}
      {idText(contest.series_id)}
    </span>
  </p>
);

/** The table of the arms, in which each also stands on one axis of points. */
function Arms({ contest }: { contest: Contest }) {
  const { head, rows } = contestTable(contest);
  const { ends, bars } = armBars(contest);
  const [arm, ...heads] = head;
  return (
    <DataTable label="Arms" kind="contest" heads={[arm, <Axis key="axis" ends={ends} />, ...heads]}>
      {rows.map(([name, ...cells], place) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td class="range-cell">{bars[place] && <PointsBar bar={bars[place]} />}</td>
          {cells.map((cell, index) => (
            <td key={heads[index]}>{cell}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

const Axis = ({ ends }: { ends: number }) => (
  <span class="range-axis">
    <span>-{ends}</span>
    <span>0</span>
    <span>+{ends} points</span>
  </span>
);

/** The figures stand beside it. */
function PointsBar({ bar: { at, range } }: { bar: ArmBar }) {
  const [low, high] = range ?? [at ?? 0, at ?? 0];
  return <RangeBar win_rate={at} low={low} high={high} />;
}

/** What each arm is ahead of each other one by. */
function Pairs({ contest }: { contest: Contest }) {
  const { arms } = contest.contest;
  const heads: ComponentChildren[] = ["points of … against", ...arms.map(({ arm_id }) => arm_id)];
  return (
    <DataTable label="Each against each" kind="contest matrix" heads={heads}>
      {pairMatrix(contest).map((cells, place) => (
        <tr key={arms[place]?.arm_id}>
          <th scope="row">{arms[place]?.arm_id}</th>
          {cells.map(({ points, range, claim }, other) => (
            <td key={arms[other]?.arm_id} class={claim ?? undefined}>
              {points === null ? (place === other ? "" : "–") : signedPoints(points)}
              {range && (
                <span class="small-print">
                  {signedPoints(range[0])} to {signedPoints(range[1])}
                </span>
              )}
              {claim && <b>{claim}</b>}
            </td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}
