import { Value } from "@sinclair/typebox/value";
import type { ModelReply } from "../../../arms/model/client.ts";
import { JUDGE_REPLY_CHARS } from "../../../domain/defaults.ts";
import type { JudgedCriterion } from "../../../domain/rubric.ts";
import { type Citation, type JudgeCall, SIDES, type Side } from "../../../domain/verdict.ts";
import { TOP_SCORE } from "../verdict/score-table.ts";
import { cleanLine } from "../view/clean-text.ts";
import { type Labels, nameArms, type Presentation, type Secrets } from "../view/labels.ts";
import type { CheckCitation, CheckedCitation } from "./citation-checker.ts";
import { findAnswers } from "./find-answers.ts";
import { ANSWER_TOOL, type CandidateJudgement, type Judgement, type JudgementSchema } from "./judgement-schema.ts";

/** What a valid answer must fit. */
export interface Expected {
  readonly labels: Labels;
  /** Made of these criteria and labels. */
  readonly schema: JudgementSchema;
  readonly secrets: Pick<Secrets, "echo" | "tripwire">;
  readonly criteria: readonly JudgedCriterion[];
  /** By slot. */
  readonly citations: readonly [CheckCitation, CheckCitation];
}

/** A criterion of one candidate, with its valid citations. */
interface ScoredCriterion {
  readonly score: number;
  readonly note: string;
  readonly citations: readonly CheckedCitation[];
}

export interface UsableAnswer {
  readonly judgement: Judgement;
  /** By slot, then by criterion id. */
  readonly scored: readonly [ReadonlyMap<string, ScoredCriterion>, ReadonlyMap<string, ScoredCriterion>];
  readonly citations_invalid: number;
}

/** `errors` go back to the judge: they say where and what is wrong, and nothing about who should win. */
export interface ParseResult {
  readonly answer: UsableAnswer | null;
  readonly errors: readonly string[];
  /** The reply holds the private code: evidence may have told the judge to write it. */
  readonly leaked: boolean;
}

const TOO_LONG = "the answer is too long to be read: write shorter notes";

/** Citations checked for one criterion and candidate. More of them are ignored: they are neither kept nor counted as invalid. */
const CHECKED_CITATIONS = 16;

/** Most errors that one re-ask names. */
const REASK_ERRORS = 20;

/** Weighted gaps from which a preference against the scores, or for a tie, is incoherent. */
const AGAINST_GAP = 0.15;
const TIE_GAP = 0.35;

/**
 * Checks a reply in this order: an answer is present, echo, schema, each criterion once, coherence, citations. No value is
 * guessed or clamped. An answer whose only faults are citations is usable without those citations.
 */
export function parseAnswer(reply: ModelReply, expected: Expected): ParseResult {
  const written = replyText(reply);
  if (written === null) return refused([TOO_LONG]);
  const answers = findAnswers(reply);
  if (written.includes(expected.secrets.tripwire)) return refused(["private: the private code was written"], true);
  if (answers.length === 0) return refused([`no answer: call ${ANSWER_TOOL} with one complete object`]);
  const echoed = answers.filter((answer) => (answer as { echo?: unknown } | null)?.echo === expected.secrets.echo); // any shape
  if (echoed.length === 0) return refused(["echo: is not the verification code of the system text"]);
  const [answer] = echoed;
  if (echoed.some((other) => !Value.Equal(other, answer)))
    return refused(["several different answers: give exactly one"]);
  const faults = schemaErrors(answer, expected);
  if (faults.length > 0) return refused(faults);
  const judgement = answer as Judgement; // schemaErrors has checked it
  const slips = [...criteriaErrors(judgement, expected), ...coherenceErrors(judgement, expected)];
  return slips.length > 0 ? refused(slips) : withCitations(judgement, expected);
}

function refused(errors: readonly string[], leaked = false): ParseResult {
  return { answer: null, errors: errors.slice(0, REASK_ERRORS), leaked };
}

function schemaErrors(answer: unknown, { schema }: Expected): string[] {
  const errors = Iterator.from(Value.Errors(schema, answer)[Symbol.iterator]()).take(REASK_ERRORS);
  return [...errors].map(({ path, message }) => `${path === "" ? "answer" : path.slice(1)}: ${message}`);
}

function criteriaErrors(judgement: Judgement, { criteria, labels }: Expected): string[] {
  return labels.flatMap((label) => {
    const given = candidateOf(judgement, label).criteria.map(({ id }) => id);
    return criteria.flatMap(({ id }) => {
      const times = given.filter((other) => other === id).length;
      return times === 1 ? [] : [`candidates/${label}/criteria: ${id} must be there once, is there ${times} times`];
    });
  });
}

function candidateOf(judgement: Judgement, label: string): CandidateJudgement {
  return judgement.candidates[label] ?? { criteria: [], concerns: [], injection_suspected: false };
}

/** Weighs the judged criteria alone: the judge has not seen the measured ones. */
function coherenceErrors(judgement: Judgement, { criteria, labels }: Expected): string[] {
  const { preference, strength, deciding_criteria } = judgement;
  const gap = weightedMean(judgement, labels[0], criteria) - weightedMean(judgement, labels[1], criteria);
  const favour = preference === labels[0] ? gap : -gap;
  const incoherent = preference === "tie" ? Math.abs(gap) > TIE_GAP : favour < -AGAINST_GAP;
  return [
    ...(incoherent ? ["incoherent: preference does not follow from your weighted scores"] : []),
    ...((strength === "none") === (preference === "tie") ? [] : ["strength: is none exactly when preference is tie"]),
    ...(preference !== "tie" && deciding_criteria.length === 0 ? ["deciding_criteria: empty without a tie"] : []),
  ];
}

function weightedMean(judgement: Judgement, label: string, criteria: readonly JudgedCriterion[]): number {
  const scores = new Map(candidateOf(judgement, label).criteria.map(({ id, score }) => [id, score / TOP_SCORE]));
  const total = criteria.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? 0 : criteria.reduce((sum, { id, weight }) => sum + weight * (scores.get(id) ?? 0), 0) / total;
}

function withCitations(judgement: Judgement, expected: Expected): ParseResult {
  const slots = [checkSlot(judgement, expected, 0), checkSlot(judgement, expected, 1)] as const;
  const answer = {
    judgement,
    scored: [slots[0].scored, slots[1].scored] as const,
    citations_invalid: slots[0].dropped + slots[1].dropped,
  };
  const errors = slots.flatMap((slot) => slot.errors);
  return { answer, errors: errors.slice(0, REASK_ERRORS), leaked: false };
}

const NOT_SHOWN = "no such item was shown for this candidate, or the quote does not stand in it";

/** Citations kept per criterion and candidate. */
const CITATIONS = 4;

function checkSlot(judgement: Judgement, { labels, citations }: Expected, slot: 0 | 1) {
  const errors: string[] = [];
  let dropped = 0;
  const scored = new Map<string, ScoredCriterion>();
  for (const { id, score, note, evidence } of candidateOf(judgement, labels[slot]).criteria) {
    const where = `candidates/${labels[slot]}/criteria/${id}/evidence`;
    const checked = evidence.slice(0, CHECKED_CITATIONS).map((cited) => citations[slot](cited));
    errors.push(...checked.flatMap((citation, index) => (citation ? [] : [`${where}/${index}: ${NOT_SHOWN}`])));
    if (evidence.length === 0) errors.push(`${where}: at least one is needed`);
    const valid = checked.filter((citation) => citation !== undefined);
    dropped += checked.length - valid.length;
    scored.set(id, { score, note, citations: valid.slice(0, CITATIONS) });
  }
  return { scored, errors, dropped };
}

/** Deepest nesting that is read. An answer has seven levels. */
const DEPTH = 32;

/** All that a judge wrote, in one text; null when it is too long or nested too deep. Reading stops there. */
export function replyText({ text, calls }: Pick<ModelReply, "text" | "calls">): string | null {
  const parts = [text];
  let left = JUDGE_REPLY_CHARS - text.length;
  const waiting: { readonly value: unknown; readonly depth: number }[] = calls.map(({ input, unparsed }) => ({
    value: unparsed ?? input,
    depth: 0,
  }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (left < 0 || next.depth > DEPTH) return null;
    const { value, depth } = next;
    if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        parts.push(key);
        left -= key.length + 1;
        waiting.push({ value: item, depth: depth + 1 });
      }
    else {
      const written = String(value);
      parts.push(written);
      left -= written.length + 1;
    }
  }
  return left < 0 ? null : parts.join("\n");
}

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
const PROSE_CHARS = { note: 300, concern: 160, rationale: 900 } as const;

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
        note_a: prose(a.note, PROSE_CHARS.note),
        note_b: prose(b.note, PROSE_CHARS.note),
        supported: a.citations.length > 0 && b.citations.length > 0,
      })),
      concerns: SIDES.flatMap((side) => {
        const concerns = said(side)?.concerns.slice(0, CONCERNS) ?? [];
        return concerns.map((text) => `${names[side]}: ${prose(text, PROSE_CHARS.concern)}`);
      }),
      injection_suspected: suspects.length > 0,
      rationale: prose(rationale, PROSE_CHARS.rationale),
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
