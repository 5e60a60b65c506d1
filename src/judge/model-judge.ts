import type { Clock, Entropy } from "../clock.ts";
import type { JudgedCriterion } from "../domain/scenario.ts";
import { sumKnown } from "../domain/usage.ts";
import { type Citation, type Facts, type Flag, type JudgeCall, SIDES, type Side } from "../domain/verdict.ts";
import type { ModelClient } from "../model/client.ts";
import { citationChecker } from "./answer/citations.ts";
import { type JudgementSchema, judgementSchema, QUOTE_CHARS } from "./answer/judgement.ts";
import { type Answered, askJudge, firstRequest, type Question } from "./ask-judge.ts";
import { drawLabels, drawSecrets, type Labels } from "./blind.ts";
import { builtinHearing } from "./builtin-judge.ts";
import { type EvidenceView, evidenceView } from "./evidence-view.ts";
import type { Hearing } from "./hearing.ts";
import type { Case, JudgedArm } from "./judge.ts";
import { judgePrompt, PROTOCOL, promptDigest } from "./judge-prompt.ts";
import type { Purse } from "./purse.ts";
import { isJudged } from "./scenario-brief.ts";
import { clip, LEFT_OUT } from "./view/clip.ts";
import { suspectLines } from "./view/injection-scan.ts";
import { identityRedactor } from "./view/redact-identity.ts";
import { withoutWords } from "./view/without-words.ts";

export interface ModelJudge {
  readonly model: ModelClient;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Absent: judging may cost what it costs. */
  readonly purse?: Purse | undefined;
}

export interface Matter {
  readonly kase: Case;
  readonly facts: Readonly<Record<Side, Facts>>;
  readonly names: Readonly<Record<Side, string>>;
  /** Whether words could have moved what these answers say, so that it is asked again without them. */
  readonly mustHearAgain: (calls: readonly JudgeCall[], suspicions: Hearing["suspicions"]) => boolean;
}

type Views = Readonly<Record<Side, EvidenceView>>;

/** Orders are presentations: which arm stands in the first slot. */
const ORDERS = ["ab", "ba"] as const;

/** Cited items kept per criterion of a verdict. */
const KEPT_CITATIONS = 8;

/**
 * Both orders at once, always. Where the arms' words could have moved the result, both again with the words of both arms
 * withheld: comments, remarks, answers, output. A judge that obeys words has none to obey there.
 * @throws Failure `provider_failed` when the judge cannot be reached; the signal's reason when it fires.
 */
export async function hearModel(judge: ModelJudge, matter: Matter, signal: AbortSignal): Promise<Hearing> {
  const { kase } = matter;
  const views = await viewsOf(kase, signal);
  const shown = await askBothOrders(judge, matter, { views, masked: false }, signal);
  if (shown.length === 0) return { ...builtinHearing, flags: ["cost_limit_reached"] };
  const suspicions = [...scanned(views), ...suspectedBy(shown)];
  const doubted = matter.mustHearAgain(callsOf(shown), suspicions);
  const plain = doubted ? await plainViews(kase, signal) : null;
  const repeated = plain ? await askBothOrders(judge, matter, { views: plain, masked: true }, signal) : [];
  const all = [...shown, ...repeated];
  return {
    calls: callsOf(all),
    citations: mergeCitations(shown),
    cached_tokens: sumKnown(all.map(({ cached_tokens }) => cached_tokens)),
    flags: [
      ...viewFlags(views),
      ...answerFlags(shown),
      ...(suspicions.length > 0 ? (["injection_suspected"] as const) : []),
      ...(doubted && !plain ? (["prose_only"] as const) : []),
      ...(plain && repeated.length === 0 ? (["cost_limit_reached"] as const) : []),
    ],
    suspicions,
    prompt_digest: promptDigest(kase),
    protocol: PROTOCOL,
  };
}

const callsOf = (answers: readonly Answered[]) => answers.map(({ call }) => call);

/** Lines told of each arm; one is enough to suspect it. */
const TOLD_LINES = 8;

/** Characters kept of a place and of a line. */
const WHERE_CHARS = 250;

function scanned(views: Views): Hearing["suspicions"] {
  return SIDES.flatMap((side) =>
    suspectLines(views[side])
      .slice(0, TOLD_LINES)
      .map(({ text, item }) => ({
        side,
        where: item && clip(`${item.kind} ${item.ref}`, WHERE_CHARS),
        quote: clip(text.replace(/^\+?\s*/, ""), QUOTE_CHARS - LEFT_OUT.length - 2),
        found_by: "scan" as const,
      })),
  );
}

/** The judge names an arm and no line. */
const suspectedBy = (answers: readonly Answered[]): Hearing["suspicions"] =>
  SIDES.filter((side) => answers.some(({ suspects }) => suspects.includes(side))).map((side) => ({
    ...{ side, where: null, quote: null },
    found_by: "judge" as const,
  }));

/** The names hidden in both views are those of the pair: one set, whoever is shown and whoever stands first. */
async function viewsOf(kase: Case, signal: AbortSignal): Promise<Views> {
  const redact = identityRedactor([...modelNames(kase.a), ...modelNames(kase.b)]);
  const settings = { ...kase.rubric.judge, deliverable: kase.task.deliverable };
  const a = await evidenceView(kase.a, settings, redact);
  const b = await evidenceView(kase.b, settings, redact);
  // Whoever stopped it meanwhile wants no judge to be asked.
  signal.throwIfAborted();
  return { a, b };
}

/** Both arms without their words; null when nothing would be left of either. */
async function plainViews(kase: Case, signal: AbortSignal): Promise<Views | null> {
  const [a, b] = [await withoutWords(kase.a), await withoutWords(kase.b)];
  if (!a.has_code && !b.has_code) return null;
  return await viewsOf({ ...kase, a: a.arm, b: b.arm }, signal);
}

function modelNames({ summary }: JudgedArm): string[] {
  const slash = summary.model.indexOf("/");
  const [provider, model] = [summary.model.slice(0, slash), summary.model.slice(slash + 1)];
  return [summary.model, provider, model, summary.model_served ?? ""];
}

/** Empty when there is not money enough for both. */
async function askBothOrders(
  judge: ModelJudge,
  matter: Matter,
  evidence: { readonly views: Views; readonly masked: boolean },
  signal: AbortSignal,
): Promise<readonly Answered[]> {
  const text = [evidence.views.a, evidence.views.b].map(textOf).join("\n");
  const labels = drawLabels(judge.entropy, text);
  const criteria = matter.kase.rubric.criteria.filter(isJudged);
  const schema = judgementSchema(matter.kase.rubric, labels);
  const other = new AbortController();
  const either = AbortSignal.any([signal, other.signal]);
  try {
    const shared = { ...evidence, labels, criteria, schema };
    const questions = ORDERS.map((order) => questionOf(judge, matter, { ...shared, order }));
    if (judge.purse?.affords(questions.map(firstRequest)) === false) return [];
    return await Promise.all(questions.map((question) => askJudge(question, judge, either)));
  } catch (error) {
    // One order cannot stand alone: what the other costs from here on would be wasted.
    other.abort(error);
    throw error;
  }
}

const textOf = ({ sections }: EvidenceView) =>
  sections.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");

interface Presentation {
  readonly views: Views;
  readonly masked: boolean;
  readonly order: (typeof ORDERS)[number];
  readonly labels: Labels;
  readonly criteria: readonly JudgedCriterion[];
  readonly schema: JudgementSchema;
}

function questionOf({ entropy }: ModelJudge, matter: Matter, presentation: Presentation): Question {
  const { kase, facts, names } = matter;
  const { views, masked, order, labels, criteria, schema } = presentation;
  const secrets = drawSecrets(entropy);
  const [first, second]: readonly [Side, Side] = order === "ab" ? ["a", "b"] : ["b", "a"];
  const exhibit = (side: Side) => ({ view: views[side], facts: facts[side] });
  return {
    prompt: judgePrompt({ ...kase, labels, withheld: masked }, [exhibit(first), exhibit(second)], secrets),
    expected: {
      labels,
      schema,
      secrets,
      criteria,
      citations: [citationChecker(views[first], secrets.mark), citationChecker(views[second], secrets.mark)],
    },
    seating: { order, labels, names },
    masked,
  };
}

function mergeCitations(answers: readonly Answered[]): Hearing["citations"] {
  const merged = new Map<string, Map<string, Citation>>();
  for (const [id, citations] of answers.flatMap((answer) => [...answer.citations])) {
    const distinct = merged.get(id) ?? new Map<string, Citation>();
    for (const citation of citations) distinct.set(JSON.stringify(citation), citation);
    merged.set(id, distinct);
  }
  return new Map([...merged].map(([id, distinct]) => [id, [...distinct.values()].slice(0, KEPT_CITATIONS)]));
}

function viewFlags({ a, b }: Views): Flag[] {
  return [
    ...(a.truncated || b.truncated ? (["truncated"] as const) : []),
    ...(a.truncated_core || b.truncated_core ? (["truncated_core"] as const) : []),
    ...(a.redactions + b.redactions > 0 ? (["identity_redacted"] as const) : []),
  ];
}

function answerFlags(shown: readonly Answered[]): Flag[] {
  const calls = callsOf(shown);
  return [
    ...(calls.some((call) => call.injection_suspected) ? (["injection_suspected"] as const) : []),
    ...(calls.some((call) => call.citations_invalid > 0) ? (["citations_dropped"] as const) : []),
    ...(calls.some((call) => !call.valid) ? (["judge_invalid"] as const) : []),
    ...(shown.some(({ overflow }) => overflow) ? (["judge_context_too_small"] as const) : []),
  ];
}
