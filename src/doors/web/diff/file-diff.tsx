import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { count, countOf } from "../format.ts";
import { Chunk } from "../part/chunk.tsx";
import { Scroller } from "../part/page.tsx";
import { useOpened } from "../part/use-opened.ts";
import type { ChangedText, FileChange } from "./file-change.ts";
import { HiddenRow, LineRow, PairRow, ShownText } from "./line-row.tsx";
import { isHidden, type LinePair, matesOf, pairsOf, type ShownLine, withContext } from "./pairs.ts";
import { useColours } from "./use-colours.ts";

interface FileDiffProps {
  readonly change: FileChange;
  /** The line that a citation names. 0: the whole file. Null: none. */
  readonly cited: number | null;
  /** What is compared, as in "fixture to root-cause", where the file does not say it. */
  readonly between: string;
  /** Lines above which the file stays closed until the reader opens it. */
  readonly open_lines?: number;
  /** Both versions beside each other. */
  readonly beside?: boolean;
  /** Whether the reader is done with it; it is closed then. */
  readonly seen?: boolean;
  /** Absent where nobody asks. */
  readonly markSeen?: (seen: boolean) => void;
  readonly id?: string;
}

/** The lines of a file that is open at first: more take long to draw. */
const OPEN_LINES = 400;

export function FileDiff(props: FileDiffProps) {
  const { change, cited, between, open_lines = OPEN_LINES, beside = false, seen = false, markSeen, id } = props;
  const isShort = change.size <= open_lines;
  const opened = useOpened(isShort && !seen);
  const open = opened.value || cited !== null;
  return (
    // A fold that had the focus by itself would take it from all that is in it.
    <div id={id} class="file-stop" data-stop tabIndex={-1}>
      {markSeen && <SeenMark path={change.path} seen={seen} mark={markSeen} />}
      <details
        class="file"
        data-cited={cited === 0 || undefined}
        open={open}
        onToggle={(event) => (opened.value = event.currentTarget.open)}
      >
        <summary>
          <span class="file-path">
            <ShownText text={change.path} />
          </span>
          <span class="aside">{change.label ?? change.status}</span>
          <LineCounts change={change} />
        </summary>
        {open && <OpenFile change={change} cited={cited} between={change.between ?? between} beside={beside} />}
      </details>
    </div>
  );
}

function OpenFile({
  change,
  cited,
  between,
  beside,
}: Required<Pick<FileDiffProps, "change" | "cited" | "between" | "beside">>) {
  const text = change.read();
  return (
    <>
      {text.note && <p class="file-note">{text.note}</p>}
      {text.lines.length > 0 && (
        <FileLines path={change.path} text={text} cited={cited} label={`${change.path}: ${between}`} beside={beside} />
      )}
    </>
  );
}

/** A file that was seen closes, so its mark stands beside the fold: whoever ticked it can take that back. */
function SeenMark({ path, seen, mark }: { path: string; seen: boolean; mark: (seen: boolean) => void }) {
  return (
    <label class="check seen-mark">
      <input type="checkbox" checked={seen} onChange={({ currentTarget: { checked } }) => mark(checked)} />
      Seen<span class="hidden-text">: {path}</span>
    </label>
  );
}

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
function FileLines({ path, text, cited, label, beside }: FileLinesProps) {
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

/** Lines added and removed, where they are counted. */
export function LineCounts({ change: { added, removed } }: { change: Pick<FileChange, "added" | "removed"> }) {
  if (added === null || removed === null) return null;
  return (
    <span class="quantity">
      <span class="added-count">+{count(added)}</span> <span class="removed-count">−{count(removed)}</span>
      <span class="hidden-text">
        {countOf(added, "line")} added, {countOf(removed, "line")} removed
      </span>
    </span>
  );
}
