/** The first or the second of two series that are compared. Number, colour and the kind of its line go together. */
export function SeriesMark({ nth }: { nth: 1 | 2 }) {
  return (
    <span class={`series-mark nth-${nth}`} aria-hidden="true">
      {nth}
    </span>
  );
}

export function SeriesName({ nth }: { nth: 1 | 2 }) {
  return (
    <span class="series-name">
      <SeriesMark nth={nth} />
      <span>Series {nth}</span>
    </span>
  );
}
