import { type Caveat, caveatsOf, FLAG_OF_DOUBT } from "../../../domain/caveat.ts";
import type { Doubt } from "../../../domain/series-summary.ts";
import { goToPart } from "./contents.tsx";

/** The same chip wherever a result is shown. */
const CaveatChip = ({ caveat: { text, isGrave } }: { caveat: Caveat }) => (
  <span class={`caveat tone-${isGrave ? "danger" : "warn"}`} title={text}>
    <span aria-hidden="true">{isGrave ? "✕" : "!"}</span> {text}
  </span>
);

interface CaveatChipsProps {
  readonly flags: readonly string[] | undefined;
  readonly conflict?: boolean | undefined;
  /** The status beside the chips names it. */
  readonly named?: Doubt | undefined;
  /** Where there is room for the gravest alone: the page that shows all of them. */
  readonly rest?: string;
}

export function CaveatChips({ flags = [], conflict = false, named, rest }: CaveatChipsProps) {
  const caveats = caveatsOf(flags, conflict).filter(({ id }) => named === undefined || id !== FLAG_OF_DOUBT[named]);
  const shown = rest === undefined ? caveats : caveats.slice(0, 1);
  const others = caveats.slice(shown.length).map(({ text }) => text);
  return (
    <>
      {shown.map((caveat) => (
        <CaveatChip key={caveat.id} caveat={caveat} />
      ))}
      {rest !== undefined && others.length > 0 && (
        <a href={rest} title={others.join(", ")}>
          +{others.length}
          <span class="hidden-text"> more: {others.join(", ")}</span>
        </a>
      )}
    </>
  );
}

/** Where a page explains a caveat. */
export const caveatPart = (id: string): string => (id === "conflict" ? "history" : `flag-${id}`);

interface CaveatLineProps {
  readonly flags: readonly string[];
  readonly conflict?: boolean;
  /** What the verdicts say that contradict each other. */
  readonly says?: string;
}

/** One line below a headline: what can overturn it. Each leads to its explanation on the page. */
export function CaveatLine({ flags, conflict = false, says }: CaveatLineProps) {
  const caveats = caveatsOf(flags, conflict);
  if (caveats.length === 0) return null;
  return (
    <ul class="caveats" aria-label="Before you trust this">
      {caveats.map((caveat) => (
        <li key={caveat.id}>
          <a href={`#${caveatPart(caveat.id)}`} onClick={(event) => goToPart(event, caveatPart(caveat.id))}>
            <CaveatChip caveat={caveat} />
          </a>
        </li>
      ))}
      {says !== undefined && conflict && <li>{says}</li>}
    </ul>
  );
}
