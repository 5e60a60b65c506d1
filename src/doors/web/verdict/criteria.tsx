import type { CriterionScore, Side, Verdict } from "../../../domain/verdict.ts";
import { score } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";
import { ContributionBar } from "./contribution-bar.tsx";
import { contributionsOf, leaderOf } from "./contributions.ts";
import { CriterionRow, QuestionOf } from "./criterion-row.tsx";
import { OutcomeName } from "./outcome.tsx";
import { explanation, LeaveOneOut } from "./sensitivity.tsx";
import { sumText } from "./sum-text.ts";
import type { Weighing } from "./weighing.ts";

interface CriteriaProps {
  readonly comparison: Comparison;
  readonly weighing: Weighing;
}

/** The criteria that count, what each adds to the lead, its weight and its reasons. The others are folded away. */
export function Criteria({ comparison, weighing }: CriteriaProps) {
  const { criteria } = comparison.verdict;
  // Verdicts stored by an earlier version hold scores here, too.
  const counted = isJudged(comparison.verdict) ? ordered(criteria) : [];
  const others = criteria.filter((row) => !counted.includes(row));
  return (
    <>
      {counted.length > 0 && (
        <>
          <Reweighed comparison={comparison} weighing={weighing} />
          <div class="criteria">
            {counted.map((row) => (
              <CriterionRow key={row.id} row={row} comparison={comparison} weighing={weighing} />
            ))}
          </div>
          <LeaveOneOut comparison={comparison} />
        </>
      )}
      {others.length > 0 && <Uncounted rows={others} comparison={comparison} />}
    </>
  );
}

/** Where a hidden check could not run, nothing was judged. */
const isJudged = ({ outcome, flags }: Verdict) => outcome !== "invalid" || !flags.includes("check_could_not_run");

/** The criteria that move most come first, under the rubric's weights, so that no row jumps while a slider moves. */
function ordered(criteria: readonly CriterionScore[]): readonly CriterionScore[] {
  const rubric = new Map(criteria.map(({ id, weight }) => [id, weight]));
  const leads = new Map(contributionsOf(criteria, rubric).map(({ id, lead }) => [id, lead]));
  return criteria
    .filter(({ supported }) => supported)
    .toSorted((one, other) => (leads.get(other.id) ?? 0) - (leads.get(one.id) ?? 0));
}

/** Scores and outcome with the reader's weights. Says when these change who wins. */
function Reweighed({ comparison, weighing }: CriteriaProps) {
  const { outcome, winner_side, score_gap, score_a, score_b } = weighing.now.value;
  const leader = leaderOf(score_gap);
  const flipped = weighing.flipped.value;
  return (
    <div class={`reweighed ${flipped ? "reweighed-flipped" : ""}`}>
      <div class="reweighed-words">
        <p role="status">
          {flipped && <strong class="flip">The outcome flips. </strong>}
          <OutcomeName outcome={outcome} side={winner_side} name={winner_side && comparison[winner_side].name} />{" "}
          <span class="aside">
            {leadText(leader, winner_side, comparison)}: <ArmName side="a" name={score(score_a)} />{" "}
            <ArmName side="b" name={score(score_b)} />
          </span>
        </p>
        <button type="button" class="quiet" disabled={!weighing.touched.value} onClick={weighing.reset}>
          Reset weights
        </button>
      </div>
      {score_gap === null ? (
        <p class="aside">Not every part of the sum has a score, so no weight decides anything.</p>
      ) : (
        <>
          <ContributionBar comparison={comparison} weighing={weighing} />
          <p class="aside">
            {sumText(comparison, weighing.now.value, leader)} {explanation(comparison, weighing)}
          </p>
        </>
      )}
    </div>
  );
}

function leadText(leader: ReturnType<typeof leaderOf>, winner_side: Side | null, comparison: Comparison): string {
  if (leader === null) return "neither leads";
  const who = leader.side === winner_side ? "" : `${comparison[leader.side].name} `;
  return `${who}leads by ${score(leader.lead)}`;
}

/** Criteria without a score for both arms; they leave the sum. */
function Uncounted({ rows, comparison }: { rows: readonly CriterionScore[]; comparison: Comparison }) {
  const { verdict } = comparison;
  return (
    <details class="fold">
      <summary>
        {isJudged(verdict) ? "Not counted" : "Not judged"}: <strong>{rows.map(({ id }) => id).join(", ")}</strong>
      </summary>
      <ul class="uncounted">
        {rows.map((row) => (
          <li key={row.id}>
            <strong>{row.id}</strong> <span class="aside">weight {row.weight}</span>
            <p>
              <QuestionOf row={row} comparison={comparison} />
            </p>
            <p class="aside">Not scored, so it counts for neither arm: {whyNotScored(row, verdict)}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}

function whyNotScored({ kind }: CriterionScore, verdict: Verdict): string {
  if (!isJudged(verdict)) return "a hidden check could not run.";
  if (kind === "measured") return "the figure is not known for both.";
  const shown = verdict.calls.filter(({ masked }) => !masked);
  if (shown.length === 0) return "no model was asked.";
  return shown.every(({ valid }) => valid) ? "the judge found too little to cite." : "the judge gave no usable answer.";
}
