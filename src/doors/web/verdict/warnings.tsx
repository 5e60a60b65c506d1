import type { Flag, Suspicion } from "../../../domain/verdict.ts";
import { flagText, toldFlags } from "../../../domain/verdict-flags.ts";
import { ArmName } from "../part/arm-name.tsx";
import { CheckoutInputs, Warnings } from "../part/warnings.tsx";
import type { Comparison } from "./comparison.ts";

/** What a reader must know before believing the verdict. */
export function VerdictWarnings({ comparison }: { comparison: Comparison }) {
  const { flags, suspicions = [], inputs_from_checkout } = comparison.verdict;
  const below = (flag: Flag) =>
    flag === "inputs_from_checkout" ? (
      <CheckoutInputs inputs={inputs_from_checkout} />
    ) : (
      flag === suspicionFlag(flags) && <Suspicions suspicions={suspicions} comparison={comparison} />
    );
  return <Warnings flags={toldFlags(flags)} textOf={flagText} below={below} />;
}

/** The gravest flag about words of an arm. The suspicions are listed below it. */
const suspicionFlag = (flags: readonly Flag[]) =>
  (["injection_effective", "prose_decided", "injection_suspected"] as const).find((flag) => flags.includes(flag));

const FINDERS: Record<Suspicion["found_by"], string> = {
  scan: "found by the scan",
  judge: "suspected by the judge",
  second_hearing: "found by the masked repetition",
};

/** The quotes are text of the arms. */
function Suspicions({ suspicions, comparison }: { suspicions: readonly Suspicion[]; comparison: Comparison }) {
  if (suspicions.length === 0) return null;
  return (
    <ul class="suspicions" aria-label="Suspected words">
      {suspicions.map(({ side, where, quote, found_by }, index) => (
        <li key={`${side} ${where} ${found_by} ${index}`}>
          <ArmName side={side} name={comparison[side].name} /> <span class="aside">{FINDERS[found_by]}</span>{" "}
          {where !== null && <code>{where}</code>} {quote !== null && <q class="arm-text">{quote}</q>}
        </li>
      ))}
    </ul>
  );
}
