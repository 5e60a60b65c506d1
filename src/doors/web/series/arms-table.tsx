import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import type { SeriesCheck, SolvedCount } from "../../../domain/series-arm.ts";
import type { Side } from "../../../domain/verdict.ts";
import { CHECK_RATES, checkRates, skillNames, skillText } from "../../../statistics/arm-rates.ts";
import { checkRateText } from "../../../statistics/figure-text.ts";
import { count, duration, tokens, UNKNOWN, usd } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import { ShareBar } from "./range-bar.tsx";

/** How often each hidden check passed, for each arm. Nothing without such. */
export function CheckRates({ arms, scenarios }: Pick<Series, "arms" | "scenarios">) {
  const rates = useMemo(() => checkRates(scenarios), [scenarios]);
  if (rates.length === 0) return null;
  const isSuite = new Set(rates.map(({ scenario }) => scenario)).size > 1;
  return (
    <section data-stop tabIndex={-1}>
      <h2>Hidden checks</h2>
      <DataTable
        label="How often each hidden check passed"
        kind="sides facts check-rates folded"
        heads={["Passed in how many trials", ...armHeads(arms)]}
      >
        {rates.slice(0, CHECK_RATES).map((row) => (
          <tr key={`${row.scenario} ${row.id}`}>
            <th scope="row">
              {isSuite && <span class="aside">{row.scenario} </span>}
              {row.id}
            </th>
            {ARM_SIDES.map((side) => (
              <td key={side} class="range-cell">
                <span class="of-arm">
                  <ArmName side={side} name={arms[side].arm_id} />
                </span>
                <Passed side={side} row={row} />
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
      <p class="small-print">
        {rates.length > CHECK_RATES && `And ${count(rates.length - CHECK_RATES)} more. `}Of the completed trials,
        whoever won. The bar is the 95% range (Wilson); it only describes.
      </p>
    </section>
  );
}

const Passed = ({ side, row, row: { [side]: rate } }: { side: Side; row: SeriesCheck }) => (
  <>
    {checkRateText(row, side)}
    {rate && <ShareBar side={side} share={rate.passed / rate.trials} low={rate.low} high={rate.high} />}
  </>
);

type Arm = Series["arms"]["a"];

/** How often each arm solved the task, how reliably, and what a trial cost. */
export function ArmsTable({ series: { arms, imported } }: { series: Series }) {
  const rows: readonly Row[] = imported ? importedRows(imported) : runRows(arms);
  return (
    <DataTable label="Both arms in numbers" kind="sides facts" heads={["Over all trials", ...armHeads(arms)]}>
      {rows.map(([name, of]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {ARM_SIDES.map((side) => (
            <td key={side}>{of(arms[side])}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

type Row = readonly [name: string, of: (arm: Arm) => ComponentChildren];

const SCORE_ROW: Row = ["Score, mean", ({ mean_score }) => mean_score?.toFixed(3) ?? UNKNOWN];

const runRows = (arms: Series["arms"]): readonly Row[] => [
  ...(arms.a.mean_score === undefined ? [] : [SCORE_ROW]),
  ["Passed every required check", ({ solved }) => <Solved solved={solved} />],
  ["Chance to solve it several times in a row", ({ solved }) => reliabilityText(solved)],
  ...(arms.a.crashed || arms.b.crashed
    ? ([
        ["Agent crashed", ({ crashed }: Arm) => (crashed ? `${crashed.crashed} of ${crashed.trials}` : "never")],
      ] as const)
    : []),
  ...(arms.a.usage_lost || arms.b.usage_lost
    ? ([
        [
          "Tokens not known",
          ({ usage_lost }: Arm) => (usage_lost ? `${usage_lost.lost} of ${usage_lost.trials}` : "never"),
        ],
      ] as const)
    : []),
  ...skillNames(arms).map((name): Row => [`Read the skill ${name}`, (arm) => skillText(arm, name)]),
  ["Cost of a trial, mean", ({ cost_usd }) => usd(cost_usd.mean)],
  ["Cost of all trials", ({ cost_usd }) => usd(cost_usd.total)],
  ["Time of a trial, median", ({ wall_ms_median }) => duration(wall_ms_median)],
  ["Tokens of all trials", (arm) => tokens(arm.tokens)],
];

const importedRows = ({ measure }: NonNullable<Series["imported"]>): readonly Row[] =>
  measure === "score"
    ? [SCORE_ROW]
    : [
        ["Passed", ({ solved }) => <Solved solved={solved} />],
        ["Chance to pass several times in a row", ({ solved }) => reliabilityText(solved)],
      ];

/** Both arms by name, as heads of their columns. */
const armHeads = (arms: Series["arms"]) =>
  ARM_SIDES.map((side) => <ArmName key={side} side={side} name={arms[side].arm_id} />);

function Solved({ solved }: { solved: SolvedCount | null }) {
  return (
    <>
      {solvedText(solved)}
      {solved !== null && solved.trials > 0 && (
        <span class="aside">
          {" "}
          95% range {percentText(solved.low)} to {percentText(solved.high)}
        </span>
      )}
    </>
  );
}

/** Few steps tell how fast it falls. */
const TOLD: readonly number[] = [2, 4, 8];

function reliabilityText(solved: SolvedCount | null): string {
  const told = TOLD.flatMap((k) => {
    const share = solved?.pass_power[k - 1];
    const [low, high] = [solved?.pass_power_low[k - 1], solved?.pass_power_high[k - 1]];
    if (share === undefined || low === undefined || high === undefined) return [];
    return [`${k} times: ${percentText(share)} (${percentText(low)} to ${percentText(high)})`];
  });
  return told.length === 0 ? "–" : told.join(" · ");
}

const solvedText = (solved: SolvedCount | null) =>
  solved === null ? "no required checks" : `${count(solved.solved)} of ${count(solved.trials)}`;
