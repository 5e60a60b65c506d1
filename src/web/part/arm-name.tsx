import type { Side } from "../../domain/verdict.ts";

/** An arm's colour, shape and letter go together everywhere, so that no one of them has to be seen. */
export function ArmMark({ side }: { side: Side }) {
  return (
    <span class={`arm-mark side-${side}`} aria-hidden="true">
      {side.toUpperCase()}
    </span>
  );
}

export function ArmName({ side, name }: { side: Side; name: string }) {
  return (
    <span class={`arm-name side-${side}`}>
      <ArmMark side={side} />
      <span class="hidden-text">Arm {side.toUpperCase()}: </span>
      <span class="arm-label">{name}</span>
    </span>
  );
}
