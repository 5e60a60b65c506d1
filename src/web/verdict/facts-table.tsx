import type { ShownArm } from "../evidence/shown-arm.ts";
import { ArmName, ModelName } from "../part/arm-name.tsx";
import { Table } from "../part/table.tsx";
import type { Comparison } from "./comparison.ts";
import { advantage, type Established, FACTS, type Fact } from "./facts.ts";

/** Both arms in numbers; where one way is better, the better one is marked in words and by shape. */
export function FactsTable({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const sides = [
    { shown: a, own: { arm: a.arm, facts: verdict.facts.a }, other: { arm: b.arm, facts: verdict.facts.b } },
    { shown: b, own: { arm: b.arm, facts: verdict.facts.b }, other: { arm: a.arm, facts: verdict.facts.a } },
  ];
  return (
    <Table
      label="Facts about both arms"
      kind="sides facts"
      heads={[<span class="hidden-text">Fact</span>, ...sides.map(({ shown }) => <ArmHead shown={shown} />)]}
    >
      {FACTS.map((fact) => (
        <tr key={fact.name}>
          <th scope="row">{fact.name}</th>
          {sides.map(({ shown, own, other }) => (
            <td key={shown.side}>
              {fact.text(own)} <Advantage fact={fact} own={own} other={other} />
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

function ArmHead({ shown: { side, name, arm } }: { shown: ShownArm }) {
  return (
    <>
      <ArmName side={side} name={name} />
      <small>
        {arm.title} · <ModelName arm={arm} />
      </small>
    </>
  );
}

function Advantage({ fact, own, other }: { fact: Fact; own: Established; other: Established }) {
  const words = advantage(fact, own, other);
  if (words === null) return null;
  return (
    <span class="advantage">
      <span aria-hidden="true">{fact.good === "more" ? "▲" : "▼"}</span> {words}
    </span>
  );
}
