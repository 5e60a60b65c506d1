import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Chunk } from "../part/chunk.tsx";
import { Scroller } from "../part/page.tsx";
import type { FileChange } from "./file-change.ts";
import { highlightLines } from "./highlight.ts";
import { type Colours, HiddenRow, LineRow, PairRow } from "./line-row.tsx";
import { isHidden, matesOf, type Pair, pairsOf } from "./pairs.ts";
import { type ShownLine, withContext } from "./with-context.ts";

interface FileLinesProps {
  readonly change: FileChange;
  /** The line that a citation names; null or 0 for none. */
  readonly cited: number | null;
  readonly label: string;
  readonly beside: boolean;
}

/** Lines drawn at once. A chunk that is out of sight is a space of the same height. */
const CHUNK = 120;

/** Pixels; the same as in the style sheet. */
const LINE_HEIGHT = 20;

/** The lines of one file that differ, one below the other or both versions beside each other. */
export function FileLines({ change, cited, label, beside }: FileLinesProps) {
  const unfolded = useSignal<ReadonlySet<number>>(new Set());
  const unfold = (after: number) => {
    unfolded.value = new Set([...unfolded.peek(), after]);
  };
  const colours = useMemo(() => coloursOf(change), [change]);
  const lines = useMemo(() => withContext(change, unfolded.value), [change, unfolded.value]);
  const pairs = useMemo(() => pairsOf(lines), [lines]);
  const mates = useMemo(() => matesOf(pairs), [pairs]);
  const rows: readonly (Pair | ShownLine)[] = beside ? pairs : lines;
  const wanted = cited ? citedIndex(rows, cited) : -1;
  const starts = Array.from({ length: Math.ceil(rows.length / CHUNK) }, (_, index) => index * CHUNK);
  const drawn = (row: Pair | ShownLine, index: number) => {
    if (isHidden(row)) return <HiddenRow key={index} hidden={row} unfold={unfold} />;
    const isCited = index === wanted;
    if ("kind" in row) return <LineRow key={index} line={row} mate={mates.get(row)} {...{ colours, isCited }} />;
    return <PairRow key={index} pair={row} {...{ colours, isCited }} />;
  };
  return (
    <Scroller kind={beside ? "lines lines-beside" : "lines"} label={label}>
      <div class="lines-inner">
        {starts.map((start) => {
          const chunk = rows.slice(start, start + CHUNK);
          const eager = start === 0 || (wanted >= start && wanted < start + CHUNK);
          return (
            <Chunk key={start} height={chunk.length * LINE_HEIGHT} eager={eager}>
              {() => chunk.map((row, index) => drawn(row, start + index))}
            </Chunk>
          );
        })}
      </div>
    </Scroller>
  );
}

const coloursOf = ({ path, before, after }: FileChange): Colours => ({
  before: highlightLines(path, before),
  after: highlightLines(path, after),
});

/** A citation means the line's number after the change, or before it when no such line is left. */
function citedIndex(rows: readonly (Pair | ShownLine)[], line: number): number {
  const at = (row: Pair | ShownLine, side: "before" | "after") => {
    if (isHidden(row)) return null;
    if ("kind" in row) return row[side];
    return (side === "before" ? row.left?.before : row.right?.after) ?? null;
  };
  const now = rows.findIndex((row) => at(row, "after") === line);
  return now === -1 ? rows.findIndex((row) => at(row, "before") === line) : now;
}
