import type { ComponentChildren } from "preact";
import { isBuiltin } from "../../../domain/model-name.ts";
import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import type { SeriesLimits } from "../../../domain/series-record.ts";
import { confidenceText } from "../../../statistics/figure-text.ts";
import { count, countOf, signed, usd, when } from "../format.ts";
import { Entry } from "../part/page.tsx";
import { toSeries } from "../routes.ts";
import { missingText } from "./trial-text.ts";

/** What the claim rests on, the limits of the run, and figures that only describe. */
export function Plan({ series }: { series: Series }) {
  const { plan, limits, changes, plan_digest, protocol, levels, imported } = series;
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ["Trials of each scenario", limits && `${limits.trials}${limits.stop_when_sure ? ", ends when sure" : ""}`],
    ["At once", limits?.parallel],
    ["May cost", limits && (limits.max_cost_usd === null ? "no limit" : usd(limits.max_cost_usd))],
    ...changes.map((change) => [`Until ${when(change.at)}`, limitsText(change.limits)] as const),
    ["Model of both arms", plan?.model_override],
    ["Sure means", confidenceText(levels.alpha)],
    ["Margin", `${percentText(0.5 - levels.margin)} to ${percentText(0.5 + levels.margin)} count as no difference`],
    ["Seed of the scripts", plan?.scripted ? plan.seed : null],
    ["Statistics", <code key="protocol">{protocol}</code>],
    ["Digest of the plan", plan_digest && <code>{plan_digest}</code>],
    ["Level scores", imported?.measure === "score" ? `differ by ${imported.tie_margin} at most` : null],
    ...series.scenarios.map(
      ({ scenario, comparison }) =>
        [
          `Comparison of ${scenario}`,
          comparison === undefined ? null : (
            <a href={toSeries(`cmp-${comparison}`)}>
              <code>{comparison}</code>
            </a>
          ),
        ] as const,
    ),
    ...describing(series),
  ];
  return (
    <dl class="plan">
      {rows
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const limitsText = ({ trials, stop_when_sure, parallel, max_cost_usd }: SeriesLimits) =>
  `${countOf(trials, "trial")}${stop_when_sure ? ", ends when sure" : ""}, ${parallel} at once, ${max_cost_usd === null ? "no cost limit" : usd(max_cost_usd)}`;

function describing({ descriptive: { sign_p, wilson, by_scenario }, scenarios }: Series) {
  return [
    ["Sign test, only describes", sign_p === null ? null : `p ${sign_p.toPrecision(2)}`],
    [
      "Decisive trials won, only describes",
      wilson && `${percentText(wilson.share)}, ${percentText(wilson.low)} to ${percentText(wilson.high)}`,
    ],
    [
      "For scenarios like these, only describes",
      by_scenario &&
        `net ${signed(by_scenario.mean)}, ${signed(by_scenario.low)} to ${signed(by_scenario.high)}; ahead in ${by_scenario.ahead} of ${scenarios.length}`,
    ],
  ] as const;
}

/** Who judged, what decided, and what that cost. */
export function JudgeCosts({ series }: { series: Series }) {
  const { judge, decided_by, cost_usd, counts } = series;
  const deciders = {
    judge: "the judge",
    probe: "hidden checks",
    gate: "a broken rule",
    measured: "measures",
    none: "nothing",
  };
  const decided = Object.entries(deciders).flatMap(([by, name]) => {
    const trials = decided_by[by as keyof typeof deciders];
    return trials === 0 ? [] : [`${name} ${trials}`];
  });
  const missing = counts.invalid + counts.failed + counts.cancelled + counts.deleted;
  const causes = missingText(series);
  /** One cause has all of them. */
  const isTold = causes.startsWith(`${count(missing)} `);
  return (
    <dl class="glance">
      <Entry name="Judge">
        {judge.model !== null && isBuiltin(judge.model) && "no model "}
        <code>{judge.model}</code>
      </Entry>
      <Entry name="Decided by">{decided.join(", ") || "–"}</Entry>
      <Entry name="Cost of judging">{usd(judge.cost_usd)}</Entry>
      <Entry name="Cost of a trial">{usd(cost_usd.per_trial)}</Entry>
      {cost_usd.to_claim !== null && <Entry name="Cost until the claim">{usd(cost_usd.to_claim)}</Entry>}
      {missing > 0 && (
        <Entry name="Missing trials">
          {isTold ? causes : count(missing)}
          {!isTold && <span class="aside"> ({causes})</span>}
        </Entry>
      )}
    </dl>
  );
}
