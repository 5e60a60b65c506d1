import type { Price } from "../../../domain/price-list.ts";
import { costOf, sumUsage } from "../../../domain/usage.ts";
import { FLAGS } from "../../../domain/verdict.ts";
import { allOrNone } from "../all-or-none.ts";
import { panelProtocol } from "../panel-votes.ts";
import { type JudgeResult, NO_MODEL_ASKED } from "../verdict/judge-result.ts";
import type { JudgeClient } from "./ask-judge.ts";
import { type JudgeInput, judgeByModel, mergeCitations } from "./judge-by-model.ts";

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
