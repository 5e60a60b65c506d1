import type { Measure } from "../../../domain/rubric.ts";
import { named } from "../format.ts";

const TEXTS = {
  probe_score: "the score of the hidden checks",
  reference_fix: "similarity to the reference fix",
  answer_words: "words of the answer",
  wall_ms: "time",
  cost_usd: "cost",
} satisfies Partial<Record<Measure, string>>;

/** What a criterion measures, where its name in the file does not say it. */
export const measureText = (measure: string): string => named<string>(TEXTS, measure);
