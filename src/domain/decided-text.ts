import type { Verdict } from "./verdict.ts";

/** What decided and how surely, as in `(decided by probe, confidence high)`; empty where nothing did. */
export function decidedText({ decided_by, confidence }: Pick<Verdict, "decided_by" | "confidence">): string {
  const parts = [
    ...(decided_by === "none" ? [] : [`decided by ${decided_by}`]),
    ...(confidence === "none" ? [] : [`confidence ${confidence}`]),
  ];
  return parts.length === 0 ? "" : `(${parts.join(", ")})`;
}
