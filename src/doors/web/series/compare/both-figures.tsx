import { percentText } from "../../../../domain/number-text.ts";
import type { Series } from "../../../../domain/series.ts";
import { evidenceText, limitText } from "../../../../statistics/figure-text.ts";
import { count, UNKNOWN } from "../../format.ts";
import { ArmName } from "../../part/arm-name.tsx";
import { Scroller } from "../../part/page.tsx";
import { DataTable } from "../../part/table.tsx";
import { SeriesName } from "../series-mark.tsx";
import { type FigureRow, figureGroups } from "./figures.ts";
import type { PairOf } from "./kinship.ts";

/** Checks, cost and time of both series with the differences. */
export function BothFigures({ series }: { series: PairOf<Series> }) {
  const [one, other] = series;
  return (
    <>
      <Scroller kind="scroller" label="Both series in numbers">
        <table class="both-figures">
          <thead>
            <tr>
              <th scope="col">Of a trial</th>
              <th scope="col">
                <SeriesName nth={1} />
              </th>
              <th scope="col">
                <SeriesName nth={2} />
              </th>
              <th scope="col">2 minus 1</th>
            </tr>
          </thead>
          {figureGroups(series).map(({ side, rows }) => (
            <tbody key={side}>
              <tr>
                <th scope="rowgroup" colSpan={4}>
                  {side === null ? (
                    "Both arms and the judge"
                  ) : (
                    <ArmName side={side} name={armText([one.arms[side].arm_id, other.arms[side].arm_id])} />
                  )}
                </th>
              </tr>
              {rows.map((row) => (
                <Figures key={row.name} row={row} />
              ))}
            </tbody>
          ))}
        </table>
      </Scroller>
      <p class="small-print">
        These figures only describe. Ranges of passed checks are Wilson's at 95%, the range of their difference is
        Newcombe's; both are right for one look at a number of trials that was fixed before. Means and medians have no
        range.
      </p>
    </>
  );
}

function Figures({ row: { name, texts, ranges, difference } }: { row: FigureRow }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {texts.map((text, index) => (
        <td key={index}>
          {text}
          {ranges?.[index] && <span class="aside figure-range">{ranges[index]}</span>}
        </td>
      ))}
      <td>{difference ?? "–"}</td>
    </tr>
  );
}

const armText = ([one, other]: PairOf<string>) => (one === other ? one : `${one}, ${other}`);

/** Where the evidence of both stands, and what is left of their plans. */
export function EvidenceFigures({ series }: { series: PairOf<Series> }) {
  const rows: readonly (readonly [name: string, text: (one: Series) => string])[] = [
    [
      "Evidence now",
      ({ headline, levels }) => `${evidenceText(headline.e, levels.alpha)} (${limitText(levels.alpha)} needed)`,
    ],
    ["Claim", claimText],
    [
      "Trials left in the plan",
      ({ forecast }) => (forecast.trials_left === null ? "no plan" : count(forecast.trials_left)),
    ],
    ["Chance of a claim in them", chanceText],
  ];
  const heads = ["So far", <SeriesName key="1" nth={1} />, <SeriesName key="2" nth={2} />];
  return (
    <DataTable label="Evidence of both series" kind="facts" heads={heads}>
      {rows.map(([name, text]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          {series.map((one, index) => (
            <td key={index}>{text(one)}</td>
          ))}
        </tr>
      ))}
    </DataTable>
  );
}

function claimText({ arms, headline: { claim, fragile } }: Series): string {
  if (claim === null) return "none";
  return `for ${arms[claim.side].arm_id}, at trial ${claim.at_trial}${fragile ? ", fragile" : ""}`;
}

function chanceText({ headline, forecast: { chance_of_claim, trials_left } }: Series): string {
  if (headline.claim !== null) return "it is made";
  if (trials_left === 0) return "no trial is left";
  return chance_of_claim === null ? UNKNOWN : percentText(chance_of_claim);
}
