import { runSelfTest } from "../../../src/comparison/audit/self-test.ts";
import type { Judge } from "../../../src/comparison/judge/judge.ts";
import { loadScenarioFile } from "../../../src/comparison/scenario/load-scenario.ts";
import type { Side, Verdict } from "../../../src/domain/verdict.ts";
import { CHECKS, type Chance, chanceOf, type Faults, JUDGES, normal, PULLED, TASTE } from "./pairs.ts";
import type { JudgePair } from "./rates.ts";

/** From the best to the worst, and one that is as consistent as the best. */
export const TESTED_JUDGES: readonly (readonly [name: string, faults: Faults])[] = [
  ["good", JUDGES.good],
  ["middling", JUDGES.mid],
  ["weak", JUDGES.weak],
  ["pulled", PULLED],
  ["of persistent taste", TASTE],
];

/** What the specimens are worth, in units of the spread of true differences; an edit is worth as much as what it is made of. */
const WORTH: Readonly<Record<string, number>> = { empty: 0, other_task: 0, half: 1 };
const WHOLE = 2;
const worthOf = (name: string) => WORTH[name] ?? WHOLE;

/** How much longer an edit makes the work, in logarithms. */
const LONGER: Readonly<Record<string, number>> = { padding_sentences: Math.log(1.6) };

/** Share of what a judge errs about two works that it errs about one work and its edit. */
const OF_AN_EDIT = 0.25;

/** A judge as one self-test meets it: what it errs about a pair of specimens is drawn once. */
function simulatedJudge(judge: JudgePair, faults: Faults, chance: Chance): Judge {
  const lasting = new Map<string, number>();
  return async (kase) => {
    const [a, b] = [kase.a.pointer.arm_id, kase.b.pointer.arm_id];
    const key = `${a} ${b}`;
    if (!lasting.has(key)) lasting.set(key, normal(chance));
    const difference = worthOf(a) - worthOf(b);
    const kept = b !== "copy" ? 1 : a === "reference" ? 0 : OF_AN_EDIT;
    const pair = {
      ...{ difference, longer: LONGER[a] ?? 0, lasting: kept * (lasting.get(key) ?? 0) },
      passed: { a: CHECKS, b: CHECKS },
    };
    const { outcome, winner_side, lean_side, calls } = await judge(pair, faults, chance);
    const nameOf = (side: Side | null) => (side === null ? null : kase[side].pointer.arm_id);
    const verdict: Partial<Verdict> = {
      ...{ outcome, winner: nameOf(winner_side), lean: nameOf(lean_side), flags: [] },
      calls: Array.from({ length: calls }),
      usage: { tokens_in: null, tokens_out: null, cost_usd: null, latency_ms: 0 },
    };
    return verdict as Verdict;
  };
}

const ANSWER = "The moon pulls the sea, the sun helps it, and as the earth turns two floods follow a day.";

interface SelfTestRates {
  /** Shares, 0 to 1. */
  readonly pass: number;
  readonly warn: number;
  readonly fail: number;
  /** Calls of the judge for each self-test. */
  readonly calls: number;
}

/** How often the self-test passes such a judge. It is the product's own; only the judge is simulated. */
export async function selfTestRates(
  judge: JudgePair,
  { faults, tests, seed }: { readonly faults: Faults; readonly tests: number; readonly seed: number },
): Promise<SelfTestRates> {
  const loaded = await loadScenarioFile(new URL("../../../examples/shop-answers.yaml", import.meta.url).pathname);
  const chance = chanceOf(seed);
  const counts = { pass: 0, warn: 0, fail: 0, calls: 0 };
  for (let index = 0; index < tests; index += 1) {
    const { verdict, calls } = await oneSelfTest(simulatedJudge(judge, faults, chance), loaded);
    counts[verdict] += 1;
    counts.calls += calls;
  }
  const { pass, warn, fail, calls } = counts;
  return { pass: pass / tests, warn: warn / tests, fail: fail / tests, calls: calls / tests };
}

async function oneSelfTest(judge: Judge, loaded: Awaited<ReturnType<typeof loadScenarioFile>>) {
  const chosen = { judge, judge_model: "mock/judge", price: null, prices: new Map(), spent_usd: () => null };
  const plan = {
    ...{ loaded, scenario: loaded.definition, digest: "0".repeat(64) },
    judge: { model: "mock/judge", protocol: "simulated", prompt_digest: null },
    work: {
      chosen,
      known: { answer: ANSWER },
      unexamined: null,
      most_usd: undefined,
      least_usd: null,
      calls: [0, 0] as const,
    },
  };
  return await runSelfTest(plan, (text) => text, new AbortController().signal);
}
