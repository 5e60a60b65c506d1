import type { Decision } from "../../domain/decision.ts";
import type { Side } from "../../domain/verdict.ts";
import { count, duration } from "../format.ts";
import { citedRef, useCitedTarget } from "./cited.ts";
import { DecisionDetail } from "./decision-detail.tsx";
import { KINDS } from "./decision-kinds.ts";

interface DecisionRowProps {
  readonly side: Side;
  readonly decision: Decision;
}

/** One step of an arm in one line; everything known of it when opened. */
export function DecisionRow({ side, decision }: DecisionRowProps) {
  const { seq, kind, summary, tokens_in, tokens_out, latency_ms } = decision;
  const isCited = citedRef(side, "decision") === String(seq);
  const target = useCitedTarget<HTMLElement>(isCited);
  const { name, shape } = KINDS[kind];
  return (
    <details class={`decision kind-${kind}`} open={isCited || undefined} data-cited={isCited || undefined}>
      <summary ref={target}>
        <span class="seq">{seq}</span>
        <span class="kind">
          <span aria-hidden="true">{shape}</span> {name}
        </span>
        <span class="decision-summary">{summary}</span>
        <span class="quantity">
          {tokens_in + tokens_out > 0 && <span>{count(tokens_in + tokens_out)} tok</span>}
          <span>{duration(latency_ms)}</span>
        </span>
      </summary>
      <DecisionDetail decision={decision} />
    </details>
  );
}
