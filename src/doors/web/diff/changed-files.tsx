import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { besideWanted, wideWindow } from "../preferences.ts";
import type { FileChange } from "./file-change.ts";
import { FileDiff } from "./file-diff.tsx";
import { FileList } from "./file-list.tsx";
import { FileTree } from "./file-tree.tsx";
import { markSeen, seenIn } from "./seen-files.ts";

interface ChangedFilesProps {
  readonly changes: readonly FileChange[];
  /** Names what is compared; marks are kept under it. */
  readonly comparison: string;
  /** What is compared where a file does not say it. */
  readonly between: string;
  /** Says how much differs. */
  readonly children: ComponentChildren;
}

/** Lines and files above which the rest stays closed at first. */
const OPEN_LINES = 200;
const OPEN_FILES = 8;

/** The files that differ, with a tree to choose from. */
export function ChangedFiles({ changes, comparison, between, children }: ChangedFilesProps) {
  const asked = useSignal<ReadonlySet<string>>(new Set());
  const seen = seenIn(comparison);
  const open = useMemo(() => openAtFirst(changes), [changes]);
  const beside = besideWanted.value && wideWindow.value;
  const isAsked = ({ path }: FileChange) => asked.value.has(path);
  const go = (index: number) => {
    const { path } = changes[index] ?? {};
    if (path !== undefined) asked.value = new Set([...asked.peek(), path]);
    requestAnimationFrame(() => {
      const file = document.getElementById(placeOf(index));
      file?.scrollIntoView({ block: "start" });
      file?.focus({ preventScroll: true });
    });
  };
  return (
    <>
      <div class="summary-line">
        {children}
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
        <FileList changes={changes} isWanted={isAsked}>
          {(change, index) => (
            <FileDiff
              key={change.path}
              id={placeOf(index)}
              change={change}
              cited={null}
              {...{ between, beside }}
              open_lines={isAsked(change) || open.has(change.path) ? Number.POSITIVE_INFINITY : -1}
              seen={seen.includes(change.path)}
              markSeen={(is_seen) => markSeen(comparison, change.path, is_seen)}
            />
          )}
        </FileList>
      </div>
    </>
  );
}

const placeOf = (index: number) => `file-${index}`;

/** Paths of the first files that together are short enough to be drawn at once. */
function openAtFirst(changes: readonly FileChange[]): ReadonlySet<string> {
  const open = new Set<string>();
  let lines = 0;
  for (const { path, size } of changes) {
    if (open.size === OPEN_FILES) break;
    if (lines + size > OPEN_LINES) continue;
    lines += size;
    open.add(path);
  }
  return open;
}
