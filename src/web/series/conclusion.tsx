import type { Conclusion, Side } from "../../domain/verdict.ts";
import { ArmName } from "../part/arm-name.tsx";

interface Concluded {
  readonly conclusion: Conclusion;
  /** Ids of arms a and b. */
  readonly arms: Readonly<Record<Side, string>>;
}

const SIDES: Partial<Record<Conclusion, Side>> = { a_preferred: "a", b_preferred: "b" };

/** Who is preferred, in the arm's colour, or what cannot be said. */
export function ConclusionName({ conclusion, arms }: Concluded) {
  const side = SIDES[conclusion];
  if (side === undefined) return <>{conclusionText({ conclusion, arms })}</>;
  return (
    <span class={`preferred side-${side}`}>
      <ArmName side={side} name={arms[side]} /> is preferred
    </span>
  );
}

export function conclusionText({ conclusion, arms }: Concluded): string {
  const side = SIDES[conclusion];
  if (side) return `${arms[side]} is preferred`;
  return conclusion === "undecided" ? "No preference can be stated" : "No difference above the margin";
}
