import type { Scenario } from "../../../domain/scenario.ts";
import type { Side } from "../../../domain/verdict.ts";
import { words } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Notice } from "../part/notice.tsx";
import { DataTable } from "../part/table.tsx";
import { armDifferences } from "./differences.ts";

export function DifferencesTable({ scenario }: { scenario: Scenario }) {
  const differences = armDifferences(scenario);
  const [a, b] = scenario.arms;
  if (differences.length === 0)
    return (
      <Notice tone="note" title="The arms are set up alike">
        <p>A run of two equal arms shows how much chance and the judge alone make of no difference.</p>
      </Notice>
    );
  return (
    <DataTable
      label="What differs between the arms"
      kind="sides stacked"
      heads={["Differs in", <ArmName side="a" name={a.id} />, <ArmName side="b" name={b.id} />]}
    >
      {differences.map(({ field, declared, a: ofA, b: ofB }) => (
        <tr key={field}>
          <th scope="row">
            {words(field)}
            <small>{declared ? "declared" : "not declared"}</small>
          </th>
          <td class="prose-cell">
            <OfArm side="a" name={a.id} />
            {ofA}
          </td>
          <td class="prose-cell">
            <OfArm side="b" name={b.id} />
            {ofB}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** Shown on a phone, where the columns stand below each other and have no heads. */
function OfArm({ side, name }: { side: Side; name: string }) {
  return (
    <span class="of-arm">
      <ArmName side={side} name={name} />
    </span>
  );
}
