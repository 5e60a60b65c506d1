import type { Contestant } from "../evidence/contestant.ts";
import { ArmName } from "../part/arm-name.tsx";
import { ModelName } from "../part/model-name.tsx";
import { Scroller } from "../part/scroller.tsx";
import type { Comparison } from "./comparison.ts";
import { advantage, type Established, FACTS, type Fact } from "./facts.ts";

/** Both arms in numbers; where one way is better, the better one is marked in words and by shape. */
export function FactsTable({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const sides = [
    { contestant: a, own: { arm: a.arm, facts: verdict.facts.a }, other: { arm: b.arm, facts: verdict.facts.b } },
    { contestant: b, own: { arm: b.arm, facts: verdict.facts.b }, other: { arm: a.arm, facts: verdict.facts.a } },
  ];
  return (
    <Scroller kind="scroller" label="Facts about both arms">
      <table class="sides facts">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-text">Fact</span>
            </th>
            {sides.map(({ contestant }) => (
              <th key={contestant.side} scope="col">
                <ArmName side={contestant.side} name={contestant.name} />
                <ArmModel contestant={contestant} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FACTS.map((fact) => (
            <tr key={fact.name}>
              <th scope="row">{fact.name}</th>
              {sides.map(({ contestant, own, other }) => (
                <td key={contestant.side}>
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

function ArmModel({ contestant: { arm } }: { contestant: Contestant }) {
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
