import type { Series, SolvedCount } from "../../domain/series.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Scroller } from "../part/page.tsx";
import { toScenario } from "../routes.ts";
import { ConclusionName } from "./conclusion.tsx";
import { RangeBar, rangeText } from "./range-bar.tsx";

/** What each scenario of a suite shows by itself. */
export function ScenarioTable({ series }: { series: Series }) {
  const arms = { a: series.arms.a.arm_id, b: series.arms.b.arm_id };
  return (
    <>
      <Scroller kind="scroller" label="Results by scenario">
        <table class="by-scenario">
          <thead>
            <tr>
              <th scope="col">Scenario</th>
              <th scope="col">Wins – none – losses</th>
              <th scope="col">Win rate of {arms.a}</th>
              <th scope="col">
                <ArmName side="a" name="solved" />
              </th>
              <th scope="col">
                <ArmName side="b" name="solved" />
              </th>
              <th scope="col">By itself</th>
            </tr>
          </thead>
          <tbody>
            {series.scenarios.map(({ scenario, counts, headline, solved, conclusion }) => (
              <tr key={scenario}>
                <th scope="row">
                  <a href={toScenario(scenario)}>{scenario}</a>
                </th>
                <td>
                  {counts.wins} – {counts.ties} – {counts.losses}
                </td>
                <td class="range-cell">
                  <RangeBar {...headline} margin={series.levels.margin} />
                  {rangeText(headline)}
                </td>
                <td>{solvedText(solved.a)}</td>
                <td>{solvedText(solved.b)}</td>
                <td>{conclusion === "undecided" ? "–" : <ConclusionName conclusion={conclusion} arms={arms} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p class="small-print">
        Every scenario counts the same. A row makes a claim of its own only at a higher bar, because with many rows some
        would cross the usual one by chance.
      </p>
    </>
  );
}

export const solvedText = (solved: SolvedCount | null) =>
  solved === null ? "no required checks" : `${solved.solved} of ${solved.trials}`;
