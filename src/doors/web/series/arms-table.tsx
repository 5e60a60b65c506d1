import type { ComponentChildren } from "preact";
import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import type { SolvedCount } from "../../../domain/series-arm.ts";
import { skillNames, skillText } from "../../../statistics/skill-text.ts";
import { count, duration, tokens, UNKNOWN, usd } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";

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

const runRows = (arms: Series["arms"]): readonly Row[] => [
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
    ? [["Score, mean", ({ mean_score }) => mean_score?.toFixed(3) ?? UNKNOWN]]
    : [
        ["Passed", ({ solved }) => <Solved solved={solved} />],
        ["Chance to pass several times in a row", ({ solved }) => reliabilityText(solved)],
      ];

/** Both arms by name, as heads of their columns. */
export const armHeads = (arms: Series["arms"]) =>
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
    return share === undefined ? [] : [`${k} times: ${percentText(share)}`];
  });
  return told.length === 0 ? "–" : told.join(" · ");
}

const solvedText = (solved: SolvedCount | null) =>
  solved === null ? "no required checks" : `${count(solved.solved)} of ${count(solved.trials)}`;
