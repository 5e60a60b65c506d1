import { percentText } from "../../../domain/number-text.ts";
import type { Side } from "../../../domain/verdict.ts";
import { ArmName } from "../part/arm-name.tsx";
import type { Comparison } from "./comparison.ts";
import { type Contribution, contributionsOf } from "./contributions.ts";
import type { Weighing } from "./weighing.ts";

interface ContributionBarProps {
  readonly comparison: Comparison;
  readonly weighing: Weighing;
}

/**
 * What each criterion adds to the lead, from the middle to the arm that it favours: a on the left, b on the right, as in every
 * table of both arms. A mark shows what remains when both sides are set off; within the grey it is a tie.
 */
export function ContributionBar({ comparison: { verdict, a, b }, weighing }: ContributionBarProps) {
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
