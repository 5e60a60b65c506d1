import type { Flag, Suspicion } from "../../../domain/verdict.ts";
import { ArmName } from "../part/arm-name.tsx";
import { caveatPart } from "../part/caveats.tsx";
import { Notice } from "../part/notice.tsx";
import type { Comparison } from "./comparison.ts";
import { flagText } from "./flags.ts";

const ORDER = { danger: 0, warn: 1, note: 2, good: 3 };

/**
 * What a reader must know before believing the verdict, the gravest first. Notes share one line. `single_trial` is left out,
 * because every statement says it; so is what a verdict rests on, where a check could not run and nothing was judged.
 */
export function Warnings({ comparison }: { comparison: Comparison }) {
  const { flags, suspicions = [] } = comparison.verdict;
  const texts = flags
    .filter((flag) => flag !== "single_trial")
    .filter((flag) => flag !== "no_objective_check" || !flags.includes("check_could_not_run"))
    .map((flag) => ({ flag, ...flagText(flag) }))
    .sort((one, other) => ORDER[one.tone] - ORDER[other.tone]);
  if (texts.length === 0) return null;
  const notes = texts.filter(({ tone }) => tone === "note");
  return (
    <div class="warnings">
      {texts
        .filter(({ tone }) => tone !== "note")
        .map(({ flag, tone, title, text }) => (
          <Notice key={flag} id={caveatPart(flag)} tone={tone} title={title}>
            <p>
              {text} <code>{flag}</code>
            </p>
            {flag === suspicionFlag(flags) && <Suspicions suspicions={suspicions} comparison={comparison} />}
          </Notice>
        ))}
      {notes.length > 0 && (
        <p class="small-print">
          {notes.map(({ flag, title, text }, index) => (
            <span key={flag}>
              {index > 0 && " "}
              <strong>{title}:</strong> {text}.
            </span>
          ))}
        </p>
      )}
    </div>
  );
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
