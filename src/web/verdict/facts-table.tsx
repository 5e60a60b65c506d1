import type { ShownArm } from "../evidence/shown-arm.ts";
import { ArmName, ModelName } from "../part/arm-name.tsx";
import { Scroller } from "../part/page.tsx";
import type { Comparison } from "./comparison.ts";
import { advantage, type Established, FACTS, type Fact } from "./facts.ts";

/** Both arms in numbers; where one way is better, the better one is marked in words and by shape. */
export function FactsTable({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const sides = [
    { shown: a, own: { arm: a.arm, facts: verdict.facts.a }, other: { arm: b.arm, facts: verdict.facts.b } },
    { shown: b, own: { arm: b.arm, facts: verdict.facts.b }, other: { arm: a.arm, facts: verdict.facts.a } },
  ];
  return (
    <Scroller kind="scroller" label="Facts about both arms">
      <table class="sides facts">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-text">Fact</span>
            </th>
            {sides.map(({ shown }) => (
              <th key={shown.side} scope="col">
                <ArmName side={shown.side} name={shown.name} />
                <ArmModel shown={shown} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </Scroller>
  );
}

function ArmModel({ shown: { arm } }: { shown: ShownArm }) {
  return (
    <small>
      {arm.title} · <ModelName arm={arm} />
    </small>
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
