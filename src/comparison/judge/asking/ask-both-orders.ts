import type { Facts } from "../../../domain/evidence.ts";
import { ORDERS, type Side } from "../../../domain/verdict.ts";
import type { Entropy } from "../../../runtime/clock.ts";
import { allOrNone } from "../all-or-none.ts";
import { citationChecker } from "../answer/citation-checker.ts";
import { judgementSchema } from "../answer/judgement-schema.ts";
import type { Case } from "../judge.ts";
import { isJudged } from "../scenario-brief.ts";
import type { EvidenceView } from "../view/evidence-view.ts";
import { drawLabels, type Presentation, type Secrets } from "../view/labels.ts";
import type { PairViews } from "../view/pair-views.ts";
import { askJudge, type CallResult, firstRequest, type JudgeClient, type Question } from "./ask-judge.ts";
import { judgePrompt } from "./judge-prompt.ts";

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
export async function askBothOrders(
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
