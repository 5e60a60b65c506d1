import { judgesNamed } from "../../../domain/model-name.ts";
import type { Verdict } from "../../../domain/verdict.ts";

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
