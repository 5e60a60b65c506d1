import { counted } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { cited } from "./cited.ts";
import type { Contestant } from "./contestant.ts";
import { DecisionRow } from "./decision-row.tsx";

/** What each arm did, step by step. Closed until the reader opens it or follows a citation into it. */
export function DecisionLogs({ contestants }: { contestants: readonly Contestant[] }) {
  const total = contestants.reduce((sum, { decisions }) => sum + decisions.length, 0);
  const open = cited.value?.kind === "decision";
  return (
    <details class="fold" open={open || undefined}>
      <summary>{counted(total, "decision")} in all</summary>
      <div class="columns">
        {contestants.map(({ side, name, decisions }) => (
          <div key={side}>
            <h3>
              <ArmName side={side} name={name} /> <span class="aside">{counted(decisions.length, "decision")}</span>
            </h3>
            {decisions.map((decision) => (
              <DecisionRow key={decision.seq} side={side} decision={decision} />
            ))}
          </div>
        ))}
      </div>
    </details>
  );
}
