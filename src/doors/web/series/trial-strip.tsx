import { useSignal } from "@preact/signals";
import type { Series } from "../../../domain/series.ts";
import type { SeriesTrial } from "../../../domain/series-trial.ts";
import type { Side } from "../../../domain/verdict.ts";
import { kindOf, legendOf, TRIAL_MARKS } from "../../../statistics/trial-kind.ts";
import { countOf } from "../format.ts";
import { stepInRow } from "../part/step-in-row.ts";
import { toSession } from "../routes.ts";
import { trialSentence } from "./trial-text.ts";

/** Cells drawn at most; a larger series shows its latest. */
export const DRAWN = 2_000;

interface TrialStripProps {
  readonly series: Series;
  /** Sessions that the reader came from. */
  readonly current?: readonly string[];
}

/** Every trial of one scenario as a cell that leads to its session, in the order of creation. */
export function TrialStrip({ series, current = [] }: TrialStripProps) {
  const { trials, scenarios, levels } = series;
  const told = useSignal<string | null>(null);
  const arms = { a: series.arms.a.arm_id, b: series.arms.b.arm_id };
  const drawn = trials.slice(-DRAWN);
  return (
    <>
      <ScenarioStrip
        scenario={scenarios[0]?.scenario ?? ""}
        trials={drawn}
        text={(trial) => trialSentence(trial, arms, levels.alpha)}
        tell={(trial) => (told.value = trial)}
        current={current}
      />
      <p class="small-print strip-told" aria-hidden="true">
        {told.value ?? pointText(series)}
      </p>
      <Legend trials={trials} arms={arms} />
      {drawn.length < trials.length && (
        <p class="small-print">
          The latest {countOf(drawn.length, "trial")} of {trials.length}.
        </p>
      )}
    </>
  );
}

/** What to do with the cells. Imported results have no sessions. */
export const pointText = ({ kind }: Series) =>
  kind === "results" ? "Point at a trial to read it." : "Point at a trial to read it; each leads to its session.";

interface StripProps {
  readonly scenario: string;
  readonly trials: readonly SeriesTrial[];
  readonly text: (trial: SeriesTrial) => string;
  readonly tell: (text: string | null) => void;
  readonly current: readonly string[];
}

/** One stop of the Tab key; the arrows go from trial to trial. */
export function ScenarioStrip({ scenario, trials, text, tell, current }: StripProps) {
  const at = useSignal(0);
  return (
    <ol class="strip" aria-label={`Trials of ${scenario}`}>
      {trials.map((trial, index) => {
        const told = text(trial);
        const { session_id } = trial;
        const cell = {
          class: `trial trial-${kindOf(trial)}`,
          title: told,
          "aria-label": told,
          tabIndex: index === Math.min(at.value, trials.length - 1) ? 0 : -1,
          onFocus: () => {
            at.value = index;
            tell(told);
          },
          onPointerEnter: () => tell(told),
          onKeyDown: stepInRow,
        };
        return (
          <li key={session_id ?? `${trial.scenario} ${trial.trial}`}>
            {session_id === undefined ? (
              <span role="img" {...cell}>
                {TRIAL_MARKS[kindOf(trial)]}
              </span>
            ) : (
              <a
                href={toSession(session_id)}
                aria-current={current.includes(session_id) ? "true" : undefined}
                {...cell}
              >
                {TRIAL_MARKS[kindOf(trial)]}
              </a>
            )}
          </li>
        );
      })}
    </ol>
  );
}

export const Legend = ({ trials, arms }: { trials: readonly SeriesTrial[]; arms: Readonly<Record<Side, string>> }) => (
  <ul class="legend" aria-label="What the trials gave">
    {legendOf(trials, arms).map(({ kind, text }) => (
      <li key={kind}>
        <span class={`trial trial-${kind}`} aria-hidden="true">
          {TRIAL_MARKS[kind]}
        </span>
        {text}
      </li>
    ))}
  </ul>
);
