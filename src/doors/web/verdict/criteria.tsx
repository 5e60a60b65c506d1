import { percentText } from "../../../domain/number-text.ts";
import type { CriterionScore, Side, Verdict } from "../../../domain/verdict.ts";
import { score } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";
import { CriterionRow, QuestionOf } from "./criterion-row.tsx";
import { OutcomeName } from "./outcome.tsx";
import { type Contribution, contributionsOf, leaderOf, sumText } from "./sum-text.ts";
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

/** What the outcome would be without one criterion. Only those that change it are named. */
function LeaveOneOut({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const { sensitivity, outcome, winner_side } = verdict;
  if (sensitivity === null || sensitivity.leave_one_out.length === 0) return null;
  const changing = sensitivity.leave_one_out.filter(
    (without) => without.outcome !== outcome || without.winner_side !== winner_side,
  );
  if (changing.length === 0) return <p class="aside">Without any one criterion the outcome is the same.</p>;
  return (
    <ul class="leave-one-out" aria-label="Without one criterion">
      {changing.map((without) => (
        <li key={without.criterion}>
          Without <strong>{without.criterion}</strong>:{" "}
          <OutcomeName
            outcome={without.outcome}
            side={without.winner_side}
            name={without.winner_side === "b" ? b.name : a.name}
          />
        </li>
      ))}
    </ul>
  );
}

/** How much the weights matter, in a sentence. */
function explanation({ verdict }: Comparison, weighing: Weighing): string {
  const { outcome, winner_side } = weighing.original;
  if (outcome !== verdict.outcome || winner_side !== verdict.winner_side)
    return "The verdict was made under earlier rules; by those of today its scores come out so.";
  if (weighing.flipped.value) return "Under the rubric's own weights it is another; the stored verdict stays as it is.";
  if (weighing.touched.value) return "The same outcome as under the rubric's weights.";
  if (verdict.decided_by === "gate" || verdict.decided_by === "probe")
    return "Facts decided, so no weight changes who wins; move one to see the scores.";
  if (verdict.sensitivity === null) return "Move a weight to see the scores change.";
  const flip = verdict.sensitivity.flip_distance;
  if (flip === null) return "No change of weights changes the outcome.";
  return `Moving ${percentText(flip)} of the weight between criteria is enough to change the outcome.`;
}

interface ContributionBarProps {
  readonly comparison: Comparison;
  readonly weighing: Weighing;
}

/**
 * What each criterion adds to the lead, from the middle to the arm that it favours: a on the left, b on the right, as in every
 * table of both arms. A mark shows what remains when both sides are set off; within the grey it is a tie.
 */
function ContributionBar({ comparison: { verdict, a, b }, weighing }: ContributionBarProps) {
  const contributions = contributionsOf(verdict.criteria, weighing.weights.value);
  const { tie_margin } = a.session.definition.rubric;
  const { score_gap } = weighing.now.value;
  const total = (side: Side) => sum(contributions.filter((each) => each.side === side));
  const reach = Math.max(total("a"), total("b"), Math.abs(score_gap ?? 0), 2 * tie_margin, 0.01);
  const place = (lead: number) => `${50 - (50 * lead) / reach}%`;
  return (
    <figure class="contributions">
      <div class="contribution-line" aria-hidden="true">
        <span class="range-margin" style={{ left: place(tie_margin), width: `${(100 * tie_margin) / reach}%` }} />
        <Stack side="a" contributions={contributions} reach={reach} />
        <Stack side="b" contributions={contributions} reach={reach} />
        <span class="range-half" />
        {score_gap !== null && <span class="contribution-net" style={{ left: place(score_gap) }} />}
      </div>
      <figcaption class="range-axis small-print">
        <span>
          ← for <ArmName side="a" name={a.name} />
        </span>
        <span>equal, ± {percentText(tie_margin)} is a tie</span>
        <span>
          for <ArmName side="b" name={b.name} /> →
        </span>
      </figcaption>
    </figure>
  );
}

interface StackProps {
  readonly side: Side;
  readonly contributions: readonly Contribution[];
  /** The lead at the end of the line. */
  readonly reach: number;
}

/** The criteria that favour one arm, the greatest next to the middle. */
function Stack({ side, contributions, reach }: StackProps) {
  const own = contributions.filter((each) => each.side === side).sort((one, other) => other.lead - one.lead);
  return (
    <span class={`contribution-stack side-${side}`}>
      {own.map(({ id, lead }) => (
        <span key={id} title={id} class="contribution" style={{ width: `${(100 * lead) / reach}%` }}>
          <span class="contribution-name">{id}</span>
        </span>
      ))}
    </span>
  );
}

const sum = (contributions: readonly Contribution[]) => contributions.reduce((total, { lead }) => total + lead, 0);
