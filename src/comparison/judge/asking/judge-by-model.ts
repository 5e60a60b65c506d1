import { sumUsage } from "../../../domain/usage.ts";
import { type Citation, FLAGS, type Flag, type JudgeCall, SIDES } from "../../../domain/verdict.ts";
import type { JudgedArm } from "../judge.ts";
import { type JudgeResult, NO_MODEL_ASKED } from "../verdict/judge-result.ts";
import type { Candidates } from "../view/candidates.ts";
import { askBothOrders, type JudgedPair } from "./ask-both-orders.ts";
import type { CallResult, JudgeClient } from "./ask-judge.ts";
import { PROTOCOL, promptDigest } from "./judge-prompt.ts";

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
export function mergeCitations(hearings: readonly JudgeResult["citations"][]): JudgeResult["citations"] {
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
