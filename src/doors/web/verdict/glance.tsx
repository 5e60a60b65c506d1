import { judgesNamed } from "../../../domain/model-name.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { DECIDER_TEXTS } from "../../../domain/verdict-text.ts";
import { duration, named, usd } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Entry } from "../part/page.tsx";
import type { Comparison } from "./comparison.ts";
import { ConfidenceName } from "./outcome.tsx";
import { goesBy } from "./sum-text.ts";

/** How the verdict came about and how sure it is, in one row. */
export function AtAGlance({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const { confidence, decided_by, lean_side, usage, calls } = verdict;
  const by = goesBy(verdict);
  return (
    <dl class="glance">
      <Entry name="Decided by">{named(DECIDER_TEXTS, decided_by)}</Entry>
      {lean_side && (
        <Entry name="Leans to">
          <ArmName side={lean_side} name={lean_side === "a" ? a.name : b.name} />
          {by !== null && <span class="aside"> by {by}</span>}
        </Entry>
      )}
      <Entry name="How firm">
        <ConfidenceName confidence={confidence} />
      </Entry>
      <Entry name="Judge">
        <JudgeName verdict={verdict} />
      </Entry>
      {calls.length > 0 && (
        <Entry name="Judging took">
          {duration(usage.latency_ms)}, {usage.cost_usd === null ? "cost unknown" : usd(usage.cost_usd)}
        </Entry>
      )}
    </dl>
  );
}

/** Who judged; or that no model was asked, whichever was meant to be. */
export function JudgeName({ verdict: { judge, calls } }: { verdict: Pick<Verdict, "judge" | "calls"> }) {
  if (calls.length === 0)
    return (
      <>
        no model was asked <code class="aside">{judge.model}</code>
      </>
    );
  return <JudgeModel name={judge.model} />;
}

/** A judge by its model, a panel by its size; who sits on it shows on pointing. */
function JudgeModel({ name }: { name: string }) {
  const judges = judgesNamed(name);
  if (judges.length === 1) return <code>{name}</code>;
  return <span title={judges.join(", ")}>panel of {judges.length}</span>;
}
