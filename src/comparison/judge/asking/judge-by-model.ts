import type { Facts } from "../../../domain/evidence.ts";
import type { Price } from "../../../domain/price-list.ts";
import { costOf, sumUsage } from "../../../domain/usage.ts";
import { type Citation, FLAGS, type Flag, type JudgeCall, ORDERS, SIDES, type Side } from "../../../domain/verdict.ts";
import type { Entropy } from "../../../runtime/clock.ts";
import { allOrNone } from "../all-or-none.ts";
import { citationChecker } from "../answer/citation-checker.ts";
import { judgementSchema } from "../answer/judgement-schema.ts";
import type { Case, JudgedArm } from "../judge.ts";
import { panelProtocol } from "../panel-votes.ts";
import { isJudged } from "../scenario-brief.ts";
import { type JudgeResult, NO_MODEL_ASKED } from "../verdict/judge-result.ts";
import type { Candidates } from "../view/candidates.ts";
import type { EvidenceView, PairViews } from "../view/evidence-view.ts";
import { drawLabels, type Presentation, type Secrets } from "../view/labels.ts";
import { askJudge, type CallResult, firstRequest, type JudgeClient, type Question } from "./ask-judge.ts";
import { judgePrompt, PROTOCOL, promptDigest } from "./judge-prompt.ts";
export interface JudgeInput extends JudgedPair {
  readonly candidates: Candidates;
  /** Whether words could have moved these answers, so that the judge must be asked again without them. */
  readonly needsMaskedRepetition: (calls: readonly JudgeCall[], suspicions: JudgeResult["suspicions"]) => boolean;
}

/** Citations kept per criterion of a verdict. */
const KEPT_CITATIONS = 8;

/**
 * The first hearing asks the model in both orders at once. Where the arms' words could have moved its result, a second
 * hearing asks in both orders again, with the words of both arms masked: comments, remarks, answers, output.
 * @throws Failure `provider_failed` when the judge cannot be reached; the signal's reason when it fires.
 */
export async function judgeByModel(judge: JudgeClient, input: JudgeInput, signal: AbortSignal): Promise<JudgeResult> {
  const { kase, candidates } = input;
  const { views } = candidates;
  const first = await askBothOrders(judge, input, { views, masked: false }, signal);
  if (first.length === 0) return { ...NO_MODEL_ASKED, flags: ["cost_limit_reached"] };
  const suspicions = [...candidates.suspicions, ...suspectedByJudge(first)];
  const due = input.needsMaskedRepetition(callsOf(first), suspicions);
  const wordless = await candidates.masked();
  const masked = due ? wordless : null;
  const second = masked ? await askBothOrders(judge, input, { views: masked, masked: true }, signal) : [];
  const all = [...first, ...second];
  return {
    calls: callsOf(all),
    citations: mergeCitations(first.map(({ citations }) => citations)),
    usage: sumUsage(all.map(({ usage }) => usage)),
    flags: flagsOf({
      truncated: views.a.truncated || views.b.truncated,
      truncated_core: views.a.truncated_core || views.b.truncated_core,
      identity_redacted: views.a.redactions + views.b.redactions > 0,
      identity_in_changes: views.a.identity_in_changes || views.b.identity_in_changes,
      different_agents: agentOf(kase.a) !== agentOf(kase.b),
      injection_suspected: suspicions.length > 0 || first.some(({ call }) => call.injection_suspected),
      citations_dropped: first.some(({ call }) => call.citations_invalid > 0),
      judge_invalid: first.some(({ call }) => !call.valid),
      judge_context_too_small: first.some(({ overflow }) => overflow),
      prose_only: wordless === null && !kase.task.answer,
      cost_limit_reached: masked !== null && second.length === 0,
    }),
    suspicions,
    prompt_digest: promptDigest(kase),
    protocol: PROTOCOL,
  };
}

/** Which agent ran an arm, whatever its version; a command of the scenario's own is known by its install. */
const agentOf = ({ summary: { agent } }: JudgedArm) => agent && (agent.recipe ?? `command ${agent.install}`);

const callsOf = (results: readonly CallResult[]) => results.map(({ call }) => call);

const flagsOf = (raised: Partial<Record<Flag, boolean>>): readonly Flag[] => FLAGS.filter((flag) => raised[flag]);

/** Each citation once, from every hearing. */
function mergeCitations(hearings: readonly JudgeResult["citations"][]): JudgeResult["citations"] {
  const merged = new Map<string, Map<string, Citation>>();
  for (const [id, citations] of hearings.flatMap((hearing) => [...hearing])) {
    const distinct = merged.get(id) ?? new Map<string, Citation>();
    for (const citation of citations) distinct.set(JSON.stringify(citation), citation);
    merged.set(id, distinct);
  }
  return new Map([...merged].map(([id, distinct]) => [id, [...distinct.values()].slice(0, KEPT_CITATIONS)]));
}

/** The arms that the judge suspects. A judge names no line. */
const suspectedByJudge = (results: readonly CallResult[]): JudgeResult["suspicions"] =>
  SIDES.filter((side) => results.some(({ suspects }) => suspects.includes(side))).map((side) => ({
    side,
    where: null,
    quote: null,
    found_by: "judge" as const,
  }));

interface PanelJudge extends JudgeClient {
  /** `<provider>/<model>` */
  readonly name: string;
  readonly price: Price | null;
}

/**
 * Every judge hears the case as if it were the only one, all at the same time. A judge that the budget does not pay for
 * is silent.
 * @throws Failure `provider_failed` when one of them cannot be reached; the signal's reason when it fires.
 */
export async function judgeByPanel(
  panel: readonly PanelJudge[],
  input: JudgeInput,
  signal: AbortSignal,
): Promise<JudgeResult> {
  const results = await allOrNone(
    panel.map((judge) => (own: AbortSignal) => judgeByModel(judge, input, own)),
    signal,
  );
  const asked = results.find(({ calls }) => calls.length > 0);
  if (asked === undefined) return { ...NO_MODEL_ASKED, flags: ["cost_limit_reached"] };
  const nameOf = (index: number) => panel[index]?.name ?? "";
  return {
    calls: results.flatMap(({ calls }, index) => calls.map((call) => ({ judge: nameOf(index), ...call }))),
    citations: mergeCitations(results.map(({ citations }) => citations)),
    usage: sumUsage(results.map(({ usage }) => usage)),
    flags: FLAGS.filter((flag) => results.some(({ flags }) => flags.includes(flag))),
    suspicions: [
      ...input.candidates.suspicions,
      ...results.flatMap(({ suspicions }, index) =>
        suspicions.filter(({ found_by }) => found_by === "judge").map((one) => ({ ...one, judge: nameOf(index) })),
      ),
    ],
    prompt_digest: asked.prompt_digest,
    protocol: panelProtocol(asked.protocol),
    panel: results.map(({ usage, calls }, index) => ({
      model: nameOf(index),
      cost_usd: calls.length === 0 ? 0 : costOf(panel[index]?.price ?? null, usage),
    })),
  };
}

/** Two arms with what code established about them. */
export interface JudgedPair {
  readonly kase: Case;
  readonly facts: Readonly<Record<Side, Facts>>;
  /** What people call the arms. */
  readonly names: Readonly<Record<Side, string>>;
}

interface Evidence {
  readonly views: PairViews;
  /** The views hold no words of the arms. */
  readonly masked: boolean;
}

/**
 * One call per order, at the same time. Empty when the budget does not pay for both.
 * @throws Failure `provider_failed` when the judge cannot be reached; the signal's reason when it fires.
 */
async function askBothOrders(
  judge: JudgeClient,
  pair: JudgedPair,
  evidence: Evidence,
  signal: AbortSignal,
): Promise<readonly CallResult[]> {
  const questions = questionsOf(judge.entropy, pair, evidence);
  if (judge.budget?.reserve(questions.map(firstRequest)) === false) return [];
  // One order alone gives no result.
  return await allOrNone(
    questions.map((question) => (either: AbortSignal) => askJudge(question, judge, either)),
    signal,
  );
}

function questionsOf(entropy: Entropy, { kase, facts, names }: JudgedPair, { views, masked }: Evidence): Question[] {
  const labels = drawLabels(entropy, [views.a, views.b].map(textOf).join("\n"));
  const criteria = kase.rubric.criteria.filter(isJudged);
  const schema = judgementSchema(kase.rubric, labels);
  return ORDERS.map((order) => {
    const presentation: Presentation = { order, labels, names };
    const secrets = drawSecrets(entropy);
    const [first, second]: readonly [Side, Side] = order === "ab" ? ["a", "b"] : ["b", "a"];
    const candidate = (side: Side) => ({ view: views[side], facts: facts[side] });
    const citations = [
      citationChecker(views[first], secrets.mark),
      citationChecker(views[second], secrets.mark),
    ] as const;
    return {
      prompt: judgePrompt({ ...kase, labels, masked }, [candidate(first), candidate(second)], secrets),
      expected: { labels, schema, secrets, criteria, citations },
      presentation,
      masked,
    };
  });
}

function drawSecrets(entropy: Entropy): Secrets {
  return { nonce: entropy(16), mark: `${entropy(2)}|`, echo: entropy(8), tripwire: entropy(8) };
}

const textOf = ({ sections }: EvidenceView) =>
  sections.flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
