import type { JudgeProfiles } from "../../../../domain/judge-profile.ts";
import { EXAMPLE_SELF_TEST } from "./self-test.ts";

export const EXAMPLE_JUDGES: JudgeProfiles = {
  judges: [
    {
      judge: EXAMPLE_SELF_TEST.judge,
      scenario: EXAMPLE_SELF_TEST.scenario,
      verdicts: 40,
      outcomes: { winner: 25, tie: 6, inconclusive: 5, inconsistent: 3, invalid: 1 },
      rates: { tie: 0.15, inconsistent: 0.075, inconclusive: 0.125, invalid: 0.025 },
      position: { mean_pull: 0.05, first: 3, second: 0, sign_p: 0.25 },
      repeats: { compared: 8, changed: 1, rate: 0.125 },
      calls: 118,
      citations_dropped: 3,
      cost_usd: 0.06,
      latency_ms: 21500,
      facts: {
        shown: { agree: 18, disagree: 1, abstained: 6, rate: 18 / 19, low: 0.7536, high: 0.9906 },
        hidden: { agree: 0, disagree: 0, abstained: 0, rate: null, low: null, high: null },
      },
      people: {
        ...{ agree: 7, opposed: 1, one_tie: 2, abstained: 1, not_blind: 3 },
        ...{ rate: 0.7, low: 0.3968, high: 0.8922 },
      },
      panel: null,
      newest_at: EXAMPLE_SELF_TEST.created_at,
    },
  ],
  sessions_read: 43,
  complete: true,
};
