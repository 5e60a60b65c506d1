import { signal } from "@preact/signals";
import type { ArmPointer } from "../../domain/verdict.ts";
import { samePointer } from "../evidence/shown-arm.ts";

/** An arm that was picked for comparison. */
export interface Pick {
  readonly pointer: ArmPointer;
  readonly scenario: string;
}

/** Two at most, in the order in which they were picked. The first becomes arm A. */
export const picked = signal<readonly Pick[]>([]);

export const isPicked = (pointer: ArmPointer) => picked.value.some((pick) => samePointer(pick.pointer, pointer));

export function toggle(pick: Pick): void {
  const others = picked.value.filter(({ pointer }) => !samePointer(pointer, pick.pointer));
  picked.value = others.length < picked.value.length ? others : [...picked.value, pick].slice(-2);
}

/** Why this arm cannot be picked; null when it can. */
export function obstacle({ scenario }: Pick): string | null {
  const [first] = picked.value;
  return first && first.scenario !== scenario
    ? `only arms of ${first.scenario} can be compared with the one picked`
    : null;
}
