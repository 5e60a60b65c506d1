import { type Static, Type } from "@sinclair/typebox";
import { record } from "./schema.ts";

/** Files of an arm's own that lie in its workspace, and what they may hold. */
export const NOTE_FILES = 2_000;
export const NOTE_BYTES = 16_000_000;
/** Of text, which is known again in what the judge reads. */
export const NOTE_TEXT_BYTES = 2_000_000;

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
