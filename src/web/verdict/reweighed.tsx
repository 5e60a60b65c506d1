import type { Side } from "../../domain/verdict.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { percent, score, signed } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Bar } from "../part/bar.tsx";
import type { Comparison } from "./comparison.ts";
import { OutcomeName } from "./outcome.tsx";
import type { Weighing } from "./weighing.ts";

/** Scores and outcome with the reader's weights. Says when these change who wins. */
export function Reweighed({ comparison, weighing }: { comparison: Comparison; weighing: Weighing }) {
  const { a, b } = comparison;
  const { score_a, score_b, score_gap, outcome, winner_side } = weighing.now.value;
  const nameOf = (side: "a" | "b" | null) => (side === "a" ? a.name : side === "b" ? b.name : null);
  const flipped = weighing.flipped.value;
  return (
    <div class={`reweighed ${flipped ? "reweighed-flipped" : ""}`}>
      <Paired arms={[a, b]} scores={{ a: score_a, b: score_b }} />
      <div class="reweighed-words">
        <p role="status">
          {flipped && <strong class="flip">The outcome flips. </strong>}
          <OutcomeName outcome={outcome} side={winner_side} name={nameOf(winner_side)} />
          {score_gap !== null && <span class="aside"> gap {signed(score_gap)}</span>}
        </p>
        <p class="aside">{explanation(comparison, weighing)}</p>
      </div>
      <button type="button" class="quiet" disabled={!weighing.touched.value} onClick={weighing.reset}>
        Reset weights
      </button>
    </div>
  );
}

interface PairedProps {
  readonly arms: readonly ShownArm[];
  readonly scores: Readonly<Record<Side, number | null>>;
}

/** The scores of both arms, one bar below the other. */
export function Paired({ arms, scores }: PairedProps) {
  return (
    <div class="paired">
      {arms.map(({ side, name }) => (
        <div key={side} class="paired-row">
          <ArmName side={side} name={name} />
          <Bar share={scores[side] ?? 0} side={side} />
          <span class="quantity">{score(scores[side])}</span>
        </div>
      ))}
    </div>
  );
}

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
  return `Moving ${percent(flip)} of the weight between criteria is enough to change the outcome.`;
}
