import { say, type Words } from "./words.ts";

export type Tone = "note" | "warn" | "danger" | "good";

/** What a flag means for a reader, in the same words wherever it is told. */
export interface FlagText {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
}

/** A page that is older than its server says what it was told. */
export const unknownFlag = (flag: string): FlagText => ({
  tone: "warn",
  title: flag.replaceAll("_", " "),
  text: "This page is older than the server and does not know the flag: load it again.",
});

/** Title and text as one paragraph, for a door without titles. */
export const flagSentence = ({ title, text }: FlagText): Words => say`${{ figure: `${title}.` }} ${text}`;
