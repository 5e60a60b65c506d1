import { DECIDER_TEXTS } from "../../../domain/verdict-text.ts";
import { duration, named, usd } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";
import { JudgeName } from "./judge-name.tsx";
import { ConfidenceName } from "./outcome.tsx";
import { goesBy } from "./sum-text.ts";

/** How the verdict came about and how sure it is, in one row. */
export function AtAGlance({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const { confidence, decided_by, lean_side, usage, calls } = verdict;
  const by = goesBy(verdict);
  return (
    <dl class="glance">
      <div>
        <dt>Decided by</dt>
        <dd>{named(DECIDER_TEXTS, decided_by)}</dd>
      </div>
      {lean_side && (
        <div>
          <dt>Leans to</dt>
          <dd>
            <ArmName side={lean_side} name={lean_side === "a" ? a.name : b.name} />
            {by !== null && <span class="aside"> by {by}</span>}
          </dd>
        </div>
      )}
      <div>
        <dt>Confidence</dt>
        <dd>
          <ConfidenceName confidence={confidence} />
        </dd>
      </div>
      <div>
        <dt>Judge</dt>
        <dd>
          <JudgeName verdict={verdict} />
        </dd>
      </div>
      {calls.length > 0 && (
        <div>
          <dt>Judging took</dt>
          <dd>
            {duration(usage.latency_ms)}, {usage.cost_usd === null ? "cost unknown" : usd(usage.cost_usd)}
          </dd>
        </div>
      )}
    </dl>
  );
}
