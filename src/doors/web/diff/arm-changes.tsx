import { useContext, useMemo } from "preact/hooks";
import { citedRef } from "../evidence/cited.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { countOf } from "../format.ts";
import { ArmName, Neutral } from "../part/arm-name.tsx";
import { fileChangesOf } from "./file-change.ts";
import { FileDiff } from "./file-diff.tsx";
import { FileList, LeftOut } from "./file-list.tsx";

interface ArmChangesProps {
  readonly shown: ShownArm;
  /** Lines above which a file stays closed. */
  readonly open_lines?: number;
}

/** Files that are open at first, at most. */
const OPEN_FILES = 30;

/** What an arm changed of the fixture. */
export function ArmChanges({ shown, open_lines }: ArmChangesProps) {
  const { side, name, arm } = shown;
  const place = diffPlace(citedRef(side, "diff"));
  const changes = useMemo(() => (arm.changes ? fileChangesOf(arm.changes) : []), [arm.changes]);
  const neutral = useContext(Neutral);
  const isUnknown = arm.changes === null || typeof arm.changes.unknown === "string";
  return (
    <div class={`arm-changes side-${side}`}>
      <h3>
        <ArmName side={side} name={name} />{" "}
        {!isUnknown && <span class="aside">{countOf(changes.length, "changed file")}</span>}
      </h3>
      {isUnknown && <p class="empty">What it changed is not known. {arm.changes?.unknown}</p>}
      {!isUnknown && changes.length === 0 && <p class="empty">It changed no file.</p>}
      {arm.changes && <LeftOut changes={arm.changes} />}
      <FileList changes={changes} isWanted={({ path }) => place?.path === path}>
        {(change, index) => (
          <FileDiff
            key={change.path}
            change={change}
            cited={place?.path === change.path ? place.line : null}
            between={`fixture to ${neutral ? name : `arm ${side.toUpperCase()}, ${name}`}`}
            {...(index >= OPEN_FILES ? { open_lines: -1 } : open_lines !== undefined && { open_lines })}
          />
        )}
      </FileList>
    </div>
  );
}

/** Reads `path:12` or `path`. Line 0 is the whole file. */
function diffPlace(ref: string | null): { path: string; line: number } | null {
  if (ref === null) return null;
  const [, path, line] = /^(.+):(\d+)$/.exec(ref) ?? [];
  return path === undefined ? { path: ref, line: 0 } : { path, line: Number(line) };
}
