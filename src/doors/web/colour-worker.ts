import type { Colouring } from "./diff/coloured-lines.ts";
import { colouringOf } from "./diff/highlight.ts";

/** The texts of a file. */
export interface ColourJob {
  readonly language: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type ColourAnswer = Readonly<Record<"before" | "after", Colouring | null>>;

addEventListener("message", ({ data: { language, before, after } }: MessageEvent<ColourJob>) => {
  const answer: ColourAnswer = { before: colouringOf(language, before), after: colouringOf(language, after) };
  const transfer = Object.values(answer).flatMap((colouring) => (colouring ? buffersOf(colouring) : []));
  postMessage(answer, { transfer });
});

const buffersOf = ({ lengths, colours, tokens, characters }: Colouring) =>
  [lengths, colours, tokens, characters].map(({ buffer }) => buffer);
