import type { Verdict } from "../../../domain/verdict.ts";
import { when } from "../format.ts";
import { DataTable } from "../part/table.tsx";
import { toSession } from "../routes.ts";
import type { Comparison } from "./comparison.ts";
import { JudgeName } from "./glance.tsx";
import { ConfidenceName, OutcomeName } from "./outcome.tsx";

/** Every verdict on the same pair of arms. */
export function VerdictHistory({ comparison: { history, verdict, a } }: { comparison: Comparison }) {
  return <VerdictTable verdicts={history} session_id={a.session.session_id} current={verdict.verdict_id} />;
}

/** `Of 3 verdicts on these runs 2 name move-only, 1 none.` */
export function historyText(verdicts: readonly Verdict[]): string {
  const named = Map.groupBy(verdicts, ({ winner }) => winner ?? "none");
  const parts = [...named].map(([winner, of]) => `${of.length} ${of.length === 1 ? "names" : "name"} ${winner}`);
  return `Of ${verdicts.length} verdicts on these runs ${parts.join(", ")}.`;
}

interface VerdictTableProps {
  readonly verdicts: readonly Verdict[];
  /** A session that holds all of them. */
  readonly session_id: string;
  readonly current?: string;
}

export function VerdictTable({ verdicts, session_id, current }: VerdictTableProps) {
  return (
    <DataTable label="Verdicts" kind="rows folded" heads={["Judged", "Judge", "Outcome", "Confidence"]}>
      {verdicts.map((each) => (
        <tr key={each.verdict_id}>
          <td>
            <a
              href={toSession(session_id, each.verdict_id)}
              aria-current={each.verdict_id === current ? "true" : undefined}
            >
              {when(each.created_at)}
            </a>
            {each.verdict_id === current && <span class="aside"> shown here</span>}
          </td>
          <td>
            <JudgeName verdict={each} />
          </td>
          <td>
            <OutcomeName outcome={each.outcome} side={each.winner_side} name={each.winner} />
          </td>
          <td>
            <ConfidenceName confidence={each.confidence} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
