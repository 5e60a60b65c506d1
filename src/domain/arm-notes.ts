import { type Static, Type } from "@sinclair/typebox";
import { record } from "./schema.ts";

export const ArmNotes = record(
  "ArmNotes",
  {
    paths: Type.Array(Type.String(), { description: "Their paths, sorted." }),
    made: Type.Array(Type.String(), { description: "Directories that existed only for them." }),
    runs: Type.String({
      description:
        "Digests of every five consecutive words in them; text with the same digests is hidden from the judge.",
    }),
  },
  { description: "The arm's own files in its workspace (`files`): no part of the work, and hidden from the judge." },
);
export type ArmNotes = Static<typeof ArmNotes>;
