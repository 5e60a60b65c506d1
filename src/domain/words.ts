import type { Side } from "./verdict.ts";

/** A piece of a sentence: plain text, an arm by its name, or the figure that a reader looks for. */
export type Word = string | { readonly arm: Side; readonly name: string } | { readonly figure: string };

/**
 * A sentence about a result. It is made once, below the doors; a terminal, Markdown, HTML, the pages and MCP each print its
 * words in their own way.
 */
export type Words = readonly Word[];

/** What the arms are called. */
export type ArmNames = Readonly<Record<Side, string>>;

export const armWord = (names: ArmNames, side: Side): Word => ({ arm: side, name: names[side] });

/** A sentence from a template whose values are words. */
export const say = (strings: TemplateStringsArray, ...words: readonly (Word | Words)[]): Words =>
  strings.flatMap((text, index) => [...(text === "" ? [] : [text]), ...[words[index] ?? []].flat()]);

/** The sentence as text, for a door without marks. */
export const wordsText = (words: Words): string => words.map(textIn).join("");

function textIn(word: Word): string {
  if (typeof word === "string") return word;
  return "arm" in word ? word.name : word.figure;
}
