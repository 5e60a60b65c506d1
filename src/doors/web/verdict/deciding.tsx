import { checkValue, isSameResult, whyText } from "../../../domain/check-result.ts";
import { whyDisqualified } from "../../../domain/disqualification.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import { failureLines } from "../../../domain/telling-lines.ts";
import type { Side } from "../../../domain/verdict.ts";
import { CheckLight } from "../evidence/checks-table.tsx";
import { fragmentOf } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { countOf } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Light } from "../part/light.tsx";
import type { Comparison } from "./comparison.ts";

/** The rules that were broken and the checks on which the arms differ, each with what it printed; nothing else counts first. */
export function DecidingFacts({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const out = [a, b].filter(({ side }) => verdict.facts[side].disqualified);
  const differing = out.length > 0 ? [] : differingChecks(a, b);
  return (
    <div class="deciding">
      {out.map((shown) => (
        <Disqualified key={shown.side} shown={shown} rules={whyDisqualified(verdict.facts[shown.side].violations)} />
      ))}
      {differing.slice(0, SHOWN).map((pair) => (
        <DifferingCheck key={pair.a.id} pair={pair} arms={[a, b]} />
      ))}
      {differing.length > SHOWN && (
        <p class="aside">{countOf(differing.length - SHOWN, "more check")} told them apart; all are listed below.</p>
      )}
    </div>
  );
}

/** Checks shown at first: what fits on a screen. */
const SHOWN = 3;

function Disqualified({ shown: { side, name }, rules }: { shown: ShownArm; rules: readonly string[] }) {
  return (
    <div class="deciding-fact">
      <p>
        <ArmName side={side} name={name} /> <Light status="fail" name="disqualified" />
      </p>
      <ul class="concerns">
        {rules.map((rule) => (
          <li key={rule}>{rule}</li>
        ))}
      </ul>
    </div>
  );
}

type CheckPair = Readonly<Record<Side, CheckResult>>;

/** Checks that one arm passed and the other did not, or that gave other numbers: required ones first, then by weight. */
export function differingChecks(a: ShownArm, b: ShownArm): readonly CheckPair[] {
  const others = new Map(b.arm.probe?.checks.map((check) => [check.id, check]));
  const pairs = (a.arm.probe?.checks ?? []).flatMap((check) => {
    const other = others.get(check.id);
    return other && !isSameResult(check, other) ? [{ a: check, b: other }] : [];
  });
  return pairs.sort((one, other) => Number(other.a.required) - Number(one.a.required) || other.a.weight - one.a.weight);
}

function DifferingCheck({ pair, arms }: { pair: CheckPair; arms: readonly ShownArm[] }) {
  const failed: Side = checkValue(pair.a) > checkValue(pair.b) ? "b" : "a";
  const { id, required, output } = pair[failed];
  const reason = whyText(pair[failed]);
  const lines = failureLines(output);
  return (
    <div class={`deciding-fact side-${failed}`}>
      <p>
        <a href={fragmentOf({ side: failed, kind: "probe", ref: id })}>
          <strong>{id}</strong>
        </a>{" "}
        <span class="aside">{required ? "required check" : "check"}</span>
        {arms.map(({ side, name }) => (
          <span key={side} class="deciding-light">
            <ArmName side={side} name={name} /> <CheckLight check={pair[side]} />
          </span>
        ))}
      </p>
      {reason && <p class="small-print">{reason}</p>}
      {lines.length > 0 && <pre class="wrapped">{lines.join("\n")}</pre>}
    </div>
  );
}
