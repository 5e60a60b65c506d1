import { type Static, Type } from "@sinclair/typebox";
import { GivenName } from "./results.ts";
import { InputId } from "./scenario.ts";
import { nullable, oneOf, record, Share } from "./schema.ts";
import { SessionId, STATES } from "./session.ts";
import { OUTCOMES, SIDES } from "./verdict.ts";

/** A trial as a report of a series tells it. */
export const SeriesTrial = record("SeriesTrial", {
  trial: Type.Integer({ minimum: 1 }),
  round: Type.Integer({ minimum: 1 }),
  scenario: GivenName("Name of the scenario."),
  input: Type.Optional(InputId),
  session_id: Type.Optional(Type.String({ ...SessionId, description: "Absent for imported results." })),
  results: Type.Optional(
    record(
      "TrialResults",
      {
        a: nullable(Share("0 to 1.")),
        b: nullable(Share("0 to 1.")),
      },
      { description: "Imported: 1 passed, 0 did not, or the score; null where the table has none." },
    ),
  ),
  state: oneOf(STATES),
  failure: nullable(Type.String({ description: "Why it failed or was cancelled." })),
  outcome: nullable(oneOf(OUTCOMES)),
  winner_side: nullable(oneOf(SIDES)),
  d: nullable(Type.Integer({ minimum: -1, maximum: 1 }), { description: "1: a won, -1: b won, 0: no winner." }),
  counted: Type.Boolean({ description: "Part of the statistics." }),
  copy: Type.Optional(Type.Literal(true, { description: "Of stored runs: it repeats one that counts." })),
  used_for_claim: Type.Boolean({ description: "The claim was made with it." }),
  e_after: nullable(Type.Number({ minimum: 0 }), { description: "Evidence when its round was complete." }),
  cost_usd: nullable(Type.Number({ minimum: 0 }), { description: "USD; null = unknown." }),
  arms_ms: nullable(Type.Integer({ minimum: 0 }), {
    description: "How long its slower arm ran; null until both ended.",
  }),
});
export type SeriesTrial = Static<typeof SeriesTrial>;
