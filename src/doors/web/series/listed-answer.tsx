import { signedPoints } from "../../../domain/points-text.ts";
import { listedAnswer } from "../../../domain/series-answer.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import { Say } from "../part/say.tsx";
import { RangeBar } from "./range-bar.tsx";

/** What a series of a list says of the candidate, in the colour of the arm that is better. */
export function ListedAnswer({ row }: { row: SeriesListing }) {
  const { words, side } = listedAnswer(row);
  return (
    <span class={side && `preferred side-${side}`}>
      <Say words={words} />
    </span>
  );
}

/** How far the candidate is ahead, on a line from -100 to +100 points, and in words. */
export function ListedRange({ row }: { row: SeriesListing }) {
  const { net, candidate } = listedAnswer(row);
  if (net === null) return <span class="aside">no trial counts</span>;
  const [win_rate = 0, low = 0, high = 1] = [net.difference, net.low, net.high].map((points) => (points + 1) / 2);
  return (
    <>
      <RangeBar {...{ win_rate, low, high, conclusion: row.standing.conclusion }} />
      <span class="aside">
        {candidate}: net {signedPoints(net.difference)} points, range {signedPoints(net.low)} to{" "}
        {signedPoints(net.high)}
      </span>
    </>
  );
}
