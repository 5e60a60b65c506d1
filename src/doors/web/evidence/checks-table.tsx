import { resultWord, whyText } from "../../../domain/check-result.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { duration } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Light } from "../part/light.tsx";
import { DataTable } from "../part/table.tsx";
import { checkText } from "./check-text.ts";
import { citedRef, isLit, useCitedTarget } from "./cited.ts";
import type { ShownArm } from "./shown-arm.ts";

/** One row for each hidden check, both arms side by side. */
export function ChecksTable({ arms }: { arms: readonly ShownArm[] }) {
  const ids = [...new Set(arms.flatMap(({ arm }) => checksOf(arm).map(({ id }) => id)))];
  if (ids.length === 0) return <p class="empty">No hidden check has run.</p>;
  return (
    <DataTable
      label="Hidden checks"
      kind="sides checks-table folded"
      heads={["Check", ...arms.map((arm) => <ArmName side={arm.side} name={arm.name} />)]}
    >
      {ids.map((id) => (
        <tr key={id}>
          <th scope="row">
            {id}
            <AskedFor arms={arms} id={id} />
            <Weight check={arms.flatMap(({ arm }) => checkOf(arm, id) ?? [])[0]} />
            {arms.some(({ arm }) => arm.probe?.not_repeatable?.some((check) => check.id === id)) && (
              <small>not repeatable, counts for neither</small>
            )}
          </th>
          {arms.map((shown) => (
            <CheckCell key={shown.side} shown={shown} id={id} />
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

const checksOf = ({ probe }: ArmSummary): readonly CheckResult[] => [
  ...(probe?.checks ?? []),
  ...(probe?.not_repeatable ?? []),
];

const checkOf = (arm: ArmSummary, id: string) => checksOf(arm).find((check) => check.id === id);

function AskedFor({ arms, id }: { arms: readonly ShownArm[]; id: string }) {
  const check = arms.flatMap(({ session }) => session.definition.task.probe?.checks ?? []).find((one) => one.id === id);
  return check ? <small>{checkText(check)}</small> : null;
}

function Weight({ check }: { check: CheckResult | undefined }) {
  if (!check) return null;
  return (
    <small>
      {check.required ? "required, " : ""}weight {check.weight}
    </small>
  );
}

export function CheckLight({ check }: { check: CheckResult }) {
  const status = check.could_not_run === undefined ? check.status : "error";
  const isWorded = status === "error" || check.score !== undefined;
  return <Light status={status} {...(isWorded && { name: resultWord(check) })} />;
}

function CheckCell({ shown: { side, name, arm }, id }: { shown: ShownArm; id: string }) {
  const isCited = citedRef(side, "probe") === id;
  const target = useCitedTarget<HTMLParagraphElement>(isCited);
  const check = checkOf(arm, id);
  const why = check && whyText(check);
  return (
    <td data-cited={isCited || undefined} data-lit={isLit({ side, kind: "probe", ref: id }) || undefined}>
      <span class="of-arm">
        <ArmName side={side} name={name} />
      </span>
      {check ? (
        <>
          <p ref={target} tabIndex={-1}>
            {isCited && <strong>{id} </strong>}
            <CheckLight check={check} /> <span class="quantity">{duration(check.duration_ms)}</span>
          </p>
          {check.again && <p class="small-print">run again: {check.again}</p>}
          {why && <p class="small-print">{why}</p>}
          {check.output.trim() !== "" && (
            <details open={isCited || undefined}>
              <summary>
                Output<span class="hidden-text"> of {id}</span>
              </summary>
              <pre class="wrapped">{check.output}</pre>
            </details>
          )}
        </>
      ) : (
        <Light status="pending" />
      )}
    </td>
  );
}
