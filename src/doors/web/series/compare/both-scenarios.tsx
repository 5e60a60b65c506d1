import type { Series } from "../../../../domain/series.ts";
import { DataTable } from "../../part/table.tsx";
import { toScenario } from "../../routes.ts";
import { RangeBar, rateAndRange } from "../range-bar.tsx";
import { SeriesName } from "../series-mark.tsx";
import type { ScenarioRow } from "../suite-rows.ts";
import type { PairOf } from "./kinship.ts";

/** Every scenario of either series: those of both first. */
export function BothScenarios({ series }: { series: PairOf<Series> }) {
  const heads = ["Scenario", <SeriesName key="1" nth={1} />, <SeriesName key="2" nth={2} />];
  return (
    <>
      <DataTable label="Both series by scenario" kind="both-scenarios" heads={heads}>
        {scenarioPairs(series).map(({ scenario, rows, changed }) => (
          <tr key={scenario}>
            <th scope="row">
              <a href={toScenario(scenario)}>{scenario}</a>
              {changed && <small>defined or judged otherwise</small>}
            </th>
            {rows.map((row, index) => (
              <td key={index}>{row ? <OfScenario row={row} /> : <span class="aside">not in it</span>}</td>
            ))}
          </tr>
        ))}
      </DataTable>
      <p class="small-print">
        The win rate of arm A, its range, and in brackets its wins – none – losses. Ranges of a row are wider, since
        with many rows some would look sure by chance.
      </p>
    </>
  );
}

function OfScenario({ row: { counts, headline, conclusion } }: { row: ScenarioRow }) {
  return (
    <div class="range-cell">
      <RangeBar {...headline} conclusion={conclusion} />
      {rateAndRange(headline)}{" "}
      <span class="aside">
        ({counts.wins} – {counts.ties} – {counts.losses})
      </span>
    </div>
  );
}

interface ScenarioPair {
  readonly scenario: string;
  readonly rows: PairOf<ScenarioRow | undefined>;
  /** Its comparison is another one. */
  readonly changed: boolean;
}

function scenarioPairs([one, other]: PairOf<Series>): readonly ScenarioPair[] {
  const [first, second] = [byName(one), byName(other)];
  const pairs = [...new Set([...first.keys(), ...second.keys()])].map((scenario) => {
    const rows = [first.get(scenario), second.get(scenario)] as const;
    return { scenario, rows, changed: rows.every(Boolean) && rows[0]?.comparison !== rows[1]?.comparison };
  });
  const inBoth = ({ rows }: ScenarioPair) => rows.every((row) => row !== undefined);
  return [...pairs.filter(inBoth), ...pairs.filter((pair) => !inBoth(pair))];
}

const byName = ({ scenarios }: Series) => new Map(scenarios.map((row) => [row.scenario, row]));
