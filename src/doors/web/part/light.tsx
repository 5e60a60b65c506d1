import { named } from "../format.ts";

/** One result as a shape with a name. The colour repeats what these say. */
export type LightStatus = "pass" | "warn" | "fail" | "error" | "skip" | "pending" | "scored";

export const SHAPES: Record<LightStatus, string> = {
  pass: "✓",
  warn: "!",
  fail: "✕",
  error: "⚠",
  skip: "–",
  pending: "○",
  scored: "◐",
};
const WORDS: Record<LightStatus, string> = {
  pass: "passed",
  warn: "warning",
  fail: "failed",
  error: "error",
  skip: "skipped",
  pending: "not yet run",
  scored: "scored",
};

export function Light({ status, name }: { status: LightStatus; name?: string }) {
  return (
    <span class={`light light-${status}`}>
      <span class="light-mark" aria-hidden="true">
        {SHAPES[status] ?? "•"}
      </span>
      {name === undefined ? named(WORDS, status) : name}
      {name !== undefined && <span class="hidden-text"> {named(WORDS, status)}</span>}
    </span>
  );
}
