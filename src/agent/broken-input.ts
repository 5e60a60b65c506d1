import { asText, parseJson } from "../domain/lenient.ts";

/** Ends at the end of the text, too: a reply may break off within a command. */
const STRINGS = /"((?:[^"\\]|\\.)*)(?:"|$)/gs;
const COLON = /\s*:/y;

/** The texts in an input that is no JSON, names of fields aside. Many agents mend such an input, and run what stands in it. */
export function textsIn(broken: string): readonly string[] {
  return [...broken.matchAll(STRINGS)].flatMap(({ 0: whole, 1: inner = "", index }) => {
    COLON.lastIndex = index + whole.length;
    return COLON.test(broken) ? [] : [asText(parseJson(`"${inner}"`)) ?? inner];
  });
}
