import { Fragment } from "preact";
import { ArmName } from "../part/arm-name.tsx";
import { citedRef, isLit, useCitedTarget } from "./cited.ts";
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
  const answers = arm.answers ?? (arm.final_answer ? [arm.final_answer] : []);
  return (
    <div
      class={`answer side-${side}`}
      ref={target}
      tabIndex={-1}
      data-cited={isCited || undefined}
      data-lit={isLit({ side, kind: "answer", ref: "final" }) || undefined}
    >
      <h3>
        <ArmName side={side} name={name} />
      </h3>
      {answers.length === 0 && <p class="empty">It gave no final answer.</p>}
      {answers.map((text, index) => (
        <Fragment key={index}>
          {answers.length > 1 && <h4>{index === 0 ? "To the task" : `To follow-up ${index}`}</h4>}
          <p class="arm-text">{text}</p>
        </Fragment>
      ))}
    </div>
  );
}
