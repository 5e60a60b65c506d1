import { type Static, Type } from "@sinclair/typebox";
import { FAILURE_CODES } from "./failure.ts";
import { oneOf, record } from "./schema.ts";

export const ErrorBody = record(
  "Error",
  {
    error: record("ErrorDescription", {
      code: oneOf(FAILURE_CODES),
      message: Type.String({ description: "What was wrong and what to do." }),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  },
  {
    examples: [{ error: { code: "unknown_scenario", message: 'there is no scenario "pagr"; did you mean "pager"?' } }],
  },
);
export type ErrorBody = Static<typeof ErrorBody>;
