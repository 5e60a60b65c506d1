import { ArmName } from "../part/arm-name.tsx";
import { citedRef, useCitedTarget } from "./cited.ts";
import type { Contestant } from "./contestant.ts";

/** What each arm says that it did: a claim, not evidence. */
export function Answers({ contestants }: { contestants: readonly Contestant[] }) {
  return (
    <div class="columns">
      {contestants.map((contestant) => (
        <Answer key={contestant.side} contestant={contestant} />
      ))}
    </div>
  );
}

function Answer({ contestant: { side, name, arm } }: { contestant: Contestant }) {
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
