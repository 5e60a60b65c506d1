import type { Signal } from "@preact/signals";
import type { DecisionKind } from "../../../domain/decision.ts";
import { ALL_KINDS, KINDS } from "../../../domain/decision-kinds.ts";
import type { TimedStep } from "../../../domain/timeline.ts";
import { isFailure, threadOf } from "../evidence/failed-step.ts";
import { count } from "../format.ts";
import { FilterField } from "../part/fields.tsx";
import type { StepFilter } from "./step-filter.ts";

interface StepToolsProps {
  readonly steps: readonly TimedStep[];
  /** How many of them pass. */
  readonly shown: number;
  readonly filter: Signal<StepFilter>;
}

/** What a reader looks for among the steps. */
export function StepTools({ steps, shown, filter }: StepToolsProps) {
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
