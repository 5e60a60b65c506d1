import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { count } from "../format.ts";
import { Chunk } from "../part/chunk.tsx";
import { Scroller } from "../part/page.tsx";
import type { ChangedText } from "./file-change.ts";
import { HiddenRow, LineRow, PairRow } from "./line-row.tsx";
import { isHidden, type LinePair, matesOf, pairsOf } from "./pairs.ts";
import { useColours } from "./use-colours.ts";
import { type ShownLine, withContext } from "./with-context.ts";

interface FileLinesProps {
  readonly path: string;
  readonly text: ChangedText;
  /** The line that a citation names; null or 0 for none. */
  readonly cited: number | null;
  readonly label: string;
  readonly beside: boolean;
}

/** Lines drawn at once. A chunk that is out of sight is a space of the same height. */
const CHUNK = 20;

/** Pixels; the same as in the style sheet. */
const LINE_HEIGHT = 20;

/** Lines of a file that are laid out at first, and each time that a reader asks for more. */
const LAID_OUT = 20_000;

/** The lines of one file that differ, one below the other or both versions beside each other. */
export function FileLines({ path, text, cited, label, beside }: FileLinesProps) {
  const unfolded = useSignal<ReadonlySet<number>>(new Set());
  const most = useSignal(LAID_OUT);
  const unfold = (after: number) => {
    unfolded.value = new Set([...unfolded.peek(), after]);
  };
  const { colours, place } = useColours(path, text);
  const limit = Math.max(most.value, cited ? placeOf(text, cited) + CHUNK : 0);
  const lines = useMemo(() => withContext(text, unfolded.value, limit), [text, unfolded.value, limit]);
  const pairs = useMemo(() => pairsOf(lines), [lines]);
  const mates = useMemo(() => matesOf(pairs), [pairs]);
  const rows: readonly (LinePair | ShownLine)[] = beside ? pairs : lines;
  const wanted = cited ? citedIndex(rows, cited) : -1;
  const starts = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) => index * CHUNK);
  const left = text.lines.length - limit;
  const drawn = (row: LinePair | ShownLine, index: number) => {
    if (isHidden(row)) return <HiddenRow key={index} hidden={row} unfold={unfold} />;
    const isCited = index === wanted;
    if ("kind" in row) return <LineRow key={index} line={row} mate={mates.get(row)} {...{ colours, isCited }} />;
    return <PairRow key={index} pair={row} {...{ colours, isCited }} />;
  };
  return (
    <>
      <Scroller kind={beside ? "lines lines-beside" : "lines"} label={label}>
        <div ref={place} class="lines-inner">
          {starts.map((start) => {
            const chunk = rows.slice(start, start + CHUNK);
            const eager = start === 0 || (wanted >= start && wanted < start + CHUNK);
            return (
              <Chunk key={start} height={chunk.length * LINE_HEIGHT} eager={eager} passing>
                {() => chunk.map((row, index) => drawn(row, start + index))}
              </Chunk>
            );
          })}
        </div>
      </Scroller>
      {left > 0 && (
        <p class="file-note">
          {count(left)} more lines are not shown.{" "}
          <button type="button" class="quiet" onClick={() => (most.value = limit + LAID_OUT)}>
            Show {left > LAID_OUT ? `the next ${count(LAID_OUT)}` : "them"}
          </button>
        </p>
      )}
    </>
  );
}

/** A citation means the line's number after the change, or before it when no such line is left. */
function citedIndex(rows: readonly (LinePair | ShownLine)[], line: number): number {
  const at = (row: LinePair | ShownLine, side: "before" | "after") => {
    if (isHidden(row)) return null;
    if ("kind" in row) return row[side];
    return (side === "before" ? row.left?.before : row.right?.after) ?? null;
  };
  const now = rows.findIndex((row) => at(row, "after") === line);
  return now === -1 ? rows.findIndex((row) => at(row, "before") === line) : now;
}

const placeOf = ({ lines }: ChangedText, line: number): number =>
  lines.findIndex(({ before, after }) => after === line || before === line);
