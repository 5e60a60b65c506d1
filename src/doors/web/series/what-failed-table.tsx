import type { ComponentChildren } from "preact";
import { memberName, memberWord } from "../../../domain/member.ts";
import type { Series } from "../../../domain/series.ts";
import { FAILED_ROWS, failedShown } from "../../../statistics/what-failed.ts";
import { count } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { PagePart } from "../part/page.tsx";
import { DataTable } from "../part/table.tsx";
import { toSession } from "../routes.ts";
import type { Members } from "./members.ts";

interface WhatFailedProps {
  readonly series: Series;
  readonly members: Members;
  /** A link to all rows in which this failed; null where no table can show them. */
  readonly toAll: ((what: string, text: string) => ComponentChildren) | null;
}

/** What failed in the rows of a series, by check and by reason. Nothing where nothing did. */
export function WhatFailedTable({ series, members: { failed, trials }, toAll }: WhatFailedProps) {
  if (failed.length === 0) return null;
  const newest = new Map(trials.map((trial) => [memberName(trial), trial.session_id]));
  const heads = ARM_SIDES.map((side) => <ArmName key={side} side={side} name="failed" />);
  const word = memberWord(series.scenarios) === "row" ? "Rows" : "Scenarios";
  return (
    <PagePart title="What failed">
      <DataTable
        label={`What failed, in how many ${word.toLowerCase()}`}
        kind="rows what-failed folded"
        heads={["Check or reason", word, ...heads, "Among them"]}
      >
        {failed.slice(0, FAILED_ROWS).map(({ what, is_check, by_arm, rows }) => (
          <tr key={`${is_check} ${what}`}>
            <th scope="row">{is_check ? <code>{what}</code> : what}</th>
            <td class="number" data-head={word}>
              {count(rows.length)}
            </td>
            {ARM_SIDES.map((side) => (
              <td key={side} class="number" data-head={`${side.toUpperCase()} failed`}>
                {by_arm ? count(by_arm[side]) : "–"}
              </td>
            ))}
            <td class="said">
              <Shown rows={rows} newest={newest} toAll={toAll && ((text) => toAll(what, text))} />
            </td>
          </tr>
        ))}
      </DataTable>
      <p class="small-print">
        {failed.length > FAILED_ROWS && `And ${count(failed.length - FAILED_ROWS)} more. `}
        {word} in which it failed at least once. A dash: it is not known by arm.
      </p>
    </PagePart>
  );
}

interface ShownProps {
  readonly rows: Members["failed"][number]["rows"];
  /** The newest session of each row; imported results have none. */
  readonly newest: ReadonlyMap<string, string | undefined>;
  readonly toAll: ((text: string) => ComponentChildren) | null;
}

function Shown({ rows, newest, toAll }: ShownProps) {
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
      {more !== "" && toAll ? toAll(more) : more}
    </>
  );
}
