import { useSignal } from "@preact/signals";
import type { DecisionKind } from "../../domain/decision.ts";
import { DecisionRow } from "../evidence/decision-row.tsx";
import { duration } from "../format.ts";
import { ArmMark } from "../part/arm-name.tsx";
import { KindFilter } from "./kind-filter.tsx";
import type { Step } from "./time-axis.ts";

/** One row per decision, both lanes along one axis of time. */
export function Timeline({ steps, running }: { steps: readonly Step[]; running: boolean }) {
  const hidden = useSignal<ReadonlySet<DecisionKind>>(new Set());
  const newestFirst = useSignal(running);
  const shown = steps.filter(({ decision }) => !hidden.value.has(decision.kind));
  const ordered = newestFirst.value ? shown.toReversed() : shown;
  return (
    <>
      <div class="timeline-tools">
        <KindFilter steps={steps} hidden={hidden} />
        <label class="check">
          <input
            type="checkbox"
            checked={newestFirst.value}
            onChange={(event) => (newestFirst.value = event.currentTarget.checked)}
          />
          Newest first
        </label>
      </div>
      {steps.length === 0 && <p class="empty">No decision yet.</p>}
      {steps.length > 0 && shown.length === 0 && <p class="empty">Every kind that occurred is hidden.</p>}
      <ol class="timeline">
        {ordered.map(({ side, decision, end_ms }) => (
          <li key={`${side}${decision.seq}`} class={`step side-${side}`} data-stop tabIndex={-1}>
            <span class="step-time">
              <ArmMark side={side} />
              <span class="hidden-text">Arm {side.toUpperCase()}, </span>
              {duration(end_ms)}
            </span>
            <DecisionRow side={side} decision={decision} />
          </li>
        ))}
      </ol>
    </>
  );
}
