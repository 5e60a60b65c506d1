import { useSignal } from "@preact/signals";
import { isBuiltin, judgesNamed } from "../../../domain/model-name.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { Side } from "../../../domain/verdict.ts";
import { listSessions } from "../api.ts";
import { countOf, score, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ARM_SIDES } from "../part/arm-name.tsx";
import { Show } from "../part/show.tsx";
import { stepInRow } from "../part/step-in-row.ts";
import { blind } from "../preferences.ts";
import { toSession, toSessions } from "../routes.ts";

/** A trend of so few sessions is drawn low: there is little to see. */
const FEW = 5;

/** Sessions drawn: what fits beside each other on a wide screen. */
const DRAWN = 60;

/** What became of a scenario's sessions: the scores of both arms, who won, and where the scenario's file changed. */
export function History({ scenario }: { scenario: string }) {
  const sessions = useLoaded(`history ${scenario}`, (signal) => listSessions({ scenario, limit: DRAWN }, signal), {
    changes: (rows) => rows.some(({ state }) => !isFinal(state)),
  });
  if (blind.value) return <p class="empty">Hidden in blind mode.</p>;
  return (
    <Show of={sessions} what="its sessions">
      {(rows) =>
        rows.length === 0 ? (
          <p class="empty">
            It has not been run yet. Each run becomes a column here with the scores of both arms, so that a change of
            the scenario, a model or a judge shows.
          </p>
        ) : (
          <Trends newestFirst={rows} />
        )
      }
    </Show>
  );
}

/** Scores by another judge, or of other models, are no trend: each has its own. */
function Trends({ newestFirst }: { newestFirst: readonly SessionListing[] }) {
  const [newest] = newestFirst;
  const areModelsAlike = newestFirst.every((row) => newest && modelsOf(row) === modelsOf(newest));
  const trends = Map.groupBy(newestFirst, (row) =>
    areModelsAlike ? judgeOf(row) : `${modelsOf(row)}, ${judgeOf(row)}`,
  );
  return (
    <>
      <p class="small-print history-legend">
        A column is a run, the oldest first; its height is the score, 0 to 1.
        {newest?.arms.map(({ arm_id }, index) => (
          <span key={arm_id}>
            {" "}
            <span class={`history-sample side-${ARM_SIDES[index] ?? "b"}`} aria-hidden="true" /> {arm_id}
          </span>
        ))}
        . A full mark won. A dashed line: the scenario's file changed.
        {newestFirst.some(hasNoScore) && " ✕: it ended without a verdict. ?: its verdict has no scores."}
        {trends.size > 1 && " Scores by another judge, or of other models, stand apart: they are no trend."}
        {newestFirst.length === DRAWN && newest && (
          <>
            {" "}
            The latest {countOf(DRAWN, "session")}; <a href={toSessions({ scenario: newest.scenario })}>all of them</a>.
          </>
        )}
      </p>
      {[...trends].map(([setUp, rows]) => (
        <div key={setUp} class="history-trend">
          {trends.size > 1 && <h3>{setUp}</h3>}
          <Columns newestFirst={rows} />
        </div>
      ))}
    </>
  );
}

const modelsOf = ({ arms }: SessionListing) => [...new Set(arms.map(({ model }) => model))].join(" against ");

const judgeOf = ({ judge_model }: SessionListing) =>
  judge_model === null || isBuiltin(judge_model)
    ? "no judge model: checks and measures alone"
    : `judged by ${judgesNamed(judge_model).join(", ")}`;

function Columns({ newestFirst }: { newestFirst: readonly SessionListing[] }) {
  const rows = newestFirst.toReversed();
  const at = useSignal(rows.length - 1);
  const told = useSignal<string | null>(null);
  const drifts = driftsIn(rows);
  return (
    <>
      <p>{wonText(rows)}</p>
      <div class={rows.length < FEW ? "history-plot history-few" : "history-plot"}>
        <p class="history-axis" aria-hidden="true">
          <span>1</span>
          <span>0.5</span>
          <span>0</span>
        </p>
        <ol class="history" aria-label="Sessions of this scenario, oldest first">
          {rows.map((row, index) => {
            const text = textOf(row, drifts[index] ?? false);
            const tell = () => (told.value = text);
            return (
              <li key={row.session_id} class={drifts[index] ? "drifted" : undefined}>
                <a
                  href={toSession(row.session_id)}
                  aria-label={text}
                  title={text}
                  tabIndex={index === Math.min(at.value, rows.length - 1) ? 0 : -1}
                  onFocus={() => {
                    at.value = index;
                    tell();
                  }}
                  onPointerEnter={tell}
                  onKeyDown={stepInRow}
                >
                  <Dots row={row} />
                </a>
              </li>
            );
          })}
        </ol>
      </div>
      <p class="small-print strip-told" aria-hidden="true">
        {told.value ?? "Point at a run to read it."}
      </p>
    </>
  );
}

const hasNoScore = ({ arms }: SessionListing) => arms.every(({ score: value = null }) => value === null);

/** Who won how often. Trials of a series are among them: what they show together stands there. */
function wonText(rows: readonly SessionListing[]): string {
  const judged = rows.filter(({ outcome }) => outcome !== null);
  if (judged.length === 0) return "None of these sessions has a verdict.";
  const won = Map.groupBy(judged, ({ winner }) => winner);
  const arms = [...new Set(judged.flatMap((row) => row.arms.map(({ arm_id }) => arm_id)))];
  const wins = arms.map((arm) => `${arm} won ${won.get(arm)?.length ?? 0}`).join(", ");
  const none = won.get(null)?.length ?? 0;
  const unjudged = rows.length - judged.length;
  return [
    `${countOf(judged.length, "session")} with a verdict: ${wins}${none > 0 ? `, ${none} without a winner` : ""}.`,
    ...(unjudged > 0 ? [`${countOf(unjudged, "session")} without.`] : []),
  ].join(" ");
}

/** Whether the file was another one when the same row of its inputs ran before. Each row has a digest of its own. */
function driftsIn(oldestFirst: readonly SessionListing[]): readonly boolean[] {
  const before = new Map<string | undefined, string>();
  return oldestFirst.map(({ input, scenario_digest }) => {
    if (scenario_digest === undefined) return false;
    const last = before.get(input);
    before.set(input, scenario_digest);
    return last !== undefined && last !== scenario_digest;
  });
}

const winnerOf = ({ arms, winner }: SessionListing): Side | null =>
  ARM_SIDES[arms.findIndex(({ arm_id }) => arm_id === winner)] ?? null;

/** A dot for each score; a mark at the foot where there is none. */
function Dots({ row }: { row: SessionListing }) {
  const winner = winnerOf(row);
  const scores = row.arms.map((arm) => arm.score ?? null);
  if (hasNoScore(row)) return <span class={`history-none state-${row.state}`}>{row.outcome === null ? "✕" : "?"}</span>;
  return (
    <>
      {scores.map((value, index) => {
        const side = ARM_SIDES[index] ?? "b";
        if (value === null) return null;
        return (
          <span
            key={side}
            class={`history-dot side-${side} ${winner === side ? "history-won" : ""}`}
            style={{ bottom: `${value * 100}%` }}
          />
        );
      })}
    </>
  );
}

function textOf(row: SessionListing, drifted: boolean): string {
  const result =
    row.outcome === null ? words(row.state) : row.winner === null ? words(row.outcome) : `${row.winner} won`;
  const scores = row.arms.map(({ arm_id, score: value = null }) => (value === null ? [] : `${arm_id} ${score(value)}`));
  return [when(row.created_at), result, ...scores.flat(), ...(drifted ? ["the scenario's file had changed"] : [])].join(
    ", ",
  );
}
