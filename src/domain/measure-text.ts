import type { Measure } from "./rubric.ts";

const TEXTS: Readonly<Record<string, string>> = {
  probe_score: "the score of the hidden checks",
  reference_fix: "similarity to the reference fix",
  answer_words: "words of the answer",
  wall_ms: "time",
  cost_usd: "cost",
} satisfies Partial<Record<Measure, string>>;

/** What a criterion measures, where its name in the file does not say it. */
export const measureText = (measure: string): string => TEXTS[measure] ?? measure.replaceAll("_", " ");
