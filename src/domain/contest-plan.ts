import { type Static, Type } from "@sinclair/typebox";
import { Digest, nullable, oneOf, record } from "./schema.ts";

/** Arms of a table of results, at most. */
export const MAX_TABLE_ARMS = 32;

export const CONTEST_MODES = ["against", "best"] as const;

const ArmId = Type.String({ minLength: 1, maxLength: 200 });

/** More than two arms, and the pairs of them that are compared. */
export const ContestPlan = record(
  "ContestPlan",
  {
    arms: Type.Array(ArmId, {
      minItems: 3,
      maxItems: MAX_TABLE_ARMS,
      description: "Arm ids. At most 8 of arms that run here.",
    }),
    mode: oneOf(CONTEST_MODES, {
      description: "`against`: each candidate with the control; `best`: each arm with each other one.",
    }),
    control: nullable(ArmId, {
      description: "Id of the arm that the others are compared with. Null: `best` has none.",
    }),
    keep_running: Type.Optional(
      Type.Literal(true, { description: "Arms go on that are out, or about which enough is known." }),
    ),
    fdr: Type.Optional(
      Type.Literal(true, {
        description: "It is also told what holds where a share of 5% of all claims may be false. No gate reads it.",
      }),
    ),
    pairs: Type.Array(
      record("ContestPair", {
        arms: Type.Array(ArmId, { minItems: 2, maxItems: 2, description: "Arm ids: a, then b." }),
        comparisons: Type.Optional(
          Type.Array(Digest("What is compared with what, by which judge."), {
            description: "By member of the plan. Absent for imported results.",
          }),
        ),
      }),
      { minItems: 2, description: "In `against` the control and each candidate; in `best` all pairs." },
    ),
  },
  { description: "Absent: two arms are compared." },
);
export type ContestPlan = Static<typeof ContestPlan>;

/** The pairs of a mode, in their order. @param control one of the arms, in mode `against` */
export function contestPairs(
  arms: readonly string[],
  { mode, control }: Pick<ContestPlan, "mode" | "control">,
): readonly (readonly [a: string, b: string])[] {
  if (mode === "against" && control !== null)
    return arms.filter((arm) => arm !== control).map((arm) => [control, arm] as const);
  return arms.flatMap((a, place) => arms.slice(place + 1).map((b) => [a, b] as const));
}

/** What is asked for to have a contest like this one. */
export const contestRequestOf = ({ mode, control, keep_running, fdr }: ContestPlan) => ({
  mode,
  ...(control !== null && { control }),
  ...(keep_running && { keep_running }),
  ...(fdr && { fdr }),
});
