import { useSignal } from "@preact/signals";
import { count } from "../format.ts";
import { FilterField } from "../part/fields.tsx";
import { LineCounts } from "./counts.tsx";
import type { FileChange } from "./file-change.ts";
import { ShownText } from "./shown-text.tsx";

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
export function FileTree({ changes, seen, go }: FileTreeProps) {
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
