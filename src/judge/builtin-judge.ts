import type { Hearing } from "./hearing.ts";

/**
 * No model is asked and nothing is heard: gates decide, else the measured criteria against the tie margin, else nobody.
 * Never `invalid`. Also how a rubric without a judged criterion is decided, whichever judge is set.
 */
export const builtinHearing: Hearing = {
  calls: [],
  citations: new Map(),
  cached_tokens: 0,
  flags: [],
  suspicions: [],
  prompt_digest: null,
  protocol: "gates-and-measures/2",
};
