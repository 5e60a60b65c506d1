import { useSignal } from "@preact/signals";
import type { Cell, GridRow } from "../../../domain/cell.ts";
import type { Contest } from "../../../domain/contest.ts";
import { cellInShort, questionLines, rowWords, shownTitle, workText } from "../../../domain/grid-words.ts";
import { memberName, memberWord } from "../../../domain/member.ts";
import { call } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { PagePart } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { toSession } from "../routes.ts";
import { SHOWN_ROWS } from "../rows.ts";

/** Most rows that the server gives at once. */
const MOST = 500;

/** What every arm left, row by row: those first in which they differ. */
export function ContestCases({ contest: { series_id, rounds, contest } }: { contest: Contest }) {
  const shown = useSignal(SHOWN_ROWS);
  const arms = contest.arms.map(({ arm_id }) => arm_id);
  const read = useLoaded(
    `cases of ${series_id}`,
    (signal) => call("GET /api/series/:id/members", { id: series_id, order: "differs", limit: shown.peek() }, signal),
    // Read again when a round is complete.
    { extent: rounds * MOST + shown.value },
  );
  return (
    <Show of={read} what="what the arms left">
      {({ rows, total }) => (
        <PagePart title={shownTitle(rows.length, total, memberWord(rows))}>
          <DataTable label="What the arms left" kind="contest cases" heads={[memberWord(rows), ...arms]}>
            {rows.map((row) => (
              <Case key={memberName(row)} row={row} arms={arms} isOneOfMany={rounds > 1} />
            ))}
          </DataTable>
          {rows.length < Math.min(total, MOST) && (
            <button type="button" onClick={() => (shown.value = Math.min(MOST, shown.value + SHOWN_ROWS))}>
              Show more
            </button>
          )}
        </PagePart>
      )}
    </Show>
  );
}

interface CaseProps {
  readonly row: GridRow;
  readonly arms: readonly string[];
  /** There are other rounds than the one that is shown. */
  readonly isOneOfMany: boolean;
}

const Case = ({ row, arms, isOneOfMany }: CaseProps) => (
  <tr>
    <th scope="row">
      {memberName(row)}
      <span class="small-print">
        {isOneOfMany && <Say words={rowWords(row, null)} />}
        {questionLines(row).map((line, place) => (
          <span key={place} class="asked">
            {line}
          </span>
        ))}
      </span>
    </th>
    {arms.map((arm) => (
      <td key={arm}>
        <Left cell={row.cells.find(({ arm_id }) => arm_id === arm)} />
      </td>
    ))}
  </tr>
);

function Left({ cell }: { cell: Cell | undefined }) {
  if (cell === undefined) return <>–</>;
  const text = workText(cell);
  const told = cellInShort(cell);
  return (
    <>
      {cell.session_id === undefined ? told : <a href={toSession(cell.session_id)}>{told}</a>}
      {text !== null && <span class="left-text">{text}</span>}
    </>
  );
}
