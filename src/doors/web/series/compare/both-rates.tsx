import { percentText } from "../../../../domain/number-text.ts";
import type { Series } from "../../../../domain/series.ts";
import { winRateDifference } from "../../../../statistics/difference.ts";
import { confidenceText, rangedRateText } from "../../../../statistics/figure-text.ts";
import { ArmName } from "../../part/arm-name.tsx";
import { RangeBar } from "../range-bar.tsx";
import { SeriesName } from "../series-mark.tsx";
import { differenceText } from "./figures.ts";
import { type PairOf, whyNoDifference } from "./kinship.ts";

/** Both win rates on one line from 0 to 100%, and how far they lie apart where that means something. */
export function BothRates({ series }: { series: PairOf<Series> }) {
  const [one] = series;
  const margins = new Set(series.map(({ levels }) => levels.margin));
  const sameArms = new Set(series.map(({ arms }) => `${arms.a.arm_id} ${arms.b.arm_id}`)).size === 1;
  return (
    <>
      <figure class="both-rates">
        {series.map(({ headline, levels, arms, conclusion }, index) => (
          <div key={index} class="both-rate">
            <SeriesName nth={index === 0 ? 1 : 2} />
            <RangeBar {...headline} conclusion={conclusion} margin={levels.margin} />
            <span>
              {!sameArms && <ArmName side="a" name={arms.a.arm_id} />}{" "}
              <strong>{rangedRateText(headline, levels.alpha)}</strong>
            </span>
          </div>
        ))}
        <div class="both-rate" aria-hidden="true">
          <p class="range-axis small-print">
            <span>0% {sameArms && <ArmName side="b" name={one.arms.b.arm_id} />}</span>
            <span>50%</span>
            <span>{sameArms && <ArmName side="a" name={one.arms.a.arm_id} />} 100%</span>
          </p>
        </div>
        <figcaption class="small-print">
          {sameArms ? `Win rate of ${one.arms.a.arm_id}` : "Win rate of each series' own arm A"}; a trial without a
          winner counts half.{" "}
          {margins.size === 1 &&
            `Grey: ${percentText(0.5 - one.levels.margin)} to ${percentText(0.5 + one.levels.margin)}, no difference worth having. `}
          Each range holds whenever its series is stopped. Series that stop early tend to show too high a rate: rely on
          the ranges.
        </figcaption>
      </figure>
      <Difference series={series} />
    </>
  );
}

function Difference({ series }: { series: PairOf<Series> }) {
  const why = whyNoDifference(series);
  const [one, other] = series;
  const { alpha } = one.levels;
  const apart = why === null ? winRateDifference(one.counts, other.counts, alpha) : null;
  if (apart === null) return <p class="rate-difference">No difference is given. {why}</p>;
  const { difference, low, high } = apart;
  const includesZero = low <= 0 && high >= 0;
  return (
    <figure class="rate-difference">
      <div class="both-rate">
        <span>Series 2 minus series 1</span>
        <RangeBar
          win_rate={(difference + 1) / 2}
          low={(Math.max(-1, low) + 1) / 2}
          high={(Math.min(1, high) + 1) / 2}
        />
        <strong>{differenceText(apart)}</strong>
      </div>
      <div class="both-rate" aria-hidden="true">
        <p class="range-axis small-print">
          <span>−100</span>
          <span>0</span>
          <span>+100</span>
        </p>
      </div>
      <figcaption class="small-print">
        {includesZero
          ? "The range includes 0: chance alone could make this difference. "
          : "The range leaves 0 out: chance alone does not explain the difference. What does, of all that differs, nobody can say. "}
        It is Bonferroni's at {confidenceText(alpha)}: the farthest that two ranges at {confidenceText(alpha / 2)}{" "}
        allow. It holds whenever either series is stopped. Of the many pairs that one could compare, some lie apart by
        chance.
      </figcaption>
    </figure>
  );
}
