import { type Static, Type } from "@sinclair/typebox";
import { VOTE_REASON_CHARS, VOTER_CHARS } from "./defaults.ts";
import { Count, nullable, oneOf, record, Share, Timestamp } from "./schema.ts";
import { ArmPointer, ORDERS, SIDES } from "./verdict.ts";

/** Whom a person prefers of two arms. */
const Choice = oneOf([...SIDES, "tie"], { description: "`tie`: neither." });

/** A session refuses more. */
export const MAX_VOTES = 1_000;

export const VoteRequest = record("VoteRequest", {
  verdict_id: Type.Optional(
    Type.String({
      description:
        "A verdict of the session: `a` and `b` are its arms. Absent: the session's own arms, in their order.",
    }),
  ),
  order: oneOf(ORDERS, { description: "Which arm was shown first." }),
  choice: Choice,
  blind: Type.Boolean({
    description: "The voter had seen neither names nor a verdict. The server does not check it.",
  }),
  reason: Type.Optional(Type.String({ maxLength: VOTE_REASON_CHARS, description: "Why." })),
  voter: Type.Optional(Type.String({ maxLength: VOTER_CHARS, description: "A name, unchecked." })),
});
export type VoteRequest = Static<typeof VoteRequest>;

export const Vote = record(
  "Vote",
  {
    vote_id: Type.String(),
    created_at: Timestamp("When it was taken."),
    arm_a: ArmPointer,
    arm_b: ArmPointer,
    order: VoteRequest.properties.order,
    choice: Choice,
    blind: VoteRequest.properties.blind,
    reason: nullable(Type.String()),
    voter: nullable(Type.String({ description: "As given, unchecked." })),
  },
  { description: "The arm that a person prefers. No judge sees it, and no verdict counts it." },
);
export type Vote = Static<typeof Vote>;

export const PeopleAgreement = record(
  "PeopleAgreement",
  {
    agree: Count("Both name the same arm, or both call it a tie."),
    opposed: Count("They name different arms."),
    one_tie: Count("One names an arm, the other calls it a tie."),
    abstained: Count("The judge reached no finding. Not in the rate."),
    not_blind: Count("Votes of people who had seen names or a verdict. No other figure includes them."),
    rate: nullable(Share("agree / (agree + opposed + one_tie); null without such a vote.")),
    low: nullable(Share("Wilson, 95%, as if all votes were independent.")),
    high: nullable(Share("As low.")),
  },
  { description: "How often blind votes agree with a judge, each vote counted once." },
);
export type PeopleAgreement = Static<typeof PeopleAgreement>;
