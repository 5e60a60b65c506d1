import type { Decision } from "../../../domain/decision.ts";
import type { Side } from "../../../domain/verdict.ts";
import { duration } from "../format.ts";
import { Chunk } from "../part/chunk.tsx";
import { citedRef } from "./cited.ts";
import { DecisionRow } from "./decision-row.tsx";

interface StepListProps {
  readonly side: Side;
  readonly steps: readonly { readonly decision: Decision; readonly end_ms?: number }[];
}

/** Rows drawn at once. */
const CHUNK = 20;

/** Pixels of a closed row. */
const ROW_HEIGHT = 30;

/** Steps of one arm, one row each, with the time of its end where it is known. There may be thousands. */
export function StepList({ side, steps }: StepListProps) {
  const wanted = Number(citedRef(side, "decision") ?? Number.NaN);
  const chunks = Array.from({ length: Math.ceil(steps.length / CHUNK) }, (_, index) => index * CHUNK);
  return (
    <>
      {chunks.map((start) => {
        const rows = steps.slice(start, start + CHUNK);
        const eager = start === 0 || rows.some(({ decision }) => decision.seq === wanted);
        return (
          <Chunk key={start} height={rows.length * ROW_HEIGHT} eager={eager}>
            {() => (
              <ol class="steps">
                {rows.map(({ decision, end_ms }) => (
                  <li key={decision.seq} class={`step side-${side}`} data-stop tabIndex={-1}>
                    {end_ms !== undefined && <span class="step-time">{duration(end_ms)}</span>}
                    <DecisionRow side={side} decision={decision} />
                  </li>
                ))}
              </ol>
            )}
          </Chunk>
        );
      })}
    </>
  );
}
