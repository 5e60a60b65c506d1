import { whyUnknown } from "../../../domain/at-least.ts";
import { globFault, globMatcher } from "../../../domain/path-glob.ts";
import type { Criterion, Measure, MeasuredCriterion } from "../../../domain/rubric.ts";
import { type ArmSummary, wholeAnswer } from "../../../domain/session.ts";
import { isUnknown } from "../../../domain/size-of.ts";
import type { Task } from "../../../domain/task.ts";
import { sumKnown } from "../../../domain/usage.ts";
import type { CriterionScore, JudgeCall, Order, Side } from "../../../domain/verdict.ts";
import { requiredChecks } from "../facts.ts";
import { firstAnswers, type JudgeResult } from "./judge-result.ts";
import { byJudge, type MeasuredScore, TOP_SCORE } from "./score-table.ts";

type Reading = number | null;

/** A score by code. The note says what was read. */
export type Measured = MeasuredScore & { readonly note: string };

/** What an arm took and not what it made: chance moves it from run to run. */
const EFFORT: ReadonlySet<Measure> = new Set(["turns", "tool_calls", "tokens", "wall_ms", "cost_usd"]);

/** These measures are scores already, 0 to 1. */
const HIGHER_IS_BETTER: ReadonlySet<Measure> = new Set(["probe_score", "reference_fix"]);

/** Scores a criterion by code. A measure that is unknown for one arm counts for neither. */
export function measure(
  criterion: MeasuredCriterion,
  arms: { readonly a: ArmSummary; readonly b: ArmSummary },
  { deliverable, answer }: Pick<Task, "deliverable" | "answer">,
): Measured {
  const counts = globMatcher(deliverable);
  const worked = (arm: ArmSummary) => didTheWork(arm, { counts, answer });
  const a = readingOf(criterion.measure, arms.a, counts);
  const b = readingOf(criterion.measure, arms.b, counts);
  const note = `${criterion.measure}: ${shown(a)} against ${shown(b)}`;
  const by_value = HIGHER_IS_BETTER.has(criterion.measure);
  const unknown = { id: criterion.id, score_a: null, score_b: null, supported: false } as const;
  const fault = by_value ? undefined : faultOf(deliverable);
  if (fault !== undefined) return { ...unknown, note: `${criterion.measure}: ${fault}` };
  const scores = by_value ? { a, b } : smallerScoresMore({ a, b }, { a: worked(arms.a), b: worked(arms.b) });
  if (scores === null || scores.a === null || scores.b === null)
    return { ...unknown, note: [`${note}; not known for both`, ...whyOf(criterion.measure, arms)].join("; ") };
  const score = { id: criterion.id, score_a: scores.a, score_b: scores.b, supported: true, note };
  return EFFORT.has(criterion.measure) ? { ...score, effort: true } : score;
}

/** Why a cost or tokens are not known. */
const whyOf = (name: Measure, { a, b }: { readonly a: ArmSummary; readonly b: ArmSummary }) =>
  name === "tokens" || name === "cost_usd" ? whyUnknown([a, b]) : [];

/** A scenario stored by an earlier version can hold globs that today match only their own text. */
function faultOf(deliverable: readonly string[]): string | undefined {
  const faults = deliverable.map((glob) => [glob, globFault(glob)] as const);
  const [glob, fault] = faults.find(([, found]) => found !== null) ?? [];
  return fault ? `deliverable "${glob}" ${fault}` : undefined;
}

const shown = (reading: Reading) =>
  reading === null ? "unknown" : String(reading < 1_000 ? Number(reading.toPrecision(4)) : Math.round(reading));

type Counts = (path: string) => boolean;

/** An arm that did not do the work scores 0 and is no measure for the other: doing nothing is always cheapest. */
function smallerScoresMore({ a, b }: Both<Reading>, worked: Both<boolean | null>): Both<number> | null {
  if (a === null || b === null || worked.a === null || worked.b === null) return null;
  return {
    a: worked.a ? smallerOverOwn(a, worked.b ? b : a) : 0,
    b: worked.b ? smallerOverOwn(b, worked.a ? a : b) : 0,
  };
}

type Both<T> = Readonly<Record<Side, T>>;

const smallerOverOwn = (own: number, other: number) => (own === 0 ? 1 : Math.min(own, other) / own);

/** Whether the arm left some of the work and failed no required check; null when its changes are unknown. */
function didTheWork(
  arm: ArmSummary,
  { counts, answer }: { counts: Counts; answer: boolean | undefined },
): boolean | null {
  const { changes } = arm;
  if (answer) return !requiredChecks(arm)?.failed && (wholeAnswer(arm) ?? "").trim() !== "";
  if (changes === null || isUnknown(changes)) return null;
  return !requiredChecks(arm)?.failed && changes.files.some(({ path }) => counts(path));
}

/** What nobody saw, and what another machine measured at another time. */
const isUnseen = (name: Measure, { imported }: ArmSummary) =>
  imported !== undefined &&
  (name === "wall_ms" || ((name === "turns" || name === "tool_calls") && imported.form === null && !imported.run));

function readingOf(name: Measure, arm: ArmSummary, counts: Counts): Reading {
  if (isUnseen(name, arm)) return null;
  switch (name) {
    case "probe_score":
      return arm.probe?.checks.length ? arm.probe.score : null;
    case "reference_fix":
      return arm.reference_fix?.score ?? null;
    case "changed_lines":
      return changedLines(arm, counts);
    case "answer_words":
      return wordsIn(wholeAnswer(arm) ?? "");
    case "tokens":
      return sumKnown([arm.tokens_in, arm.tokens_out]);
    default:
      return arm[name];
  }
}

const wordsIn = (text: string) => text.match(/\S+/g)?.length ?? 0;

function changedLines({ changes }: ArmSummary, counts: Counts): Reading {
  if (changes === null || isUnknown(changes)) return null;
  const files = changes.files.filter(({ path }) => counts(path));
  return files.reduce((sum, { added, removed }) => sum + added + removed, 0);
}

interface Judged {
  readonly result: JudgeResult;
  readonly names: Readonly<Record<Side, string>>;
}

/** One row of a verdict's table: measured by code, or the mean of both orders. */
export function criterionScore(criterion: Criterion, measured: readonly Measured[], judged: Judged): CriterionScore {
  const { id, kind, weight } = criterion;
  if (kind === "judged") return judgedScore(id, weight, judged);
  const {
    score_a = null,
    score_b = null,
    supported = false,
    note = "",
  } = measured.find((score) => score.id === id) ?? {};
  const gap = score_a === null || score_b === null ? null : score_a - score_b;
  return { id, kind, weight, score_a, score_b, gap, position_gap: null, supported, note, evidence: [] };
}

/** Scores need both orders: nothing would cancel the pull of the first slot in one alone. Of a panel, the mean of its judges. */
function judgedScore(id: string, weight: number, { result, names }: Judged): CriterionScore {
  const shown = firstAnswers(result.calls);
  const evidence = [...(result.citations.get(id) ?? [])];
  const said = shown[0]?.scores.find((entry) => entry.id === id);
  const note = said ? `${names.a}: ${said.note_a} ${names.b}: ${said.note_b}` : "";
  const base = { id, kind: "judged", weight, note, evidence } as const;
  const scores = byJudge(shown).flatMap((own) => scoresOf(id, own));
  if (scores.length === 0)
    return { ...base, score_a: null, score_b: null, gap: null, position_gap: null, supported: false };
  const mean = (key: keyof Scores) => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  const [score_a, score_b] = [mean("score_a"), mean("score_b")];
  return { ...base, score_a, score_b, gap: score_a - score_b, position_gap: mean("position_gap"), supported: true };
}

type Scores = Readonly<Record<"score_a" | "score_b" | "position_gap", number>>;

/** One judge's scores in both orders; none when an order has no supported score. */
function scoresOf(id: string, calls: readonly JudgeCall[]): readonly Scores[] {
  const score = (order: Order) =>
    calls.find((call) => call.order === order)?.scores.find((entry) => entry.id === id && entry.supported);
  const [ab, ba] = [score("ab"), score("ba")];
  if (!ab || !ba) return [];
  return [
    {
      score_a: (ab.score_a + ba.score_a) / (2 * TOP_SCORE),
      score_b: (ab.score_b + ba.score_b) / (2 * TOP_SCORE),
      position_gap: (ab.score_a - ab.score_b - (ba.score_a - ba.score_b)) / (2 * TOP_SCORE),
    },
  ];
}
