import type { Side, Verdict } from "../../../domain/verdict.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { AgentName, ArmMark, ArmName, ModelName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import type { Comparison } from "./comparison.ts";
import { differenceOf, type Established, FACTS, type Fact } from "./facts.ts";

interface FactsTableProps extends Pick<Comparison, "a" | "b"> {
  readonly facts: Verdict["facts"];
}

/** Both arms in numbers, and how far apart they are; where one way is better, the better one is marked by words and shape. */
export function FactsTable({ a, b, facts }: FactsTableProps) {
  const both = { a: { arm: a.arm, facts: facts.a }, b: { arm: b.arm, facts: facts.b } };
  const heads = [a, b].map((shown) => <ArmHead shown={shown} />);
  return (
    <DataTable
      label="Facts about both arms"
      kind="sides facts folded arm-facts"
      heads={[<span class="hidden-text">Fact</span>, ...heads, "Difference"]}
    >
      {FACTS.filter(({ applies = () => true }) => applies(both.a) || applies(both.b)).map((fact) => (
        <tr key={fact.name}>
          <th scope="row">{fact.name}</th>
          <td data-head="A">{fact.text(both.a)}</td>
          <td data-head="B">{fact.text(both.b)}</td>
          <td>
            <Difference fact={fact} both={both} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function ArmHead({ shown: { side, name, arm } }: { shown: ShownArm }) {
  return (
    <>
      <ArmName side={side} name={name} />
      <small>
        {arm.title !== arm.arm_id && `${arm.title} · `}
        <ModelName arm={arm} />
        <AgentName arm={arm} />
      </small>
    </>
  );
}

function Difference({ fact, both }: { fact: Fact; both: Readonly<Record<Side, Established>> }) {
  const difference = differenceOf(fact, both);
  if (difference === null) return null;
  const { side, text, isBetter } = difference;
  return (
    <span class={isBetter ? "difference advantage" : "difference"}>
      <ArmMark side={side} />
      <span class="hidden-text">Arm {side.toUpperCase()}: </span> {text}
      {isBetter && (
        <>
          <span aria-hidden="true"> ✓</span>
          <span class="hidden-text">, which is better</span>
        </>
      )}
    </span>
  );
}
