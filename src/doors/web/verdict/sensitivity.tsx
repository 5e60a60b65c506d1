import { percentText } from "../../../domain/number-text.ts";
import type { Comparison } from "./comparison.ts";
import { OutcomeName } from "./outcome.tsx";
import type { Weighing } from "./weighing.ts";

/** What the outcome would be without one criterion. Only those that change it are named. */
export function LeaveOneOut({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
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
export function explanation({ verdict }: Comparison, weighing: Weighing): string {
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
