import type { Series } from "../../../domain/series.ts";
import { evidenceCurve, logAxis, roundOfClaim, tickText } from "../../../statistics/evidence-curve.ts";
import { evidenceText, limitText } from "../../../statistics/figure-text.ts";
import { count, countOf } from "../format.ts";
import { SeriesMark } from "./series-mark.tsx";

/** Evidence after each round, on a logarithmic axis, with the line that a claim must reach. */
export function EvidenceChart({ series }: { series: Series }) {
  const unit = series.scenarios.length === 1 ? "trial" : "round";
  return <EvidencePlot curves={[curveOf(series, 1)]} unit={unit} names={[null]} />;
}

/** The evidence of two series on the same axes, by the number of trials. */
export const BothEvidence = ({ series }: { series: readonly [Series, Series] }) => (
  <EvidencePlot curves={series.map((one) => curveOf(one, one.scenarios.length))} unit="trial" names={[1, 2]} />
);

interface Curve {
  readonly series: Series;
  /** Evidence at the start and after each round. */
  readonly values: readonly number[];
  /** How far a round goes on the axis. */
  readonly step: number;
}

const curveOf = (series: Series, step: number): Curve => ({ series, values: evidenceCurve(series), step });

interface EvidencePlotProps {
  readonly curves: readonly Curve[];
  readonly unit: "trial" | "round";
  /** Which of two series a curve is; null when there is one alone. */
  readonly names: readonly (1 | 2 | null)[];
}

function EvidencePlot({ curves, unit, names }: EvidencePlotProps) {
  const limits = [...new Set(curves.map(({ series }) => series.levels.alpha))];
  const axis = logAxis([...curves.flatMap(({ values }) => values), ...limits.map((alpha) => 1 / alpha), 0.5]);
  const length = Math.max(...curves.map(lengthOf));
  if (length === 0) return null;
  const top = (value: number) => `${100 - axis.share(value) * 100}%`;
  const left = (at: number) => `${(at / length) * 100}%`;
  return (
    <figure class="evidence-chart">
      <div
        class="plot"
        role="img"
        aria-label={curves.map((curve, index) => spoken(curve, unit, names[index])).join(". ")}
      >
        {axis.ticks.map((tick) => (
          <span key={tick} class="plot-tick" style={{ top: top(tick) }}>
            {tickText(tick)}
          </span>
        ))}
        {limits.map((alpha) => (
          <span key={alpha} class="plot-limit" style={{ top: top(1 / alpha) }}>
            <span>{limitText(alpha)} needed</span>
          </span>
        ))}
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {curves.map(({ values, step }, index) => (
            <polyline
              key={index}
              class={`curve-${index + 1}`}
              points={values
                .map((value, round) => `${((round * step) / length) * 100},${100 - axis.share(value) * 100}`)
                .join(" ")}
            />
          ))}
        </svg>
        {curves.map((curve, index) => (
          <CurveMarks key={index} curve={curve} name={names[index] ?? null} left={left} top={top} />
        ))}
      </div>
      <figcaption class="small-print plot-caption">
        <span>0</span>
        <span>{unit === "trial" ? "trials that count" : "complete rounds"}</span>
        <span>{count(length)}</span>
      </figcaption>
    </figure>
  );
}

interface CurveMarksProps {
  readonly curve: Curve;
  readonly name: 1 | 2 | null;
  /** Where so many trials or rounds stand. */
  readonly left: (at: number) => string;
  readonly top: (value: number) => string;
}

/** Where a claim was made, and of two series which one the line is. */
function CurveMarks({ curve, name, left, top }: CurveMarksProps) {
  const { series, values, step } = curve;
  const { claim } = series.headline;
  return (
    <>
      {claim && (
        <span
          class={`plot-claim side-${claim.side}`}
          style={{ left: left(roundOfClaim(series) * step), top: top(claim.e) }}
        />
      )}
      {name && (
        <span class={`plot-end plot-end-${name}`} style={{ left: left(lengthOf(curve)), top: top(values.at(-1) ?? 1) }}>
          <SeriesMark nth={name} />
        </span>
      )}
    </>
  );
}

const lengthOf = ({ values, step }: Curve): number => (values.length - 1) * step;

function spoken(curve: Curve, unit: string, name: 1 | 2 | null | undefined): string {
  const { alpha } = curve.series.levels;
  const last = evidenceText(curve.values.at(-1) ?? 1, alpha);
  return `${name ? `Series ${name}: evidence` : "Evidence"} after ${countOf(lengthOf(curve), unit)}: ${last}; ${limitText(alpha)} needed`;
}
