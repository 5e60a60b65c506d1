import { ArmName } from "../part/arm-name.tsx";
import { type Concluded, conclusionText, sideOf } from "./conclusion-text.ts";

/** Who is preferred, in the arm's colour, or what cannot be said. */
export function ConclusionName({ conclusion, arms }: Concluded) {
  const side = sideOf(conclusion);
  if (side === undefined) return <>{conclusionText({ conclusion, arms })}</>;
  return (
    <span class={`preferred side-${side}`}>
      <ArmName side={side} name={arms[side]} /> is preferred
    </span>
  );
}
