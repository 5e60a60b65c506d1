import { memberName } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { FAILED_ROWS, failedShown } from "../../../statistics/what-failed.ts";
import { count } from "../format.ts";
import { ARM_SIDES } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import { toSession } from "../routes.ts";
import { armHeads } from "./arms-table.tsx";
import type { Members } from "./members.ts";

/** What failed in the rows of a series, by check and by reason. Nothing where nothing did. */
export function WhatFailedTable({
  series: { arms, imported },
  members: { failed, trials },
}: {
  series: Series;
  members: Members;
}) {
  if (failed.length === 0) return null;
  const newest = new Map(trials.map((trial) => [memberName(trial), trial.session_id]));
  return (
    <section data-stop tabIndex={-1}>
      <h2>What failed</h2>
      <DataTable
        label={`What failed, in how many ${imported ? "scenarios" : "rows"}`}
        kind="rows what-failed"
        heads={["Check or reason", imported ? "Scenarios" : "Rows", ...armHeads(arms), "Among them"]}
      >
        {failed.slice(0, FAILED_ROWS).map(({ what, is_check, by_arm, rows }) => (
          <tr key={`${is_check} ${what}`}>
            <th scope="row">{is_check ? <code>{what}</code> : what}</th>
            <td class="number">{count(rows.length)}</td>
            {ARM_SIDES.map((side) => (
              <td key={side} class="number">
                {by_arm ? count(by_arm[side]) : "–"}
              </td>
            ))}
            <td>
              <Shown rows={rows} newest={newest} />
            </td>
          </tr>
        ))}
      </DataTable>
      {failed.length > FAILED_ROWS && <p class="small-print">and {count(failed.length - FAILED_ROWS)} more</p>}
    </section>
  );
}

interface ShownProps {
  readonly rows: Members["failed"][number]["rows"];
  /** The newest session of each row; imported results have none. */
  readonly newest: ReadonlyMap<string, string | undefined>;
}

function Shown({ rows, newest }: ShownProps) {
  const { named, more } = failedShown(rows);
  return (
    <>
      {named.map((row, index) => {
        const session_id = newest.get(row);
        return (
          <span key={row}>
            {index > 0 && ", "}
            {session_id === undefined ? <bdi>{row}</bdi> : <a href={toSession(session_id)}>{row}</a>}
          </span>
        );
      })}
      {more}
    </>
  );
}
