import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { count } from "../format.ts";
import { FilterField } from "../part/fields.tsx";
import { besideWanted, seenFiles, wideWindow } from "../preferences.ts";
import type { FileChange } from "./file-change.ts";
import { FileDiff, LineCounts } from "./file-diff.tsx";
import { FileList } from "./file-list.tsx";
import { ShownText } from "./line-row.tsx";

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

/** Comparisons whose marks this browser keeps. */
const KEPT = 50;

/** Which files of a comparison the reader is done with; this browser remembers them. */
const seenIn = (comparison: string): readonly string[] =>
  Object.hasOwn(seenFiles.value, comparison) ? (seenFiles.value[comparison] ?? []) : [];

function markSeen(comparison: string, path: string, seen: boolean): void {
  const others = seenIn(comparison).filter((each) => each !== path);
  const { [comparison]: _, ...rest } = seenFiles.peek();
  const kept = Object.fromEntries(Object.entries(rest).slice(1 - KEPT));
  seenFiles.value = { ...kept, [comparison]: seen ? [...others, path] : others };
}

interface FileTreeProps {
  readonly changes: readonly FileChange[];
  readonly seen: readonly string[];
  /** Shows a file, opened. */
  readonly go: (index: number) => void;
}

/** Files above which a reader looks for one by its name. */
const FILTERED = 8;

/** Most files that are listed, as each is more to lay out at once; a filter finds the others. */
const LISTED = 60;

const STATUS = { added: "A", modified: "M", deleted: "D" } as const;

/** Every changed file below its directory. */
function FileTree({ changes, seen, go }: FileTreeProps) {
  const filter = useSignal("");
  const wanted = filter.value.toLowerCase();
  const found = changes
    .map((change, index) => ({ change, index }))
    .filter(({ change }) => change.path.toLowerCase().includes(wanted));
  const directories = Map.groupBy(found.slice(0, LISTED), ({ change }) => directoryOf(change.path));
  return (
    <nav class="file-tree" aria-label="Changed files">
      <p class="aside">
        {count(seen.length)} of {count(changes.length)} seen
      </p>
      {changes.length > FILTERED && (
        <FilterField label="Find a file" filter={filter.value} set={(text) => (filter.value = text)} />
      )}
      {[...directories].map(([directory, files]) => (
        <details key={directory} open>
          <summary>
            <ShownText text={directory || "./"} />
          </summary>
          <ul>
            {files.map(({ change, index }) => (
              <li key={change.path}>
                <button type="button" class={`tree-file status-${change.status}`} onClick={() => go(index)}>
                  <span class="tree-status" title={change.status}>
                    {STATUS[change.status]}
                  </span>
                  <span class="tree-name">
                    <ShownText text={change.path.slice(directory.length)} />
                  </span>
                  {seen.includes(change.path) && <span class="tree-seen">✓ seen</span>}
                  <LineCounts change={change} />
                </button>
              </li>
            ))}
          </ul>
        </details>
      ))}
      {found.length > LISTED && <p class="aside">{count(found.length - LISTED)} more; find them by name.</p>}
    </nav>
  );
}

/** The directory of a path with its slash; empty at the top. */
const directoryOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
