import type { SeriesListing } from "../../../../domain/series-listing.ts";
import { when } from "../../format.ts";
import { toCompareSeries } from "../../routes.ts";
import { SeriesMark } from "../series-mark.tsx";
import { type Apartness, apartBy } from "./kinship.ts";

interface Picks {
  /** Two ids at most, in the order in which they were picked. */
  readonly picked: readonly string[];
  readonly pick: (ids: readonly string[]) => void;
}

interface PickSeriesProps extends Picks {
  readonly row: SeriesListing;
  /** The first that was picked; undefined when none was, or none that is listed. */
  readonly first: SeriesListing | undefined;
}

const APART: Readonly<Record<Apartness, string>> = {
  arms: "other arms",
  exchanged: "exchanged arms",
  scenarios: "other scenarios",
};

/** Picks a series for a comparison. A third takes the place of the first. */
export function PickSeries({ row, first, picked, pick }: PickSeriesProps) {
  const { series_id } = row;
  const place = picked.indexOf(series_id);
  const others = picked.filter((id) => id !== series_id);
  const apart = first && place === -1 && picked.length === 1 ? apartBy([first, row]) : [];
  return (
    <label class="pick">
      <input
        type="checkbox"
        checked={place !== -1}
        onChange={() => pick(place === -1 ? [...others, series_id].slice(-2) : others)}
      />
      {place !== -1 && <SeriesMark nth={place === 0 ? 1 : 2} />}
      <span class={place === -1 ? undefined : "hidden-text"}>Compare</span>
      <span class="hidden-text"> {series_id}</span>
      {apart.length > 0 && <span class="aside">{apart.map((why) => APART[why]).join(", ")}</span>}
    </label>
  );
}

/** The series picked so far, and the link to their comparison. */
export function CompareSeriesBar({ rows, picked, pick }: Picks & { rows: readonly SeriesListing[] }) {
  const [a, b] = picked;
  if (a === undefined) return null;
  return (
    <div class="compare-bar" role="status">
      <Picked nth={1} id={a} rows={rows} />
      {b ? <Picked nth={2} id={b} rows={rows} /> : <span>Pick one more series.</span>}
      <span class="compare-bar-end">
        {b && (
          <a class="button primary" href={toCompareSeries(a, b)}>
            Compare these two
          </a>
        )}
        <button type="button" class="quiet" onClick={() => pick([])}>
          Clear
        </button>
      </span>
    </div>
  );
}

function Picked({ nth, id, rows }: { nth: 1 | 2; id: string; rows: readonly SeriesListing[] }) {
  const row = rows.find(({ series_id }) => series_id === id);
  return (
    <span class="series-name">
      <SeriesMark nth={nth} />
      <span>{row ? `${row.scenarios[0]}, ${when(row.created_at)}` : <code>{id}</code>}</span>
    </span>
  );
}
