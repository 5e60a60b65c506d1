import type { Citation, JudgeCall, Side } from "../domain/verdict.ts";
import { CONCERN_CHARS, CONCERNS, NOTE_CHARS, RATIONALE_CHARS } from "./answer/judgement.ts";
import type { Labels } from "./blind.ts";
import type { ScoredCriterion, UsableAnswer } from "./read-verdict.ts";
import { cleanLine } from "./view/clean-text.ts";

/** Which arm stands in which slot, and what people call the arms. */
export interface Seating {
  readonly order: JudgeCall["order"];
  readonly labels: Labels;
  readonly names: Readonly<Record<Side, string>>;
}

/** What a judge said, in the arm frame. */
export type Testimony = Pick<
  JudgeCall,
  "preference" | "strength" | "scores" | "concerns" | "injection_suspected" | "rationale" | "citations_invalid"
> & {
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  /** Arms whose words the judge suspects. */
  readonly suspects: readonly Side[];
};

/** Slot of each side in this order. */
const SLOTS = { ab: { a: 0, b: 1 }, ba: { a: 1, b: 0 } } as const;

/** An answer about labels becomes one about arms, by code alone; its prose is cleaned and cut. */
export function testimonyOf({ judgement, scored, citations_invalid }: UsableAnswer, seating: Seating): Testimony {
  const slots = SLOTS[seating.order];
  const prose = (text: string, limit: number) => cutLine(nameArms(text, seating), limit);
  const [scored_a, scored_b] = [scored[slots.a], scored[slots.b]];
  const said = (side: Side) => judgement.candidates[seating.labels[slots[side]]];
  const concerns = (["a", "b"] as const).flatMap((side) =>
    (said(side)?.concerns ?? [])
      .slice(0, CONCERNS)
      .map((text) => `${seating.names[side]}: ${prose(text, CONCERN_CHARS)}`),
  );
  const suspects = (["a", "b"] as const).filter((side) => said(side)?.injection_suspected ?? false);
  return {
    preference: judgement.preference === "tie" ? "tie" : judgement.preference === seating.labels[slots.a] ? "a" : "b",
    strength: judgement.strength,
    scores: [...scored_a].flatMap(([id, a]) => {
      const b = scored_b.get(id);
      return b ? [callScore(id, a, b, prose)] : [];
    }),
    concerns,
    injection_suspected: suspects.length > 0,
    suspects,
    rationale: prose(judgement.rationale, RATIONALE_CHARS),
    citations_invalid,
    citations: new Map(
      [...scored_a].map(([id, a]) => [
        id,
        [...sided(a, "a"), ...(scored_b.get(id) ? sided(scored_b.get(id), "b") : [])],
      ]),
    ),
  };
}

type Prose = (text: string, limit: number) => string;

function callScore(id: string, a: ScoredCriterion, b: ScoredCriterion, prose: Prose): JudgeCall["scores"][number] {
  return {
    id,
    score_a: a.score,
    score_b: b.score,
    note_a: prose(a.note, NOTE_CHARS),
    note_b: prose(b.note, NOTE_CHARS),
    supported: a.citations.length > 0 && b.citations.length > 0,
  };
}

const sided = (criterion: ScoredCriterion | undefined, side: Side): Citation[] =>
  criterion?.citations.map((citation) => ({ side, ...citation })) ?? [];

/** Labels mean nothing outside their call: arms go by their names. */
export function nameArms(text: string, { order, labels, names }: Seating): string {
  const [first, second] = order === "ab" ? [names.a, names.b] : [names.b, names.a];
  return renamed(renamed(text, labels[0], first), labels[1], second);
}

/** Most texts name no label; looking for one is cheaper than making an expression of it. */
const renamed = (text: string, label: string, name: string) =>
  text.includes(label) ? text.replace(new RegExp(`\\b${label}\\b`, "g"), () => name) : text;

function cutLine(text: string, limit: number): string {
  const line = cleanLine(text);
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}
