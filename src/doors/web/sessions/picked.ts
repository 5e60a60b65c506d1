import { signal } from "@preact/signals";
import type { ArmPointer } from "../../../domain/verdict.ts";
import { samePointer } from "../evidence/shown-arm.ts";

/** Arms that were picked for comparison: two at most, in the order in which they were picked. The first becomes arm A. */
export const picked = signal<readonly ArmPointer[]>([]);

export const isPicked = (arm: ArmPointer) => picked.value.some((each) => samePointer(each, arm));

export function toggle(arm: ArmPointer): void {
  const others = picked.value.filter((each) => !samePointer(each, arm));
  picked.value = others.length < picked.value.length ? others : [...picked.value, arm].slice(-2);
}
