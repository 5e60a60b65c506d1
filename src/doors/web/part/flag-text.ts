import { words } from "../format.ts";

export type Tone = "note" | "warn" | "danger" | "good";

/** What a flag means for a reader. */
export interface FlagText {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
}

/** A page that is older than its server says what it was told. */
export const unknownFlag = (flag: string): FlagText => ({
  tone: "warn",
  title: words(flag),
  text: "This page is older than the server and does not know the flag: load it again.",
});
