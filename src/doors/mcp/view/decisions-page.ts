import { type Static, Type } from "@sinclair/typebox";
import { DECISION_DETAILS, DECISION_KINDS, DECISION_STEP, type Decision } from "../../../domain/decision.ts";
import { Count, nullable, oneOf, record, Slug } from "../../../domain/schema.ts";
import { clipTexts, takeThatFits } from "../fit.ts";
import { pick } from "./pick.ts";

const STEP = ["seq", "summary", "tokens_in", "tokens_out", "latency_ms", "at"] as const;

/** A decision in a shorter schema, which does not say which detail goes with which kind. */
const ShownDecision = Type.Unsafe<Decision>(
  record("ShownDecision", {
    ...pick(DECISION_STEP, STEP),
    kind: oneOf(DECISION_KINDS),
    detail: Type.Optional(Type.Union([...new Set(Object.values(DECISION_DETAILS))])),
  }),
);

export const DecisionsPage = record("DecisionsPage", {
  arm_id: Slug(),
  total: Count("Decisions in the arm's log so far."),
  decisions: Type.Array(ShownDecision, {
    description: "Cut to fit: first long texts, then detail; ask for fewer to see more of each.",
  }),
  next_after_seq: nullable(Type.Integer(), { description: "Pass as after_seq for the next page; null: no more now." }),
});
export type DecisionsPage = Static<typeof DecisionsPage>;

interface PageRequest {
  readonly after_seq: number;
  readonly limit: number;
  /** Characters that a text may keep. */
  readonly chars: number;
  /** False: the steps only, without what was said, called and printed. */
  readonly detail: boolean;
  /** Bytes that the page may have; at least one decision is given. */
  readonly bytes: number;
}

export function pageDecisions(arm_id: string, log: readonly Decision[], page: PageRequest): DecisionsPage {
  const asked = log.filter(({ seq }) => seq > page.after_seq).slice(0, page.limit);
  const decisions = takeThatFits(
    asked.map((decision) => clipTexts(page.detail ? decision : withoutDetail(decision), page.chars)),
    page.bytes,
  );
  const last = decisions.at(-1)?.seq;
  const more = last !== undefined && last < (log.at(-1)?.seq ?? 0);
  return { arm_id, total: log.length, decisions: [...decisions], next_after_seq: more ? last : null };
}

const withoutDetail = (decision: Decision): Decision => ({ ...pick(decision, STEP), kind: decision.kind });

export function decisionsText({ arm_id, total, decisions, next_after_seq }: DecisionsPage): string {
  const more = next_after_seq === null ? "" : `; more with arm_id "${arm_id}", after_seq ${next_after_seq}`;
  return [`${arm_id}: ${decisions.length} of ${total} decisions${more}`, ...decisions.map(wholeLine)].join("\n");
}

/** With what the step took, and what was said, called and printed where the page has it. */
function wholeLine(decision: Decision): string {
  const { tokens_in, tokens_out, latency_ms, detail } = decision;
  const tokens = tokens_in + tokens_out > 0 ? `, ${tokens_in} tokens in, ${tokens_out} out` : "";
  return `${decisionLine(decision)} (${latency_ms} ms${tokens})${detail ? `\n${JSON.stringify(detail)}` : ""}`;
}

export const decisionLine = ({ seq, kind, summary }: Decision) => `#${seq} ${kind}: ${summary}`;
