import type { SeriesGroup } from "../../domain/series.ts";
import type { SeriesColumn } from "../../domain/series-record.ts";
import type { Findings } from "../claim/findings.ts";
import { winRateRange } from "../claim/interval.ts";
import { countedIn } from "../claim/tally.ts";

/** What the rows with each value of a column show, from complete rounds. It describes: no claim is made of a group. */
export function groupsOf({ tallies, sequential, subject }: Findings, { field, values, of_row }: SeriesColumn) {
  const rounds = sequential.log_e.length;
  return values.map((value, index): SeriesGroup => {
    const counted = tallies.flatMap((tally, row) => (of_row[row] === index ? countedIn(tally, rounds) : []));
    const count = (difference: number) => counted.filter(({ d }) => d === difference).length;
    const counts = { wins: count(1), ties: count(0), losses: count(-1) };
    const trials = counted.length;
    return {
      ...{ field, value },
      counts: { rows: of_row.filter((one) => one === index).length, trials, ...counts },
      win_rate: trials === 0 ? null : (counts.wins + counts.ties / 2) / trials,
      ...winRateRange(counts, subject.told.levels.alpha),
    };
  });
}
