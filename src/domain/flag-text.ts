import type { CheckoutInput } from "./checkout-input.ts";
import { checkoutText } from "./editable-inputs.ts";
import { say, type Words } from "./words.ts";

export type Tone = "note" | "warn" | "danger" | "good";

/** What a flag means for a reader, in the same words wherever it is told. */
export interface FlagText {
  readonly tone: Tone;
  readonly title: string;
  readonly text: string;
}

/** A page may be older than its server, and a program older than what it reads. */
export const unknownFlag = (flag: string): FlagText => ({
  tone: "warn",
  title: flag.replaceAll("_", " "),
  text: "A newer version of abeval wrote this flag; this one does not know it.",
});

/** Title and text as one paragraph, for a door without titles. It names what the author of a change could edit. */
export const flagSentence = (flag: string, { title, text }: FlagText, inputs: readonly CheckoutInput[] = []): Words =>
  flag === "inputs_from_checkout" && inputs.length > 0
    ? [`${checkoutText(inputs).replace(/^./, (letter) => letter.toUpperCase())}.`]
    : say`${{ figure: `${title}.` }} ${text}`;
