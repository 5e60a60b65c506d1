import { measureText } from "../../../domain/measure-text.ts";
import { percentText } from "../../../domain/number-text.ts";
import type { Citation, CriterionScore } from "../../../domain/verdict.ts";
import { fragmentOf, isCriterionLit } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { countOf, named, score } from "../format.ts";
import { ARM_SIDES, ArmMark, ArmName } from "../part/arm-name.tsx";
import { Bar } from "../part/bar.tsx";
import type { Comparison } from "./comparison.ts";
import { topWeight } from "./moved-weights.ts";
import { measuredFigures, notesOf } from "./notes.ts";
import { type PassageLine, passageOf } from "./passage.ts";
import { contributionsOf } from "./sum-text.ts";
import type { Weighing } from "./weighing.ts";

interface CriterionRowProps {
  readonly row: CriterionScore;
  readonly comparison: Comparison;
  readonly weighing: Weighing;
}

/** One criterion: both scores, what it adds to whose lead, its weight; unfolded, the reasons of both arms apart. */
export function CriterionRow({ row, comparison, weighing }: CriterionRowProps) {
  const { verdict } = comparison;
  const contribution = contributionsOf(verdict.criteria, weighing.weights.value).find(({ id }) => id === row.id);
  const { lead = 0, share = 0 } = contribution ?? {};
  // No side leads where the sum is unknown.
  const side = weighing.now.value.score_gap === null ? null : (contribution?.side ?? null);
  return (
    <section
      class="criterion"
      data-stop
      tabIndex={-1}
      aria-labelledby={`criterion-${row.id}`}
      data-lit={isCriterionLit(row.id) || undefined}
    >
      <div class="criterion-head">
        <h3 id={`criterion-${row.id}`}>{row.id}</h3>
        <p>
          <QuestionOf row={row} comparison={comparison} />
        </p>
      </div>
      <div class="paired">
        {ARM_SIDES.map((each) => {
          const value = each === "a" ? row.score_a : row.score_b;
          return (
            <div key={each} class="paired-row">
              <ArmMark side={each} />
              <span class="hidden-text">{comparison[each].name}</span>
              <Bar share={value ?? 0} side={each} />
              <span class="quantity">{score(value)}</span>
            </div>
          );
        })}
      </div>
      <p class="criterion-lead">
        {side === null ? (
          <span class="aside">nothing</span>
        ) : (
          <>
            <ArmMark side={side} /> <span class="hidden-text">{comparison[side].name} </span>
            {leadText(lead)}
          </>
        )}
      </p>
      <WeightSlider row={row} weighing={weighing} share={share} />
      <Reasons row={row} comparison={comparison} />
    </section>
  );
}

const leadText = (lead: number) => (lead < 0.005 ? "< 0.01" : `+${score(lead)}`);

/** What the judge was asked, or what code measured. */
export function QuestionOf({ row, comparison }: { row: CriterionScore; comparison: Comparison }) {
  const criterion = comparison.a.session.definition.rubric.criteria.find(({ id }) => id === row.id);
  if (criterion?.kind === "judged") return <span class="arm-text">{criterion.question}</span>;
  const figures = measuredFigures(row.note);
  return (
    <>
      Measured by code: {measureText(criterion?.measure ?? "unknown")}
      {figures && (
        <>
          {" "}
          <ArmName side="a" name={figureText(figures.a)} /> <ArmName side="b" name={figureText(figures.b)} />
        </>
      )}
    </>
  );
}

/** Rounds a number to the digits that people compare; other text stays as it is. */
function figureText(text: string): string {
  const value = Number(text);
  return Number.isFinite(value) && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : text;
}

function WeightSlider({ row, weighing, share }: Pick<CriterionRowProps, "row" | "weighing"> & { share: number }) {
  const weight = weighing.weights.value.get(row.id) ?? 0;
  return (
    <label class="weight">
      <span>
        Weight {weight} <span class="aside">({percentText(share)})</span>
      </span>
      <input
        type="range"
        min={0}
        max={topWeight(row.weight)}
        step={0.5}
        value={weight}
        aria-label={`Weight of ${row.id}`}
        onInput={(event) => weighing.set(row.id, event.currentTarget.valueAsNumber)}
        onChange={weighing.keep}
      />
    </label>
  );
}

/** The judge's notes and citations, each arm's own. */
function Reasons({ row, comparison }: Omit<CriterionRowProps, "weighing">) {
  const { calls } = comparison.verdict;
  const notes = { a: notesOf(calls, row.id, "a"), b: notesOf(calls, row.id, "b") };
  const total = notes.a.length + notes.b.length + row.evidence.length;
  if (total === 0) return null;
  return (
    <details class="reasons">
      <summary>
        {(notes.a[0] ?? notes.b[0]) ? "Reasons" : "Evidence"}
        <span class="hidden-text"> for {row.id}</span>
        {row.evidence.length > 0 && <span class="aside"> {countOf(row.evidence.length, "citation")}</span>}
      </summary>
      <div class="columns">
        {ARM_SIDES.map((side) => (
          <div key={side} class={`reason side-${side}`}>
            <ArmName side={side} name={comparison[side].name} />
            {notes[side].map((note) => (
              <p key={note} class="arm-text">
                {note}
              </p>
            ))}
            <Citations shown={comparison[side]} citations={row.evidence.filter((citation) => citation.side === side)} />
          </div>
        ))}
      </div>
    </details>
  );
}

const KIND_WORDS: Record<Citation["kind"], string> = {
  decision: "step",
  diff: "",
  probe: "check",
  answer: "answer",
};

/** Links to the cited evidence, each with what stands there. All of it is text of the arms. */
function Citations({ shown, citations }: { shown: ShownArm; citations: readonly Citation[] }) {
  const { side } = shown;
  if (citations.length === 0) return null;
  return (
    <ul class="citations" aria-label={`Cited evidence of arm ${side.toUpperCase()}`}>
      {citations.map((citation) => (
        <li key={fragmentOf(citation) + citation.quote}>
          <a href={fragmentOf(citation)} class={`citation side-${citation.side}`}>
            <span class="citation-place">
              {named(KIND_WORDS, citation.kind)} {citation.kind === "answer" ? "" : citation.ref}
            </span>
            <q>{citation.quote}</q>
          </a>
          <Passage lines={passageOf(shown, citation)} />
        </li>
      ))}
    </ul>
  );
}

/** The cited line lights up among those around it. */
function Passage({ lines }: { lines: readonly PassageLine[] }) {
  if (lines.length === 0) return null;
  return (
    <pre class="passage wrapped">
      {lines.map(({ text, isCited }, index) => (
        <span key={index} class={isCited ? "passage-cited" : undefined}>
          {text}
        </span>
      ))}
    </pre>
  );
}
