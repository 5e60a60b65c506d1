import { preferredSide, statusWords } from "../../../domain/series-status.ts";
import type { ArmNames } from "../../../domain/words.ts";
import { Say } from "../part/say.tsx";

type StatusProps = Parameters<typeof statusWords>[0] & { readonly arms: ArmNames };

/** What a series shows, in the colour of the arm that is preferred. */
export function StatusName({ arms, ...series }: StatusProps) {
  const side = preferredSide(series.conclusion);
  return (
    <span class={side && `preferred side-${side}`}>
      <Say words={statusWords(series, arms)} />
    </span>
  );
}
