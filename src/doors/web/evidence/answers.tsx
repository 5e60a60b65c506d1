import { ArmName } from "../part/arm-name.tsx";
import { citedRef, useCitedTarget } from "./cited.ts";
import type { ShownArm } from "./shown-arm.ts";

/** The final answers of the arms. They are claims, not evidence. */
export function Answers({ arms }: { arms: readonly ShownArm[] }) {
  return (
    <div class="columns">
      {arms.map((shown) => (
        <Answer key={shown.side} shown={shown} />
      ))}
    </div>
  );
}

function Answer({ shown: { side, name, arm } }: { shown: ShownArm }) {
  const isCited = citedRef(side, "answer") !== null;
  const target = useCitedTarget<HTMLDivElement>(isCited);
  return (
    <div class={`answer side-${side}`} ref={target} tabIndex={-1} data-cited={isCited || undefined}>
      <h3>
        <ArmName side={side} name={name} />
      </h3>
      {arm.final_answer ? <p class="arm-text">{arm.final_answer}</p> : <p class="empty">It gave no final answer.</p>}
    </div>
  );
}
