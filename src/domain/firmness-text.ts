import type { Confidence } from "./verdict.ts";

/** How firm one verdict is, for people: it measures how consistent the judging of this run was, and is no chance of being right. */
const CONFIDENCE_TEXTS: Readonly<Record<string, string>> = {
  high: "clear in this run",
  medium: "leaning",
  low: "weak",
} satisfies Record<Exclude<Confidence, "none">, string>;

/** Null for a verdict without a winner. Also of a word that a newer version has added. */
export const firmnessText = (confidence: Confidence): string | null =>
  confidence === "none" ? null : (CONFIDENCE_TEXTS[confidence] ?? confidence);
