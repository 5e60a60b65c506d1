import { useMemo } from "preact/hooks";
import type { SessionOutcome } from "../../../domain/session.ts";
import { getSession } from "../api.ts";
import { type ShownArm, shownArmsOf } from "../evidence/shown-arm.ts";
import { count, countOf } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Notice } from "../part/notice.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind, voteOn } from "../preferences.ts";
import { toDiff, toSession } from "../routes.ts";
import { chosenVerdict, comparisonOf } from "../verdict/comparison.ts";
import { armAgainstReference } from "./against-reference.ts";
import { BothChanges } from "./both-changes.tsx";
import { ChangedFiles } from "./changed-files.tsx";
import { type FileChange, fileChangesOf } from "./file-change.ts";
import { LeftOut } from "./file-list.tsx";

interface DiffPageProps {
  readonly id: string;
  readonly verdict_id: string | null;
  readonly view: string | null;
}

type Pair = readonly [ShownArm, ShownArm];

/** Compares what the arms left with the fixture, with each other, and with the reference fix. */
export function DiffPage({ id, verdict_id, view }: DiffPageProps) {
  const pair = useLoaded(`diff ${id} ${verdict_id}`, (signal) => readPair(id, verdict_id, signal));
  return (
    <Page
      title="What the arms changed"
      short={`Diff ${id}`}
      above={
        <p class="overline">
          <a href={toSession(id, verdict_id)}>Back to the session</a>
          <span class="session-id"> {id}</span>
        </p>
      }
    >
      <Show of={pair} what={`session ${id}`}>
        {({ arms, hidden }) => (
          <Views pair={hidden ? neutral(arms) : arms} id={id} verdict_id={verdict_id} view={view} />
        )}
      </Show>
    </Page>
  );
}

async function readPair(id: string, verdict_id: string | null, signal: AbortSignal) {
  const session: SessionOutcome = await getSession(id, signal);
  const verdict = chosenVerdict(session, verdict_id);
  const comparison = verdict && (await comparisonOf(session, verdict, signal));
  const arms: Pair = comparison ? [comparison.a, comparison.b] : shownArmsOf(session);
  return { arms, hidden: blind.value && verdict !== undefined && voteOn(verdict.verdict_id) === null };
}

const neutral = ([a, b]: Pair): Pair => [
  { ...a, name: "one" },
  { ...b, name: "the other" },
];

function Views({ pair, id, verdict_id, view }: { pair: Pair } & DiffPageProps) {
  const chosen = viewOf(view);
  const reference = pair[0].session.definition.task.reference_fix?.patch ?? null;
  return (
    <>
      <nav class="tabs" aria-label="What to compare">
        {VIEWS.filter((each) => each.from !== "reference" || reference !== null).map((each) => (
          <a key={each.id} href={toDiff(id, verdict_id, each.id)} aria-current={each === chosen ? "page" : undefined}>
            <ViewName view={each} pair={pair} />
          </a>
        ))}
      </nav>
      <Files
        key={chosen.id}
        view={chosen}
        comparison={`${id} ${verdict_id ?? ""} ${chosen.id}`}
        pair={pair}
        reference={reference}
      />
    </>
  );
}

function ViewName({ view: { from, to }, pair }: { view: View; pair: Pair }) {
  return (
    <>
      <EndName end={from} pair={pair} /> <span aria-hidden="true">→</span>
      <span class="hidden-text">to</span> <EndName end={to} pair={pair} />
    </>
  );
}

function EndName({ end, pair }: { end: View["from"]; pair: Pair }) {
  if (end === "a" || end === "b") return <ArmName side={end} name={pair[end === "a" ? 0 : 1].name} />;
  return <span>{end === "fixture" ? "fixture" : "reference fix"}</span>;
}

interface FilesProps {
  readonly view: View;
  readonly comparison: string;
  readonly pair: Pair;
  readonly reference: string | null;
}

function Files({ view, comparison, pair: [a, b], reference }: FilesProps) {
  if (view.from === "a") return <BothChanges {...{ a, b, comparison }} />;
  return <ArmFiles arm={view.to === "b" ? b : a} {...{ view, comparison, reference }} />;
}

/** The work of one arm against the fixture or against the reference fix. */
function ArmFiles({ view, comparison, arm, reference }: Omit<FilesProps, "pair"> & { arm: ShownArm }) {
  const { changes } = arm.arm;
  const files = useMemo(() => {
    if (changes === null || typeof changes.unknown === "string") return null;
    return view.from === "reference" ? armAgainstReference(reference ?? "", changes) : fileChangesOf(changes);
  }, [view, changes, reference]);
  if (files === null) return <Notice tone="warn" title="What the arms changed is not known" />;
  if (files.length === 0) return <p class="empty">There is no difference between the two.</p>;
  return (
    <>
      {changes && <LeftOut changes={changes} />}
      <ChangedFiles changes={files} comparison={comparison} between={`${view.from} to ${view.to}`}>
        <Total files={files} />
      </ChangedFiles>
    </>
  );
}

function Total({ files }: { files: readonly FileChange[] }) {
  const sum = (of: "added" | "removed") => files.reduce((total, file) => total + (file[of] ?? 0), 0);
  return (
    <p role="status">
      {countOf(files.length, "file")}, <span class="added-count">+{count(sum("added"))}</span>{" "}
      <span class="removed-count">−{count(sum("removed"))}</span> lines
    </p>
  );
}

type End = "fixture" | "reference" | "a" | "b";

/** A comparison that a reader can choose. */
interface View {
  readonly id: string;
  readonly from: End;
  readonly to: "a" | "b";
}

const FIRST: View = { id: "a", from: "fixture", to: "a" };

const VIEWS: readonly View[] = [
  FIRST,
  { id: "b", from: "fixture", to: "b" },
  { id: "a-b", from: "a", to: "b" },
  { id: "fix-a", from: "reference", to: "a" },
  { id: "fix-b", from: "reference", to: "b" },
];

/** Arm a against the fixture, unless the address names another. */
const viewOf = (id: string | null): View => VIEWS.find((view) => view.id === id) ?? FIRST;
