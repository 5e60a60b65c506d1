import { type Citation, type JudgeCall, SIDES, type Side } from "../../../domain/verdict.ts";
import { cleanLine } from "../view/clean-text.ts";
import { nameArms, type Presentation } from "../view/labels.ts";
import type { ScoredCriterion, UsableAnswer } from "./parse-answer.ts";

/** A judge's answer about arms a and b. */
export interface ParsedAnswer {
  readonly call: Pick<
    JudgeCall,
    "preference" | "strength" | "scores" | "concerns" | "injection_suspected" | "rationale" | "citations_invalid"
  >;
  /** By criterion id. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** Arms whose words the judge suspects. */
  readonly suspects: readonly Side[];
}

/** Slot of each side, by order. */
const SLOTS = { ab: { a: 0, b: 1 }, ba: { a: 1, b: 0 } } as const;

/** Characters kept of the judge's prose. Longer prose is cut; the answer stays valid. */
const NOTE_CHARS = 300;
const CONCERN_CHARS = 160;
const RATIONALE_CHARS = 900;

/** Concerns kept per candidate. */
const CONCERNS = 5;

/** Turns an answer about labels into one about arms. Its prose is cleaned and cut. */
export function inArmFrame(
  { judgement, scored, citations_invalid }: UsableAnswer,
  presentation: Presentation,
): ParsedAnswer {
  const { order, labels, names } = presentation;
  const slots = SLOTS[order];
  const { preference, strength, candidates, rationale } = judgement;
  const prose = (text: string, limit: number) => cutLine(nameArms(text, presentation), limit);
  const said = (side: Side) => candidates[labels[slots[side]]];
  const suspects = SIDES.filter((side) => said(side)?.injection_suspected ?? false);
  const pairs = [...scored[slots.a]].flatMap(([id, a]) => {
    const b = scored[slots.b].get(id);
    return b ? [{ id, a, b }] : [];
  });
  return {
    call: {
      preference: preference === "tie" ? "tie" : preference === labels[slots.a] ? "a" : "b",
      strength,
      scores: pairs.map(({ id, a, b }) => ({
        id,
        score_a: a.score,
        score_b: b.score,
        note_a: prose(a.note, NOTE_CHARS),
        note_b: prose(b.note, NOTE_CHARS),
        supported: a.citations.length > 0 && b.citations.length > 0,
      })),
      concerns: SIDES.flatMap((side) => {
        const concerns = said(side)?.concerns.slice(0, CONCERNS) ?? [];
        return concerns.map((text) => `${names[side]}: ${prose(text, CONCERN_CHARS)}`);
      }),
      injection_suspected: suspects.length > 0,
      rationale: prose(rationale, RATIONALE_CHARS),
      citations_invalid,
    },
    citations: new Map(pairs.map(({ id, a, b }) => [id, [...citationsOf("a", a), ...citationsOf("b", b)]])),
    suspects,
  };
}

const citationsOf = (side: Side, { citations }: ScoredCriterion): readonly Citation[] =>
  citations.map((citation) => ({ side, ...citation }));

function cutLine(text: string, limit: number): string {
  const line = cleanLine(text);
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}
