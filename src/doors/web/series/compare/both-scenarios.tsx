import { memberName } from "../../../../domain/member.ts";
import type { Series } from "../../../../domain/series.ts";
import { DataTable } from "../../part/table.tsx";
import { RangeBar, rateAndRange } from "../range-bar.tsx";
import { ScenarioLink } from "../scenario-link.tsx";
import { SeriesName } from "../series-mark.tsx";
import type { ScenarioRow } from "../suite-rows.ts";
import { type PairOf, scenarioPairs } from "./kinship.ts";

/** Every scenario of either series: those of both first. */
export function BothScenarios({ series }: { series: PairOf<Series> }) {
  const heads = ["Scenario", <SeriesName key="1" nth={1} />, <SeriesName key="2" nth={2} />];
  return (
    <>
      <DataTable label="Both series by scenario" kind="both-scenarios" heads={heads}>
        {scenarioPairs(series).map(({ member, rows, changed }) => (
          <tr key={memberName(member)}>
            <th scope="row">
              <ScenarioLink series={series[0]} member={member} />
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
