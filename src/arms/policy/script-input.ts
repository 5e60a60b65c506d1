import type { HereDoc, PipelineNode, Redirection } from "unbash";
import { shellWord, wordText } from "./shell-words.ts";

/** The text that redirections put on standard input, or else `before`. A file is not read, whoever names it: empty. */
export function inputOf(redirections: readonly Redirection[], before: string | null | undefined) {
  const last = redirections.findLast(isInput);
  switch (last?.type) {
    case undefined:
      return before;
    case "HereDoc":
      return hereText(last);
    case "HereString":
      return last.target ? shellWord(last.target).plain : "";
    case "Redirect":
      return last.target?.parts?.some(({ type }) => type === "ProcessSubstitution") ? null : "";
  }
}

/** What a command of a pipeline gives to the next one; null when that is known only when it runs. */
export function pipedText(node: PipelineNode): string | null {
  if (node.type !== "Command" || node.args.some(({ type }) => type !== "Word")) return null;
  const words = node.args.map((word) => (word.type === "Word" ? shellWord(word).plain : ""));
  switch (node.name?.value) {
    case "cat":
      return words.every((word) => word === "-") ? inputOf(node.redirects, null) || null : null;
    case "echo":
    case "printf":
      return words
        .filter((word, index) => index > 0 || !/^-[neE]+$/.test(word))
        .join(" ")
        .replaceAll("\\n", "\n");
    default:
      return null;
  }
}

/** The body as its reader gets it, with variables by name and `$()` for substitutions. */
function hereText({ body, delimiter }: HereDoc): string {
  if (body.parts) return wordText(body.parts);
  return delimiter?.quoted ? body.text : body.text.replace(/\\(?:\n|([$`\\]))/g, "$1");
}

const isInput = ({ type, operator, descriptor }: Redirection): boolean =>
  (type !== "Redirect" || operator.startsWith("<")) &&
  (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0));
