import { type Static, Type } from "@sinclair/typebox";
import { JUDGE_NAME_CHARS } from "./panel.ts";
import { Count, Digest, nullable, record, Share, Slug, Timestamp } from "./schema.ts";
import { OUTCOMES } from "./verdict.ts";
import { PeopleAgreement } from "./vote.ts";

const Rate = (description: string) => nullable(Share(description));

const FactsAgreement = record(
  "FactsAgreement",
  {
    agree: Count("Verdicts in which the judge names the arm that the hidden checks favour."),
    disagree: Count("It names the other one."),
    abstained: Count("It names neither. Not in the rate."),
    rate: Rate("agree / (agree + disagree)."),
    low: Rate("Wilson, 95%."),
    high: Rate("Wilson, 95%."),
  },
  {
    description:
      "Only verdicts whose hidden checks are clear: required checks differ, or graded scores differ by 0.25 or more.",
  },
);

const PanelAgreement = record(
  "PanelAgreement",
  {
    judges: Type.Integer({ minimum: 1 }),
    rho: nullable(Type.Number({ minimum: -1, maximum: 1 }), {
      description: "Mean correlation of two judges' votes. It includes what the arms' work has in common.",
    }),
    independent_votes: nullable(Type.Number({ minimum: 0 }), {
      description: "k / (1 + (k - 1) rho): this many independent judges would say as much.",
    }),
  },
  { description: "How often the judges of a panel vote alike." },
);

export const JudgeProfile = record(
  "JudgeProfile",
  {
    judge: record("ProfiledJudge", {
      model: Type.String(),
      protocol: Type.String(),
      prompt_digest: nullable(Digest("As in its verdicts.")),
    }),
    scenario: Slug({ description: "The newest one that it judged; a prompt belongs to one definition." }),
    verdicts: Count("Verdicts in which it was asked."),
    outcomes: Type.Object(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, Count("The judge's own.")])), {
      additionalProperties: false,
      description: "What the judge found itself, by the criteria that it scored; masked repetitions included.",
    }),
    rates: nullable(
      record("OutcomeRates", {
        tie: Share("Of all its verdicts."),
        inconsistent: Share("Of all its verdicts."),
        inconclusive: Share("Of all its verdicts."),
        invalid: Share("Of all its verdicts."),
      }),
      { description: "Null below 20 verdicts." },
    ),
    position: record("PositionPull", {
      mean_pull: nullable(Type.Number({ minimum: -1, maximum: 1 }), {
        description: "1: always the arm shown first. Null below 20 verdicts.",
      }),
      first: Count("Inconsistent verdicts that named the arm shown first each time."),
      second: Count("That named the arm shown second each time."),
      sign_p: Rate("Exact sign test of the two. Null below 20 verdicts."),
    }),
    repeats: record("JudgeRepeats", {
      compared: Count("Verdicts on two arms that it had judged before."),
      changed: Count("Those whose result differs from the verdict before."),
      rate: Rate("changed / compared. Null below 20 verdicts."),
    }),
    calls: Count("Presentations."),
    citations_dropped: Count("Citations that nothing shown supports."),
    cost_usd: nullable(Type.Number({ minimum: 0 }), {
      description: "Mean cost of a verdict, over those whose cost is known.",
    }),
    latency_ms: nullable(Type.Number({ minimum: 0 }), { description: "Mean time of a verdict." }),
    facts: record(
      "FactsAgreements",
      { shown: FactsAgreement, hidden: FactsAgreement },
      {
        description: "By whether the judge saw the checks' results: where it did, this is an upper bound of its skill.",
      },
    ),
    people: PeopleAgreement,
    panel: nullable(PanelAgreement, { description: "Null for one judge." }),
    newest_at: Timestamp("Time of its newest verdict."),
  },
  { description: "What a judge's stored verdicts say of it. Below 20 of them: counts, no rates." },
);
export type JudgeProfile = Static<typeof JudgeProfile>;

export const JudgeProfiles = record("JudgeProfiles", {
  judges: Type.Array(JudgeProfile, { description: "Most verdicts first." }),
  sessions_read: Count("Newest first."),
  complete: Type.Boolean({ description: "False: there are older sessions, or more judges, that were not read." }),
});
export type JudgeProfiles = Static<typeof JudgeProfiles>;

export const JudgesRequest = record("JudgesRequest", {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: JUDGE_NAME_CHARS, description: "Only this judge; a panel by its members." }),
  ),
});
export type JudgesRequest = Static<typeof JudgesRequest>;
