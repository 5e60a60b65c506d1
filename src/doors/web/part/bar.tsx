import type { Side } from "../../../domain/verdict.ts";

interface BarProps {
  /** 0 to 1. */
  readonly share: number;
  readonly side?: Side;
  readonly low?: boolean;
}

/** Shows a share as a length. The number stands beside it. */
export function Bar({ share, side, low = false }: BarProps) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return (
    <span class={`bar ${side ? `side-${side}` : ""} ${low ? "bar-low" : ""}`} aria-hidden="true">
      <span class="bar-fill" style={{ width }} />
    </span>
  );
}
