import type { SessionState } from "../../domain/session.ts";
import { words } from "../format.ts";
import { isFinal, STAGES } from "../session-state.ts";

/** Where the run is on its way. */
export function Stages({ state }: { state: SessionState }) {
  const unplanned = isFinal(state) && state !== "completed";
  const now = STAGES.indexOf(state);
  return (
    <ol class="stages" aria-label="Stages">
      {STAGES.map((stage, index) => (
        <li key={stage} class={index < now ? "stage-done" : ""} aria-current={stage === state ? "step" : undefined}>
          {words(stage)}
        </li>
      ))}
      {unplanned && <li aria-current="step">{words(state)}</li>}
    </ol>
  );
}
