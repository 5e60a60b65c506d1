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
    paths: Type.Array(Type.String(), { description: "Where they lay, sorted." }),
    made: Type.Array(Type.String(), { description: "Directories that there were only for them." }),
    runs: Type.String({
      description: "Digests of the words in them, five in a row: no judge reads a text that has the same.",
    }),
  },
  { description: "The arm's own files in its workspace (`files`): no part of the work, and hidden from the judge." },
);
export type ArmNotes = Static<typeof ArmNotes>;
