import { isBuiltin } from "../../domain/offline-model.ts";
import type { ArmStatus, SessionListing } from "../../domain/session.ts";
import { isFinal } from "../../domain/session-state.ts";
import { when, words } from "../format.ts";
import { ArmName, SIDES } from "../part/arm-name.tsx";
import { blind } from "../preferences.ts";
import { toSeries, toSession } from "../routes.ts";
import { ConfidenceName, OutcomeName } from "../verdict/outcome.tsx";
import { isPicked, obstacle, toggle } from "./picked.ts";

/** Only arms that ended so have evidence that can be judged. */
const WITH_EVIDENCE: ReadonlySet<ArmStatus> = new Set(["finished", "limit_reached", "disqualified"]);

export function SessionRow({ row }: { row: SessionListing }) {
  const { session_id, scenario, state, created_at } = row;
  return (
    <li class="session" data-stop tabIndex={-1}>
      <a class="session-link" href={toSession(session_id)}>
        <strong>{scenario}</strong>
        <time dateTime={created_at}>{when(created_at)}</time>
        <span class="session-id">{session_id}</span>
      </a>
      <div class="session-outcome">
        <SessionResult row={row} />
        {row.trial && (
          <span class="aside">
            trial {row.trial.trial} of a <a href={toSeries(row.trial.series_id)}>series</a>
          </span>
        )}
      </div>
      <ul class="session-arms" aria-label={`Arms of ${session_id}`}>
        {row.arms.map((arm, index) => (
          <PickableArm key={arm.arm_id} row={row} index={index} ready={isFinal(state)} />
        ))}
      </ul>
    </li>
  );
}

function SessionResult({ row: { outcome, winner, arms, state, confidence, judge_model } }: { row: SessionListing }) {
  if (outcome === null) return <span class={`state state-${state}`}>{words(state)}</span>;
  if (blind.value) return <span class="aside">verdict hidden (blind mode)</span>;
  const side = SIDES[arms.findIndex(({ arm_id }) => arm_id === winner)] ?? null;
  return (
    <>
      <OutcomeName outcome={outcome} side={side} name={winner} />{" "}
      {confidence && confidence !== "none" && <ConfidenceName confidence={confidence} />}
      {judge_model && (
        <span class="aside"> {isBuiltin(judge_model) ? "no model was asked" : `judge ${judge_model}`}</span>
      )}
    </>
  );
}

function PickableArm({ row, index, ready }: { row: SessionListing; index: number; ready: boolean }) {
  const arm = row.arms[index];
  if (!arm) return null;
  const side = SIDES[index] ?? "b";
  const pick = { pointer: { session_id: row.session_id, arm_id: arm.arm_id }, scenario: row.scenario };
  const why = ready && WITH_EVIDENCE.has(arm.status) ? obstacle(pick) : "it left nothing that could be judged";
  return (
    <li>
      <label class="pick" title={why ?? undefined}>
        <input
          type="checkbox"
          checked={isPicked(pick.pointer)}
          disabled={why !== null && !isPicked(pick.pointer)}
          onChange={() => toggle(pick)}
        />
        <span class="hidden-text">Pick </span>
        <ArmName side={side} name={blind.value ? `arm ${side}` : arm.arm_id} />
        {!blind.value && <code class="aside">{arm.model}</code>}
        {arm.status !== "finished" && <span class="aside">{words(arm.status)}</span>}
      </label>
    </li>
  );
}
