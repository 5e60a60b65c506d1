import type { SeriesListing } from "../../../domain/series-listing.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { kindOf, legendOf, TRIAL_MARKS } from "../../../statistics/trial-kind.ts";
import { getSeries } from "../api.ts";
import { countOf } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Ago } from "../part/ago.tsx";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { CaveatChips } from "../part/caveats.tsx";
import { blind } from "../preferences.ts";
import { toScenario, toSeries, toSession } from "../routes.ts";
import { ListedAnswer, ListedRange } from "../series/listed-answer.tsx";
import { ConfidenceName, outcomeText } from "../verdict/outcome.tsx";
import type { NewestComparison } from "./overview.ts";

/** One comparison in a sentence, with what it rests on. */
export function ComparisonRow({ comparison }: { comparison: NewestComparison }) {
  return (
    <li data-stop tabIndex={-1}>
      {comparison.kind === "series" ? (
        <SeriesCells row={comparison.row} />
      ) : (
        <RunCells row={comparison.row} others={comparison.others} />
      )}
      <p class="aside newest-when">
        <Ago iso={comparison.row.created_at} />
      </p>
    </li>
  );
}

const Hidden = () => <span class="aside">hidden (blind mode)</span>;

/** A name may tell a blind reader which arm is the new one. */
function Against({ names }: { names: readonly string[] }) {
  if (blind.value) return null;
  return names.map((name, index) => (
    <span key={name}>
      {index === 0 ? " · " : " against "}
      <ArmName side={ARM_SIDES[index] ?? "b"} name={name} />
    </span>
  ));
}

function SeriesCells({ row }: { row: SeriesListing }) {
  const { series_id, scenarios, arms, standing } = row;
  const [a = "a", b = "b"] = arms;
  return (
    <>
      <div>
        <p class="newest-finding">
          <a class="plain" href={toSeries(series_id)}>
            {blind.value ? <Hidden /> : <ListedAnswer row={row} />}
          </a>{" "}
          {!blind.value && <CaveatChips flags={standing.flags} named={standing.undecided_by} />}
        </p>
        <p class="aside">
          {scenarios[0]}
          {scenarios.length > 1 && ` and ${scenarios.length - 1} more`}
          <Against names={[a, b]} />
        </p>
      </div>
      {!blind.value && (
        <div class="newest-range">
          <ListedRange row={row} />
          {standing.counted > 0 && <span class="aside">{countOf(standing.counted, "trial")}</span>}
          <Dots series_id={series_id} arms={{ a, b }} />
        </div>
      )}
    </>
  );
}

/** Dots drawn at most: the latest trials. */
const DOTS = 30;

function Dots({ series_id, arms }: { series_id: string; arms: Readonly<Record<"a" | "b", string>> }) {
  const series = useLoaded(`dots of ${series_id}`, (signal) => getSeries(series_id, signal));
  if (series.value.state !== "ready") return <span class="dots" />;
  const trials = series.value.value.trials.slice(-DOTS);
  const told = legendOf(trials, arms).map(({ text }) => text);
  return (
    <span class="dots" title={told.join(", ")}>
      <span class="hidden-text">Latest trials: {told.join(", ")}</span>
      {trials.map((trial) => (
        <span key={trial.session_id} class={`trial trial-${kindOf(trial)}`} aria-hidden="true">
          {TRIAL_MARKS[kindOf(trial)]}
        </span>
      ))}
    </span>
  );
}

function RunCells({ row, others }: { row: SessionListing; others: number }) {
  const { session_id, scenario, title = scenario, arms, winner, outcome, confidence, flags, conflict } = row;
  const side = ARM_SIDES[arms.findIndex(({ arm_id }) => arm_id === winner)];
  return (
    <>
      <div>
        <p class="newest-finding">
          <a class="plain" href={toSession(session_id)}>
            {blind.value ? (
              <Hidden />
            ) : side && winner ? (
              <span class={`preferred side-${side}`}>
                <ArmName side={side} name={winner} /> won
              </span>
            ) : (
              <span class="outcome">{outcomeText(outcome ?? "No verdict")}</span>
            )}
          </a>{" "}
          {!blind.value && <CaveatChips flags={flags} conflict={conflict} />}
        </p>
        <p class="aside">
          {title}
          <Against names={arms.map(({ arm_id }) => arm_id)} />
        </p>
      </div>
      <div class="newest-range">
        {!blind.value && confidence && confidence !== "none" && <ConfidenceName confidence={confidence} />}
        <span class="aside">
          A single run. <a href={toScenario(scenario)}>Run it many times</a>
          {others > 0 && `; ${countOf(others, "other single run")}`}
        </span>
      </div>
    </>
  );
}
