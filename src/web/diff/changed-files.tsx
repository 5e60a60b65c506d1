import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { count, counted } from "../format.ts";
import { besideWanted, wideWindow } from "../preferences.ts";
import type { FileChange } from "./file-change.ts";
import { FileDiff } from "./file-diff.tsx";
import { FileTree } from "./file-tree.tsx";
import { markSeen, seenIn } from "./seen-files.ts";

interface ChangedFilesProps {
  readonly changes: readonly FileChange[];
  /** Names what is compared; marks are kept under it. */
  readonly comparison: string;
  readonly from: string;
  readonly to: string;
}

/** Lines and files above which the rest stays closed at first. */
const OPEN_LINES = 3_000;
const OPEN_FILES = 30;

/** The files that differ, with a tree to choose from. */
export function ChangedFiles({ changes, comparison, from, to }: ChangedFilesProps) {
  const asked = useSignal<ReadonlySet<number>>(new Set());
  const seen = seenIn(comparison);
  const open = useMemo(() => openAtFirst(changes), [changes]);
  const beside = besideWanted.value && wideWindow.value;
  const go = (index: number) => {
    asked.value = new Set([...asked.peek(), index]);
    requestAnimationFrame(() => {
      const file = document.getElementById(placeOf(index));
      file?.scrollIntoView({ block: "start" });
      file?.focus({ preventScroll: true });
    });
  };
  return (
    <>
      <div class="summary-line">
        <p role="status">
          {counted(changes.length, "file")},{" "}
          <span class="added-count">+{count(sum(changes.map(({ added }) => added)))}</span>{" "}
          <span class="removed-count">−{count(sum(changes.map(({ removed }) => removed)))}</span> lines
        </p>
        {wideWindow.value && (
          <button
            type="button"
            class="quiet"
            aria-pressed={besideWanted.value}
            onClick={() => (besideWanted.value = !besideWanted.peek())}
          >
            Side by side
          </button>
        )}
      </div>
      <div class="changed-files">
        <FileTree changes={changes} seen={seen} go={go} />
        <div class="file-list">
          {changes.map((change, index) => (
            <FileDiff
              key={change.path}
              id={placeOf(index)}
              change={change}
              cited={null}
              {...{ from, to, beside }}
              open_lines={asked.value.has(index) || open.has(index) ? Number.POSITIVE_INFINITY : 0}
              seen={seen.includes(change.path)}
              markSeen={(is_seen) => markSeen(comparison, change.path, is_seen)}
            />
          ))}
        </div>
      </div>
    </>
  );
}

const placeOf = (index: number) => `file-${index}`;

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** Indexes of the first files that together are short enough to be drawn at once. */
function openAtFirst(changes: readonly FileChange[]): ReadonlySet<number> {
  const open = new Set<number>();
  let lines = 0;
  for (const [index, change] of changes.entries()) {
    if (open.size === OPEN_FILES) break;
    if (lines + change.lines.length > OPEN_LINES) continue;
    lines += change.lines.length;
    open.add(index);
  }
  return open;
}
