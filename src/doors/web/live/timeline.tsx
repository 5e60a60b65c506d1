import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { DecisionKind } from "../../../domain/decision.ts";
import { ALL_KINDS, KINDS } from "../../../domain/decision-kinds.ts";
import { commonSteps, type TimedStep } from "../../../domain/timeline.ts";
import { cited } from "../evidence/cited.ts";
import { isFailure, threadOf } from "../evidence/failed-step.ts";
import { StepList } from "../evidence/step-list.tsx";
import { count, countOf } from "../format.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { FilterField } from "../part/fields.tsx";
import type { Logs } from "./spend.ts";
import { passing, type StepFilter } from "./step-filter.ts";

interface TimelineProps {
  readonly steps: readonly TimedStep[];
  readonly logs: Logs;
  readonly names: Readonly<Record<"a" | "b", string>>;
  readonly filter: Signal<StepFilter>;
  readonly running: boolean;
  /** What both began with alike is folded; not of a run that the reader saw go on, where it would take steps away. */
  readonly folded: boolean;
}

/** The steps of both arms beside each other, oldest first, so that what a reader reads stays where it is. */
export function Timeline({ steps, logs, names, filter, running, folded }: TimelineProps) {
  const common = useMemo(() => (folded ? commonSteps(logs.a, logs.b) : 0), [logs.a, logs.b, folded]);
  const shown = useMemo(() => passing(steps, filter.value), [steps, filter.value]);
  const end = useFollowed(running, shown.length);
  const of = (side: "a" | "b") => shown.filter((step) => step.side === side);
  const later = (side: "a" | "b") => of(side).filter(({ decision }) => decision.seq > common);
  const isParted = common === 0 || ARM_SIDES.some((side) => logs[side].length > common);
  return (
    <>
      <StepTools steps={steps} shown={shown.length} filter={filter} />
      {steps.length === 0 && <p class="empty">No decision yet.</p>}
      {steps.length > 0 && shown.length === 0 && <p class="empty">No step passes the filter.</p>}
      {common > 0 && (
        <Common steps={of("a").filter(({ decision }) => decision.seq <= common)} common={common} logs={logs} />
      )}
      {isParted && (
        <div class="lanes" data-running={running || undefined}>
          {ARM_SIDES.map((side) => (
            <section key={side} class={`lane side-${side}`} aria-label={`Steps of arm ${side}`}>
              <h3>
                <ArmName side={side} name={names[side]} />{" "}
                <span class="aside">{countOf(later(side).length, "step")} shown</span>
              </h3>
              <StepList side={side} steps={later(side)} />
            </section>
          ))}
        </div>
      )}
      {running && <FollowButton {...end} />}
    </>
  );
}

interface CommonProps {
  /** The steps of arm a; arm b's are alike. */
  readonly steps: readonly TimedStep[];
  readonly common: number;
  readonly logs: Logs;
}

function Common({ steps, common, logs }: CommonProps) {
  const place = cited.value;
  const isCited = place?.kind === "decision" && Number(place.ref) <= common;
  const isAll = common === logs.a.length && common === logs.b.length;
  return (
    <>
      <details class="fold" open={isCited || undefined}>
        <summary>
          {isAll ? `Both did the same, ${countOf(common, "step")}` : `Same start in both: ${countOf(common, "step")}`}
        </summary>
        <StepList side={place?.side === "b" ? "b" : "a"} steps={steps} />
      </details>
      {!isAll && <p class="parting">Here they part</p>}
    </>
  );
}

/** While it follows, the newest step is kept in sight, until the reader scrolls away from it. */
function useFollowed(running: boolean, shown: number) {
  const following = useSignal(false);
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (running && following.peek()) end.current?.scrollIntoView({ block: "end" });
  }, [shown, running, following]);
  useEffect(() => {
    const leave = (event: Event) => {
      if (!(event instanceof WheelEvent) || event.deltaY < 0) following.value = false;
    };
    for (const event of ["wheel", "touchmove"]) addEventListener(event, leave, { passive: true });
    return () => {
      for (const event of ["wheel", "touchmove"]) removeEventListener(event, leave);
    };
  }, [following]);
  return { following, end };
}

function FollowButton({ following, end }: ReturnType<typeof useFollowed>) {
  const follow = () => {
    following.value = !following.peek();
    if (following.peek()) end.current?.scrollIntoView({ block: "end" });
  };
  return (
    <div class="follow" ref={end}>
      <button type="button" class="quiet" aria-pressed={following.value} onClick={follow}>
        Follow the newest step
      </button>
    </div>
  );
}

interface StepToolsProps {
  readonly steps: readonly TimedStep[];
  /** How many of them pass. */
  readonly shown: number;
  readonly filter: Signal<StepFilter>;
}

/** What a reader looks for among the steps. */
function StepTools({ steps, shown, filter }: StepToolsProps) {
  const change = (part: Partial<StepFilter>) => {
    filter.value = { ...filter.peek(), ...part };
  };
  const failures = steps.filter(({ decision }) => isFailure(decision)).length;
  return (
    <div class="timeline-tools">
      <FilterField label="Search steps" filter={filter.value.text} set={(text) => change({ text })} />
      <KindFilter steps={steps} hidden={filter.value.hidden} set={(hidden) => change({ hidden })} />
      {failures > 0 && (
        <label class="kind-choice kind-error">
          <input
            type="checkbox"
            checked={filter.value.only_failures}
            onChange={(event) => change({ only_failures: event.currentTarget.checked })}
          />
          Only what went wrong <span class="quantity">{count(failures)}</span>
        </label>
      )}
      <ThreadChoice steps={steps} thread={filter.value.thread} set={(thread) => change({ thread })} />
      <span class="aside" role="status">
        {shown === steps.length ? `${count(shown)} steps` : `${count(shown)} of ${count(steps.length)} steps`}
      </span>
    </div>
  );
}

interface KindFilterProps {
  readonly steps: readonly TimedStep[];
  readonly hidden: ReadonlySet<DecisionKind>;
  readonly set: (hidden: ReadonlySet<DecisionKind>) => void;
}

/** A checkbox for each kind of decision that has occurred. */
function KindFilter({ steps, hidden, set }: KindFilterProps) {
  const counts = new Map<DecisionKind, number>();
  for (const { decision } of steps) counts.set(decision.kind, (counts.get(decision.kind) ?? 0) + 1);
  const toggle = (kind: DecisionKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    set(next);
  };
  return (
    <fieldset class="kinds">
      <legend class="hidden-text">Kinds of decision to show</legend>
      {ALL_KINDS.filter((kind) => counts.has(kind)).map((kind) => (
        <label key={kind} class={`kind-choice kind-${kind}`}>
          <input type="checkbox" checked={!hidden.has(kind)} onChange={() => toggle(kind)} />
          <span>
            <span aria-hidden="true">{KINDS[kind].shape}</span> {KINDS[kind].name}{" "}
            <span class="quantity">{counts.get(kind)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

interface ThreadChoiceProps {
  readonly steps: readonly TimedStep[];
  readonly thread: number | null;
  readonly set: (thread: number | null) => void;
}

/** A choice among the conversations of an agent that has several. */
function ThreadChoice({ steps, thread, set }: ThreadChoiceProps) {
  const threads = [...new Set(steps.flatMap(({ decision }) => threadOf(decision) ?? []))].sort((one, two) => one - two);
  if (threads.length < 2) return null;
  return (
    <label class="check">
      Thread
      <select
        value={thread ?? ""}
        onChange={({ currentTarget: { value } }) => set(value === "" ? null : Number(value))}
      >
        <option value="">all</option>
        {threads.map((each) => (
          <option key={each} value={each}>
            {each === 1 ? "1, the main one" : each}
          </option>
        ))}
      </select>
    </label>
  );
}
