import { expect, test } from "bun:test";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { rejudge } from "../../src/comparison/session/rejudge.ts";
import { everyVerdict } from "../../src/domain/every-verdict.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { readSession } from "../../src/store/read-session.ts";
import { bundled, runOnce, testServices } from "../harness.ts";
import { buildCase, judged } from "../judge/build-case.ts";
import { called, countingEntropy, fixedClock, mockJudge, wellFormed } from "../judge/mock-judge.ts";

const never = new AbortController().signal;

test("one run opens the gate of its winner where that was asked, and its verdict asked for later opens none", async () => {
  const services = testServices();
  const loaded = await bundled("pager-last-page");
  const [plain, single] = [await runOnce(services, loaded), await runOnce(services, loaded, { single: true })];
  const shut = { "ticket-only": null, "root-cause": null };
  expect([plain.outcome.verdict?.gate, "single" in plain.outcome.request]).toEqual([shut, false]);
  const { session_id, verdict, request } = single.outcome;
  expect([verdict?.gate, request.single]).toEqual([{ ...shut, "root-cause": "better" }, true]);
  const [arm_a, arm_b] = ["ticket-only", "root-cause"].map((arm_id) => ({ session_id, arm_id }));
  if (!arm_a || !arm_b) throw new Error("two arms ran");
  await rejudge(services, { arm_a, arm_b, judge_model: "builtin/evidence" }, never);
  const read = await readSession(services.store, session_id);
  const gates = read ? everyVerdict(read).map(({ gate, gate_reasons }) => [gate, gate_reasons?.["root-cause"]]) : [];
  expect(gates).toEqual([
    [{ ...shut, "root-cause": "better" }, undefined],
    [shut, { because: "single_run", needs: null }],
  ]);
});

/** A verdict of a judge behind a gateway, who answers as this model does and prefers what arm a did. */
async function judgedBy(judge: string, served: readonly [a: string, b: string]): Promise<Verdict> {
  const model = mockJudge((request) => {
    const reply = called(wellFormed(request, ({ evidence }) => ({ only: evidence.includes("slice.plain") ? 4 : 1 })));
    return { ...reply, model_served: judge };
  });
  const open = openJudge({ model, model_name: "house/judge", clock: fixedClock(), entropy: countingEntropy() });
  const [a, b] = served;
  const arm = (model_served: string) => ({ model: "house/agent", model_served });
  return await open(buildCase({ criteria: [judged("only")], a: arm(a), b: arm(b) }), never);
}

test("a judge is kin of what was really served behind a gateway: of one arm, which is flagged, or of both", async () => {
  const kin = async (...[judge, served]: Parameters<typeof judgedBy>) => {
    const { judge: told, flags } = await judgedBy(judge, served);
    return [told.kin_of, flags.includes("self_family")];
  };
  const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
  expect(await kin("claude-opus-4-5", [claude, "gpt-5"])).toEqual(["a", true]);
  expect(await kin("claude-opus-4-5", ["gpt-5", claude])).toEqual(["b", true]);
  expect(await kin("claude-opus-4-5", [claude, "claude-haiku-4-5"])).toEqual(["both", false]);
  expect(await kin("mistral-large", [claude, "gpt-5"])).toEqual([undefined, false]);
});

test("the row of a trial keeps what a series counts of a verdict, and nothing where there is nothing", async () => {
  const { outcome } = await runOnce(testServices(), await bundled("pager-last-page"));
  const { verdict } = outcome;
  if (verdict === null) throw new Error("a run without a verdict");
  const row = (changes: Partial<Verdict>) => {
    const { judge, doubts } = trialRowOf({ ...outcome, verdict: { ...verdict, ...changes } });
    return [judge.kin_of, doubts];
  };
  expect(row({})).toEqual([undefined, undefined]);
  expect("kin_of" in trialRowOf(outcome).judge || "doubts" in trialRowOf(outcome)).toBe(false);
  const judge = { ...verdict.judge, kin_of: "both" as const };
  expect(row({ judge, confidence: "low", flags: ["no_contrast", "panel_one_family"] })).toEqual([
    "both",
    ["panel_one_family", "no_contrast", "low_confidence"],
  ]);
});
