import type { Criterion } from "../../domain/scenario.ts";
import type { Citation, CriterionScore, JudgeCall } from "../../domain/verdict.ts";
import { fragmentOf } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { percent, words } from "../format.ts";
import { ArmMark } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";
import { Paired, Reweighed } from "./reweighed.tsx";
import type { Weighing } from "./weighing.ts";

interface CriteriaProps {
  readonly comparison: Comparison;
  readonly weighing: Weighing;
}

/** Every criterion with both scores, the reasons, the evidence, and its weight. */
export function Criteria({ comparison, weighing }: CriteriaProps) {
  const { verdict, a, b } = comparison;
  const { criteria } = a.session.definition.rubric;
  const counted = verdict.criteria.filter(({ supported }) => supported).map(({ id }) => id);
  return (
    <>
      <Reweighed comparison={comparison} weighing={weighing} />
      <div class="criteria">
        {verdict.criteria.map((row) => (
          <CriterionRow
            key={row.id}
            row={row}
            criterion={criteria.find(({ id }) => id === row.id)}
            arms={[a, b]}
            weighing={weighing}
            counted={counted}
            calls={verdict.calls}
          />
        ))}
      </div>
    </>
  );
}

interface CriterionRowProps {
  readonly row: CriterionScore;
  readonly criterion: Criterion | undefined;
  readonly arms: readonly ShownArm[];
  readonly weighing: Weighing;
  /** Ids of the criteria that have a score. The others do not count. */
  readonly counted: readonly string[];
  readonly calls: readonly JudgeCall[];
}

function CriterionRow({ row, criterion, arms, weighing, counted, calls }: CriterionRowProps) {
  return (
    <section class="criterion" data-stop tabIndex={-1} aria-labelledby={`criterion-${row.id}`}>
      <div class="criterion-head">
        <h3 id={`criterion-${row.id}`}>{row.id}</h3>
        <p>
          {criterion?.kind === "judged" ? criterion.question : `Measured by code: ${words(criterion?.measure ?? "")}`}
        </p>
      </div>
      {row.supported ? (
        <>
          <WeightSlider row={row} weighing={weighing} counted={counted} />
          <Paired arms={arms} scores={{ a: row.score_a, b: row.score_b }} />
        </>
      ) : (
        <>
          <p class="weight aside">Weight {row.weight}, not counted</p>
          <p class="unsupported">Not scored, so it counts for neither arm: {whyNotScored(row, calls)}</p>
        </>
      )}
      {row.note !== "" && <p class="arm-text">{row.note}</p>}
      <Citations citations={row.evidence} />
    </section>
  );
}

function whyNotScored({ kind }: CriterionScore, calls: readonly JudgeCall[]): string {
  if (kind === "measured") return "the figure is not known for both.";
  const shown = calls.filter(({ masked }) => !masked);
  if (shown.length === 0) return "no model was asked.";
  return shown.every(({ valid }) => valid) ? "the judge found too little to cite." : "the judge gave no usable answer.";
}

/** The scale ends at twice the rubric's weight, and at 10 at least. */
function WeightSlider({ row, weighing, counted }: Pick<CriterionRowProps, "row" | "weighing" | "counted">) {
  const weights = weighing.weights.value;
  const weight = weights.get(row.id) ?? 0;
  const total = counted.reduce((sum, id) => sum + (weights.get(id) ?? 0), 0);
  return (
    <label class="weight">
      <span>
        Weight {weight} <span class="aside">({total === 0 ? "0%" : percent(weight / total)})</span>
      </span>
      <input
        type="range"
        min={0}
        max={Math.max(10, row.weight * 2)}
        step={0.5}
        value={weight}
        aria-label={`Weight of ${row.id}`}
        onInput={(event) => weighing.set(row.id, event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

const KIND_WORDS = { decision: "step", diff: "", probe: "check", answer: "answer" };

/** Links to the cited evidence. The quotes are text of the arms. */
function Citations({ citations }: { citations: readonly Citation[] }) {
  if (citations.length === 0) return null;
  return (
    <ul class="citations" aria-label="Cited evidence">
      {citations.map((citation) => (
        <li key={fragmentOf(citation) + citation.quote}>
          <a href={fragmentOf(citation)} class={`citation side-${citation.side}`}>
            <ArmMark side={citation.side} />
            <span class="hidden-text">Arm {citation.side.toUpperCase()}, </span>
            <span class="citation-place">
              {KIND_WORDS[citation.kind]} {citation.kind === "answer" ? "" : citation.ref}
            </span>
            <q>{citation.quote}</q>
          </a>
        </li>
      ))}
    </ul>
  );
}
