import type { DecisionKind } from "./decision.ts";

/** A word and a shape for every kind of decision. */
export const KINDS: Readonly<Record<DecisionKind, { readonly name: string; readonly shape: string }>> = {
  model_turn: { name: "Turn", shape: "◆" },
  tool_call: { name: "Tool", shape: "▸" },
  policy_block: { name: "Refused", shape: "⊘" },
  policy_violation: { name: "Violation", shape: "✕" },
  limit_warning: { name: "Runs low", shape: "◔" },
  limit_reached: { name: "Used up", shape: "■" },
  provider_retry: { name: "Retry", shape: "↻" },
  final_answer: { name: "Answer", shape: "★" },
  follow_up: { name: "User", shape: "❯" },
  error: { name: "Error", shape: "⚠" },
};

export const ALL_KINDS = Object.keys(KINDS) as readonly DecisionKind[]; // the record is complete by its type

/** The name and shape of a kind, also of one that a newer version added. */
export const kindNamed = (kind: string): { readonly name: string; readonly shape: string } =>
  Object.entries(KINDS).find(([known]) => known === kind)?.[1] ?? { name: kind.replaceAll("_", " "), shape: "•" };
