import type { Verdict } from "../../domain/verdict.ts";
import { when } from "../format.ts";
import { Part } from "../part/page.tsx";
import { Table } from "../part/table.tsx";
import { toSession } from "../routes.ts";
import type { Comparison } from "./comparison.ts";
import { ConfidenceName, OutcomeName } from "./outcome.tsx";

/** Every verdict on the same pair of arms. */
export function History({ comparison: { history, verdict, a } }: { comparison: Comparison }) {
  if (history.length < 2) return null;
  return (
    <Part title="Every verdict on these two runs">
      <VerdictTable verdicts={history} session_id={a.session.session_id} current={verdict.verdict_id} />
    </Part>
  );
}

interface VerdictTableProps {
  readonly verdicts: readonly Verdict[];
  /** A session that holds all of them. */
  readonly session_id: string;
  readonly current?: string;
}

export function VerdictTable({ verdicts, session_id, current }: VerdictTableProps) {
  return (
    <Table label="Verdicts" kind="rows" heads={["Judged", "Judge", "Outcome", "Confidence"]}>
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
            <code>{each.judge.model}</code>
          </td>
          <td>
            <OutcomeName outcome={each.outcome} side={each.winner_side} name={each.winner} />
          </td>
          <td>
            <ConfidenceName confidence={each.confidence} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
