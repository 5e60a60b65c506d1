import { duration } from "../format.ts";
import { ArmMark } from "../part/arm-name.tsx";
import type { TimeAxis } from "./time-axis.ts";

/** The whole run at a glance: how long each step of either arm took, on one scale. The rows below say the same in words. */
export function Overview({ axis, span_ms }: { axis: TimeAxis; span_ms: number }) {
  const part = (ms: number) => `${(100 * ms) / span_ms}%`;
  return (
    <div class="overview" aria-hidden="true">
      {(["a", "b"] as const).map((side) => (
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
