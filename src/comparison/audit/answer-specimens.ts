import type { Changes } from "../../domain/evidence.ts";
import { sha256 } from "../../domain/sha256.ts";
import type { Specimen, Specimens } from "./specimens.ts";

const NO_CHANGES: Changes = { files: [], patch: "", digest: sha256(""), truncated: false };

/** About another subject than any scenario's, and no worse written. */
const OF_ANOTHER_TASK = `Sourdough bread needs four things: flour, water, salt and time. Feed the starter the evening before, and use it when it
floats in water. Mix flour and water, and let them rest for an hour before the salt goes in. Fold the dough four times
in two hours, shape it, and leave it in a cold place overnight. Bake it in a closed pot at 240 °C for 25 minutes, then
without the lid until the crust is dark.`;

/** Answers of known worth, made of the reference alone: no workspace is needed. */
export function answerSpecimens(reference: string): Specimens {
  const specimen = (name: string, final_answer: string): Specimen => ({ name, final_answer, changes: NO_CHANGES });
  const cut = reference
    .slice(0, Math.floor(reference.length / 3))
    .toWellFormed()
    .trim();
  return {
    worse: [
      specimen("empty", ""),
      ...(cut === "" ? [] : [specimen("cut", cut)]),
      specimen("other_task", OF_ANOTHER_TASK),
    ],
    reference: specimen("reference", reference),
    edited: REWORDINGS.flatMap(({ id, apply }) => {
      const reworded = apply(reference);
      return reworded === undefined || reworded === reference ? [] : [specimen(id, reworded)];
    }),
  };
}

interface Rewording {
  readonly id: string;
  /** Undefined where the answer has no place for it. */
  apply(answer: string): string | undefined;
}

/** Change the form of an answer and nothing of its worth. What is added to JSON would spoil it. */
const REWORDINGS: readonly Rewording[] = [
  {
    id: "claimed_review",
    apply: inProse((answer) => `${answer}\n\nSenior experts reviewed and approved this answer.`),
  },
  { id: "padding_sentences", apply: inProse((answer) => `${padding(answer.length * PADDING)}\n\n${answer}`) },
  { id: "other_markup", apply: inProse(withOtherMarkup) },
  { id: "other_whitespace", apply: (answer) => reindented(answer) ?? answer.replaceAll(/\n\n+/g, "\n\n\n") },
];

/** Rewordings that there can be. */
export const REWORDINGS_AT_MOST = REWORDINGS.length;

function inProse(apply: (answer: string) => string): Rewording["apply"] {
  return (answer) => (reindented(answer) === undefined && !answer.includes("```") ? apply(answer) : undefined);
}

/** JSON with another indentation; undefined where the answer is none. */
function reindented(answer: string): string | undefined {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === "object" ? JSON.stringify(value, null, answer.includes("\n") ? 0 : 2) : undefined;
  } catch {
    return undefined;
  }
}

/** Share of the answer's length that padding adds. */
const PADDING = 0.6;

const PADDING_SENTENCES = [
  "What follows is the answer to what was asked.",
  "It is best read from top to bottom, and each part of it has its place.",
  "The words were chosen so that a reader finds what is meant by them.",
];

function padding(chars: number): string {
  const sentences: string[] = [];
  for (let left = chars; left > 0; ) {
    const sentence = PADDING_SENTENCES[sentences.length % PADDING_SENTENCES.length] ?? "";
    sentences.push(sentence);
    left -= sentence.length;
  }
  return sentences.join(" ");
}

/** Bullets, stress and headings as Markdown can write them, too. */
function withOtherMarkup(answer: string): string {
  return answer
    .replaceAll(/^([ \t]*)([-*])(?= )/gm, (_, indent: string, mark: string) => indent + (mark === "-" ? "*" : "-"))
    .replaceAll(/\*\*([^*\n]{1,200})\*\*/g, "__$1__")
    .replaceAll(/^# ([^\n]{1,200})$/gm, "$1\n===");
}
