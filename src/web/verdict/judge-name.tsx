import type { Verdict } from "../../domain/verdict.ts";

/** Who judged; or that no model was asked, whichever was meant to be. */
export function JudgeName({ verdict: { judge, calls } }: { verdict: Pick<Verdict, "judge" | "calls"> }) {
  if (calls.length === 0)
    return (
      <>
        no model was asked <code class="aside">{judge.model}</code>
      </>
    );
  return (
    <>
      <code>{judge.model}</code>
      {judge.members && <span class="aside"> a panel of {judge.members.length}</span>}
    </>
  );
}
