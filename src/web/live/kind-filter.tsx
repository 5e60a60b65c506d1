import type { Signal } from "@preact/signals";
import type { DecisionKind } from "../../domain/decision.ts";
import { ALL_KINDS, KINDS } from "../evidence/decision-kinds.ts";
import type { Step } from "./time-axis.ts";

interface KindFilterProps {
  readonly steps: readonly Step[];
  readonly hidden: Signal<ReadonlySet<DecisionKind>>;
}

/** Kinds that have occurred, each to be shown or not. */
export function KindFilter({ steps, hidden }: KindFilterProps) {
  const counts = new Map<DecisionKind, number>();
  for (const { decision } of steps) counts.set(decision.kind, (counts.get(decision.kind) ?? 0) + 1);
  const toggle = (kind: DecisionKind) => {
    const next = new Set(hidden.value);
    if (!next.delete(kind)) next.add(kind);
    hidden.value = next;
  };
  return (
    <fieldset class="kinds">
      <legend class="hidden-text">Kinds of decision to show</legend>
      {ALL_KINDS.filter((kind) => counts.has(kind)).map((kind) => (
        <label key={kind} class={`kind-choice kind-${kind}`}>
          <input type="checkbox" data-filter checked={!hidden.value.has(kind)} onChange={() => toggle(kind)} />
          <span>
            <span aria-hidden="true">{KINDS[kind].shape}</span> {KINDS[kind].name}{" "}
            <span class="quantity">{counts.get(kind)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
