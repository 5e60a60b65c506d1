import type { PassedCount, Series } from "../../../domain/series.ts";
import type { Side } from "../../../domain/verdict.ts";
import { passedText } from "../../../statistics/figure-text.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import { armHeads } from "./arms-table.tsx";
import { ShareBar } from "./range-bar.tsx";

/** Lines at most: of more, the table of what failed tells. */
const LINES = 200;

/** How often each hidden check passed, for each arm. Nothing without such. */
export function CheckRates({ series: { scenarios, arms } }: { series: Series }) {
  const isSuite = scenarios.length > 1;
  const rows = scenarios.flatMap(({ scenario, checks }) => checks.map((check) => ({ scenario, ...check })));
  if (rows.length === 0 || rows.length > LINES) return null;
  return (
    <section data-stop tabIndex={-1}>
      <h2>Hidden checks</h2>
      <DataTable
        label="How often each hidden check passed"
        kind="sides facts check-rates folded"
        heads={["Passed in how many trials", ...armHeads(arms)]}
      >
        {rows.map((row) => (
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
                <Passed side={side} count={row[side]} />
              </td>
            ))}
          </tr>
        ))}
      </DataTable>
      <p class="small-print">
        Of the completed trials, whoever won. The bar is the 95% range (Wilson); it only describes.
      </p>
    </section>
  );
}

const Passed = ({ side, count }: { side: Side; count: PassedCount | null }) => (
  <>
    {passedText(count)}
    {count && <ShareBar side={side} share={count.passed / count.trials} low={count.low} high={count.high} />}
  </>
);
