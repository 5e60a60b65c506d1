import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelRequest } from "../../src/arms/model/client.ts";
import { openJudge } from "../../src/comparison/judge/open-judge.ts";
import { CONFIDENCES, type Flag, type Verdict } from "../../src/domain/verdict.ts";
import { buildCase, judged, probe } from "./build-case.ts";
import {
  called,
  countingEntropy,
  fixedClock,
  type Judgement,
  mockJudge,
  SILENT,
  slotsOf,
  userText,
  wellFormed,
} from "./mock-judge.ts";

const score = fc.integer({ min: 0, max: 4 });
const pair = fc.tuple(score, score);

/** Whatever a judge answers in four calls, whatever the facts are, whoever is suspected. */
const anyCase = fc.record({
  scores: fc.record({ ab: pair, ba: pair, again_ab: pair, again_ba: pair }),
  silent: fc.constantFrom("never", "never", "never", "first", "again"),
  passed: fc.option(fc.tuple(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 10 }))),
  required: fc.tuple(fc.constantFrom("pass", "pass", "fail"), fc.constantFrom("pass", "pass", "fail")),
  disqualified: fc.tuple(fc.constantFrom(false, false, true), fc.constantFrom(false, false, true)),
  turns: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
  measured: fc.constantFrom(0, 1, 4),
  suspected: fc.subarray(["plain", "tdd"]),
  contrary: fc.boolean(),
});
type Parts = typeof anyCase extends fc.Arbitrary<infer T> ? T : never;

const judgeOf = (parts: Parts) =>
  mockJudge((request) => {
    const again = userText(request).includes("# What is withheld");
    return parts.silent === (again ? "again" : "first") ? SILENT : called(answerTo(request, again, parts));
  });

function answerTo(request: ModelRequest, again: boolean, { scores, suspected, contrary }: Parts): Judgement {
  const wrote = (evidence: string, arm: string) => evidence.includes(`slice.${arm}`);
  const slots = slotsOf(request);
  const order = wrote(slots[0]?.evidence ?? "", "plain") ? "ab" : "ba";
  const [plain, tdd] = scores[again ? (`again_${order}` as const) : order];
  const answer = wellFormed(request, ({ evidence }) => ({ x: wrote(evidence, "plain") ? plain : tdd }));
  for (const { label, evidence } of slots)
    Object.assign(answer.candidates[label] ?? {}, {
      injection_suspected: suspected.some((arm) => wrote(evidence, arm)),
    });
  return contrary && plain === tdd ? preferring(answer) : answer;
}

/** Scores that are equal, and a preference all the same. */
const preferring = (answer: Judgement): Judgement => ({
  ...answer,
  preference: Object.keys(answer.candidates)[0] ?? "",
  strength: "slight",
  deciding_criteria: ["x"],
});

const verdictOn = (parts: Parts): Promise<Verdict> => {
  const { passed, required, disqualified, turns, measured } = parts;
  const arm = (index: 0 | 1) => ({
    probe: passed && probe(required[index], passed[index]),
    status: disqualified[index] ? ("disqualified" as const) : ("finished" as const),
    turns: turns[index],
  });
  const [model, clock, entropy] = [judgeOf(parts), fixedClock(), countingEntropy()];
  const judge = openJudge({ model, model_name: "J", clock, entropy });
  const criteria = [
    judged("x", 2),
    ...(measured > 0 ? [{ id: "turns", kind: "measured", measure: "turns", weight: measured } as const] : []),
  ];
  return judge(buildCase({ a: arm(0), b: arm(1), criteria }), new AbortController().signal);
};

/** One sample for every rule: making the verdicts takes the time. */
let made: Promise<readonly (readonly [Parts, Verdict])[]> | undefined;
const verdicts = () => {
  made ??= Promise.all(fc.sample(anyCase, 300).map(async (parts) => [parts, await verdictOn(parts)] as const));
  return made;
};

async function holds(check: (verdict: Verdict) => void): Promise<void> {
  for (const [parts, verdict] of await verdicts())
    try {
      check(verdict);
    } catch (cause) {
      throw new Error(`not of ${JSON.stringify(parts)}`, { cause });
    }
}

test("a statement names a winner exactly when there is one, and the right one", () =>
  holds(({ outcome, winner, statement, scope = "" }) => {
    const finding = statement.slice(0, -scope.length);
    const [, better] = /favour(?:ed)? (\w+) over/.exec(finding) ?? [];
    expect(better ?? winner).toBe(winner);
    expect(finding.includes(winner ?? "")).toBe(true);
    expect(finding.includes("no winner is named")).toBe(outcome === "inconclusive");
    expect(finding.includes("within the tie margin")).toBe(outcome === "tie");
  }));

test("scores that a judge alone decided by favour whom the verdict names", () =>
  holds(({ decided_by, winner_side, score_gap }) => {
    if (decided_by === "judge" && winner_side) expect(Math.sign(score_gap ?? 0)).toBe(winner_side === "a" ? 1 : -1);
  }));

const MOST: Partial<Record<Flag, (typeof CONFIDENCES)[number]>> = {
  unconfirmed: "low",
  score_preference_conflict: "low",
  judge_probe_conflict: "medium",
  prose_only: "medium",
  no_objective_check: "medium",
  injection_effective: "none",
  prose_decided: "none",
};

test("a flag bounds the confidence in what a judge decided", () =>
  holds(({ flags, confidence, decided_by, outcome }) => {
    expect(confidence === "none").toBe(outcome !== "winner");
    if (decided_by === "gate" || decided_by === "probe") return;
    for (const flag of flags)
      expect(CONFIDENCES.indexOf(confidence)).toBeGreaterThanOrEqual(CONFIDENCES.indexOf(MOST[flag] ?? "high"));
  }));

test("whom a verdict names is whom its fields name", () =>
  holds(({ outcome, winner, winner_side, lean, suspicions = [], sensitivity }) => {
    expect([winner === null, winner_side === null]).toEqual(Array(2).fill(outcome !== "winner"));
    expect(lean === null || outcome === "inconclusive").toBe(true);
    expect(suspicions.filter(({ side, arm_id }) => arm_id !== (side === "a" ? "plain" : "tdd"))).toEqual([]);
    expect(sensitivity === null).toBe(!["winner", "tie"].includes(outcome));
  }));

test("agreement is the share of the first answers that name whom the verdict names", () =>
  holds(({ outcome, winner_side, lean_side, calls, agreement }) => {
    const final = outcome === "tie" ? "tie" : (winner_side ?? lean_side ?? "nobody");
    const shown = calls.filter(({ masked, valid }) => !masked && valid);
    if (shown.length === 2) expect(agreement).toBe(shown.filter(({ label }) => label === final).length / 2);
  }));
