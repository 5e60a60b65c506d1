import { useMemo } from "preact/hooks";
import type { Series } from "../../../domain/series.ts";
import type { PassedCount } from "../../../domain/series-arm.ts";
import type { Side } from "../../../domain/verdict.ts";
import { CHECK_RATES, checkRates } from "../../../statistics/check-rates.ts";
import { passedText } from "../../../statistics/figure-text.ts";
import { count } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import { armHeads } from "./arms-table.tsx";
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
                <Passed side={side} rate={row[side]} />
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

const Passed = ({ side, rate }: { side: Side; rate: PassedCount | null }) => (
  <>
    {passedText(rate)}
    {rate && <ShareBar side={side} share={rate.passed / rate.trials} low={rate.low} high={rate.high} />}
  </>
);
