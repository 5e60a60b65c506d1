import { countOf } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { cited } from "./cited.ts";
import type { ShownArm } from "./shown-arm.ts";
import { StepList } from "./step-list.tsx";

/** What each arm did, step by step. Closed until the reader opens it or follows a citation. */
export function DecisionLogs({ arms }: { arms: readonly ShownArm[] }) {
  const total = arms.reduce((sum, { decisions }) => sum + decisions.length, 0);
  if (total === 0) return <p class="empty">Neither arm had begun.</p>;
  const open = cited.value?.kind === "decision";
  return (
    <details class="fold" open={open || undefined}>
      <summary>{countOf(total, "decision")} in all</summary>
      <div class="columns">
        {arms.map(({ side, name, decisions }) => (
          <div key={side}>
            <h3>
              <ArmName side={side} name={name} /> <span class="aside">{countOf(decisions.length, "decision")}</span>
            </h3>
            <StepList side={side} steps={decisions.map((decision) => ({ decision }))} />
          </div>
        ))}
      </div>
    </details>
  );
}
