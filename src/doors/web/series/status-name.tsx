import { preferredSide, statusText } from "../../../domain/series-status.ts";
import type { Side } from "../../../domain/verdict.ts";
import { ArmName } from "../part/arm-name.tsx";

type StatusProps = Parameters<typeof statusText>[0] & {
  /** Ids of arms a and b. */
  readonly arms: Readonly<Record<Side, string>>;
};

/** What a series shows, in the colour of the arm that is preferred. */
export function StatusName({ arms, ...series }: StatusProps) {
  const side = preferredSide(series.conclusion);
  if (side === undefined) return <>{statusText(series, arms)}</>;
  return (
    <span class={`preferred side-${side}`}>
      <ArmName side={side} name={arms[side]} /> is preferred
    </span>
  );
}
