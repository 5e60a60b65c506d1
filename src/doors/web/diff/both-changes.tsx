import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Changes } from "../../../domain/evidence.ts";
import type { ShownArm } from "../evidence/shown-arm.ts";
import { count } from "../format.ts";
import { Notice } from "../part/notice.tsx";
import { ArmChanges } from "./arm-changes.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { diffOfDiffs, type FileStanding, type SharedFile, STANDINGS } from "./diff-of-diffs.ts";

interface BothChangesProps {
  readonly a: ShownArm;
  readonly b: ShownArm;
  /** Names what is compared; marks of what was seen are kept under it. */
  readonly comparison: string;
}

/** What the change of one arm has that the other's has not. Changes to different files stand beside each other, not compared. */
export function BothChanges({ a, b, comparison }: BothChangesProps) {
  const [left, right] = [knownChanges(a), knownChanges(b)];
  if (!left || !right || !beganAlike(a, b))
    return (
      <>
        {left && right && (
          <Notice tone="warn" title="They did not begin with the same files">
            <p>Their fixtures or their setup differ, so each change is shown by itself.</p>
          </Notice>
        )}
        <ArmChanges shown={a} />
        <ArmChanges shown={b} />
      </>
    );
  return <DiffOfDiffs a={left} b={right} comparison={comparison} />;
}

const knownChanges = ({ arm: { changes } }: ShownArm): Changes | null =>
  changes && typeof changes.unknown !== "string" ? changes : null;

function beganAlike(a: ShownArm, b: ShownArm): boolean {
  const [one, other] = [a.session.definition.task, b.session.definition.task];
  return one.fixture?.digest === other.fixture?.digest && JSON.stringify(one.setup) === JSON.stringify(other.setup);
}

const WORDS: Readonly<Record<FileStanding, string>> = {
  different: "Changed differently",
  a: "Only A",
  b: "Only B",
  same: "The same in both",
  unknown: "Not known",
};

function DiffOfDiffs({ a, b, comparison }: { a: Changes; b: Changes; comparison: string }) {
  const files = useMemo(() => diffOfDiffs(a, b), [a, b]);
  const hidden = useSignal<ReadonlySet<FileStanding>>(new Set());
  const shown = useMemo(() => files.filter(({ standing }) => !hidden.value.has(standing)), [files, hidden.value]);
  if (files.length === 0) return <p class="empty">Neither changed a file.</p>;
  return (
    <>
      {(a.truncated || b.truncated) && (
        <p class="small-print">
          Not all of {a.truncated && b.truncated ? "both changes" : `arm ${a.truncated ? "A" : "B"}'s change`} was kept.
          A file that is missing there is shown as the other's alone.
        </p>
      )}
      <ChangedFiles changes={shown} comparison={comparison} between="arm A to arm B">
        <Choice files={files} hidden={hidden.value} choose={(chosen) => (hidden.value = chosen)} />
      </ChangedFiles>
    </>
  );
}

interface ChoiceProps {
  readonly files: readonly SharedFile[];
  readonly hidden: ReadonlySet<FileStanding>;
  readonly choose: (hidden: ReadonlySet<FileStanding>) => void;
}

/** How many files stand how, each with a switch. */
function Choice({ files, hidden, choose }: ChoiceProps) {
  const toggle = (standing: FileStanding) => {
    const next = new Set(hidden);
    if (!next.delete(standing)) next.add(standing);
    choose(next);
  };
  return (
    <fieldset class="kinds">
      <legend class="hidden-text">Files to show</legend>
      {STANDINGS.map((standing) => {
        const number = files.filter((file) => file.standing === standing).length;
        if (number === 0) return null;
        return (
          <label key={standing} class="kind-choice">
            <input type="checkbox" checked={!hidden.has(standing)} onChange={() => toggle(standing)} />
            {WORDS[standing]} <span class="quantity">{count(number)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
