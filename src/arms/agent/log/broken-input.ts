import { asText, parseJson } from "../../../domain/lenient.ts";
import type { Policies } from "../../../domain/policies.ts";
import { ALLOW_RULE, DENY_RULE } from "../../policy/command-rules.ts";
import { type Refusal, refusalOf } from "../../policy/refusal.ts";

/** Longer inputs, and more texts in one, are not read: no text in one is then too long for the reader of commands. */
export const BROKEN_CHARS = 16 * 1024;
const MAX_TEXTS = 500;

/** Why an input that is no JSON must not reach the agent: many agents mend such an input, and run what stands in it. */
export function refusalOfBroken(policies: Policies, broken: string): Refusal | null {
  const { allow, deny } = policies.commands;
  if (allow === null && deny.length === 0) return null;
  const texts = textsIn(broken);
  if (texts === null) return { rule: allow === null ? DENY_RULE : ALLOW_RULE, message: UNREAD };
  return texts.map((text) => refusalOf(policies, "command", text)).find((one) => one !== null) ?? null;
}

const UNREAD =
  `Refused by policy, nothing was run: the input is no JSON, and too long for its commands to be found ` +
  `(at most ${BROKEN_CHARS} characters and ${MAX_TEXTS} texts are read). Send it as valid JSON.`;

/**
 * Ends at the end of the text, too: a reply may break off within a command, or behind a backslash. So a match begins at every
 * quotation mark, and no character is read twice.
 */
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?$)/gs;
const COLON = /\s*:/y;

/** The texts in it, names of fields aside; null when it is too long. */
export function textsIn(broken: string): readonly string[] | null {
  if (broken.length > BROKEN_CHARS) return null;
  const strings = broken
    .matchAll(STRINGS)
    .take(MAX_TEXTS + 1)
    .toArray();
  if (strings.length > MAX_TEXTS) return null;
  return strings.flatMap(({ 0: whole, 1: inner = "", index }) => {
    COLON.lastIndex = index + whole.length;
    return COLON.test(broken) ? [] : [asText(parseJson(`"${inner}"`)) ?? inner];
  });
}
