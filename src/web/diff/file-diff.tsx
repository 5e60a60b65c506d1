import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { counted } from "../format.ts";
import { Scroller } from "../part/page.tsx";
import type { FileChange } from "./file-change.ts";
import { highlightLines } from "./highlight.ts";
import { LineChunk } from "./line-chunk.tsx";
import { ShownText } from "./shown-text.tsx";

interface FileDiffProps {
  readonly change: FileChange;
  /** The line that a citation names. 0: the whole file. Null: none. */
  readonly cited: number | null;
  /** What is compared, as in "fixture" and "root-cause". */
  readonly from: string;
  readonly to: string;
  /** Lines above which the file stays closed until the reader opens it. */
  readonly open_lines?: number;
}

/** Lines drawn at once. A chunk that is out of sight is a space of the same height. */
const CHUNK = 120;

/** More lines take long to draw. */
const OPEN_LINES = 400;

export function FileDiff({ change, cited, from, to, open_lines = OPEN_LINES }: FileDiffProps) {
  const opened = useSignal(change.lines.length <= open_lines);
  const open = opened.value || cited !== null;
  return (
    <details
      class="file"
      data-stop
      tabIndex={-1}
      data-cited={cited === 0 || undefined}
      open={open}
      onToggle={(event) => (opened.value = event.currentTarget.open)}
    >
      <summary>
        <span class="file-path">
          <ShownText text={change.path} />
        </span>
        <span class="aside">{change.status}</span>
        <span class="quantity">
          <span class="added-count">+{change.added}</span> <span class="removed-count">−{change.removed}</span>
          <span class="hidden-text">
            {counted(change.added, "line")} added, {counted(change.removed, "line")} removed
          </span>
        </span>
      </summary>
      {change.note && <p class="file-note">{change.note}</p>}
      {open && change.lines.length > 0 && (
        <Lines change={change} cited={cited} label={`${change.path}: ${from} to ${to}`} />
      )}
    </details>
  );
}

function Lines({ change, cited, label }: { change: FileChange; cited: number | null; label: string }) {
  const { path, before, after, lines } = change;
  const colours = useMemo(
    () => ({ before: highlightLines(path, before), after: highlightLines(path, after) }),
    [change],
  );
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK) }, (_, index) => index * CHUNK);
  const wanted = cited === null || cited === 0 ? -1 : citedIndex(change, cited);
  return (
    <Scroller kind="lines" label={label}>
      <div class="lines-inner">
        {chunks.map((start) => (
          <LineChunk
            key={start}
            lines={lines.slice(start, start + CHUNK)}
            colours={colours}
            cited={wanted >= start && wanted < start + CHUNK ? wanted - start : null}
            eager={start === 0}
          />
        ))}
      </div>
    </Scroller>
  );
}

/** A citation means the line's number after the change, or before it when no such line is left. */
function citedIndex({ lines }: FileChange, line: number): number {
  const now = lines.findIndex(({ kind, after }) => kind !== "gap" && after === line);
  return now === -1 ? lines.findIndex(({ kind, before }) => kind !== "gap" && before === line) : now;
}
