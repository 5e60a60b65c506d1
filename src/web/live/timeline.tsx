import { type Signal, useSignal } from "@preact/signals";
import type { DecisionKind } from "../../domain/decision.ts";
import { ALL_KINDS, KINDS } from "../evidence/decision-kinds.ts";
import { DecisionRow } from "../evidence/decision-row.tsx";
import { duration } from "../format.ts";
import { ArmMark, SIDES } from "../part/arm-name.tsx";
import type { Step, TimeAxis } from "./time-axis.ts";

/** One row for each decision of both arms, in order of time. */
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

interface KindFilterProps {
  readonly steps: readonly Step[];
  readonly hidden: Signal<ReadonlySet<DecisionKind>>;
}

/** A checkbox for each kind of decision that has occurred. */
function KindFilter({ steps, hidden }: KindFilterProps) {
  const counts = new Map<DecisionKind, number>();
  for (const { decision } of steps) counts.set(decision.kind, (counts.get(decision.kind) ?? 0) + 1);
  const toggle = (kind: DecisionKind) => {
    const next = new Set(hidden.value);
    if (!next.delete(kind)) next.add(kind);
    hidden.value = next;
  };
  return (
    <fieldset class="kinds">
      <legend class="hidden-text">Kinds of decision to show</legend>
      {ALL_KINDS.filter((kind) => counts.has(kind)).map((kind) => (
        <label key={kind} class={`kind-choice kind-${kind}`}>
          <input type="checkbox" data-filter checked={!hidden.value.has(kind)} onChange={() => toggle(kind)} />
          <span>
            <span aria-hidden="true">{KINDS[kind].shape}</span> {KINDS[kind].name}{" "}
            <span class="quantity">{counts.get(kind)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Every step of both arms on one scale of time. It is hidden from screen readers: the rows below say the same. */
export function Overview({ axis, span_ms }: { axis: TimeAxis; span_ms: number }) {
  const part = (ms: number) => `${(100 * ms) / span_ms}%`;
  return (
    <div class="overview" aria-hidden="true">
      {SIDES.map((side) => (
        <div key={side} class={`overview-lane side-${side}`}>
          <ArmMark side={side} />
          <div class="overview-track">
            {axis.steps
              .filter((step) => step.side === side)
              .map(({ decision, start_ms, end_ms }) => (
                <span
                  key={decision.seq}
                  class={`overview-step kind-${decision.kind}`}
                  style={{ left: part(start_ms), width: part(end_ms - start_ms) }}
                />
              ))}
          </div>
        </div>
      ))}
      <div class="overview-scale">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share}>{duration(share * span_ms)}</span>
        ))}
      </div>
    </div>
  );
}
