import { expect, test } from "bun:test";
import type { Decision } from "../../src/domain/decision.ts";
import { kindNamed } from "../../src/domain/decision-kinds.ts";
import type { TimedStep } from "../../src/domain/timeline.ts";
import { commonSteps } from "../../src/domain/timeline.ts";
import { isFailure } from "../../src/doors/web/evidence/failed-step.ts";
import { doneAt, spendOverTime } from "../../src/doors/web/live/spend.ts";
import { passing, type StepFilter } from "../../src/doors/web/live/step-filter.ts";
import { closer, marksOf, stepAt, wider } from "../../src/doors/web/live/strip-marks.ts";

/** Ends as many seconds after the start as its number says, and took one. */
const base = (seq: number) => ({
  ...{ seq, summary: `step ${seq}`, tokens_in: 0, tokens_out: 0, latency_ms: 1_000 },
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, seq)).toISOString(),
});

const turn = (seq: number, text: string, detail = {}): Decision => ({
  ...{ ...base(seq), kind: "model_turn", tokens_in: 90, tokens_out: 10 },
  detail: { stop_reason: "tool_calls", tools: [], cached_tokens: 0, text, ...detail },
});

const call = (seq: number, command: string, { exit_code = 0, output = "" } = {}): Decision => ({
  ...{ ...base(seq), kind: "tool_call" },
  detail: { tool: "run_command", input: JSON.stringify({ command }), ok: true, exit_code, output, bytes: 1 },
});

const steps = (log: readonly Decision[]): TimedStep[] =>
  log.map((decision) => ({ side: "a", decision, start_ms: (decision.seq - 1) * 1_000, end_ms: decision.seq * 1_000 }));

test("arms part where one says or does something else; what a command printed is no difference, how it ended is", () => {
  const log = [turn(1, "I look."), call(2, "ls", { output: "1 ms" }), turn(3, "I see.")];
  expect(commonSteps(log, [turn(1, "I look."), call(2, "ls", { output: "2 ms" }), turn(3, "I do not see.")])).toBe(2);
  expect(commonSteps(log, [turn(1, "I look."), call(2, "ls", { exit_code: 1 })])).toBe(1);
  expect([commonSteps(log, log), commonSteps(log, []), commonSteps([], [])]).toEqual([3, 0, 0]);
});

test("steps are found by words anywhere in them, by kind, thread, time, and by what went wrong", () => {
  const log = [
    turn(1, "Look at the pager."),
    call(2, "bun test pager", { exit_code: 1 }),
    turn(3, "Aside.", { thread: 2 }),
  ];
  const all: StepFilter = { text: "", hidden: new Set(), only_failures: false, thread: null, span: null };
  const found = (part: Partial<StepFilter>) =>
    passing(steps(log), { ...all, ...part }).map(({ decision }) => decision.seq);
  expect([found({}), found({ text: "PAGER" }), found({ text: "pager test" })]).toEqual([[1, 2, 3], [1, 2], [2]]);
  expect([found({ only_failures: true }), found({ thread: 2 })]).toEqual([[2], [3]]);
  expect([found({ hidden: new Set(["tool_call"]) }), found({ span: { from_ms: 2_500, to_ms: 9_000 } })]).toEqual([
    [1, 3],
    [3],
  ]);
});

test("what went wrong is a call that failed, a refusal, a limit and an error, and no other step", () => {
  const failed = { ...call(1, "x"), detail: { ...call(1, "x").detail, ok: false, exit_code: null } } as Decision; // only ok differs
  expect([failed, call(1, "x", { exit_code: 2 }), call(1, "x"), turn(1, "")].map(isFailure)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(isFailure({ ...base(1), kind: "policy_block" })).toBe(true);
});

test("5,000 steps become few marks on the strip, and no failure is lost among its neighbours", () => {
  const many = Array.from({ length: 5_000 }, (_, index) =>
    call(index + 1, "x", { exit_code: index === 2_500 ? 1 : 0 }),
  );
  const marks = marksOf(steps(many), { from_ms: 0, to_ms: 5_000_000 });
  expect(marks.length).toBeLessThan(2_000);
  expect(marks.filter(({ failed }) => failed).map(({ seq }) => seq)).toEqual([2_501]);
  expect(
    marksOf(steps(many), { from_ms: 1_500, to_ms: 2_500 }).map(({ seq, left, width }) => [seq, left, width]),
  ).toEqual([
    [2, 0, 0.5],
    [3, 0.5, 0.5],
  ]);
});

test("a step of a kind that a newer version has added is named by its own word", () => {
  expect(kindNamed("sub_agent").name).toBe("sub agent");
  expect(kindNamed("error").name).toBe("Error");
});

test("a click leads to the shortest step at its place, else to the nearest", () => {
  const [long, short] = [steps([turn(1, "")]), steps([call(2, "x")])].flat();
  if (!long || !short) throw new Error("two steps");
  const overlapping = [{ ...long, end_ms: 5_000 }, short];
  expect([1_500, 4_000, 9_000].map((ms) => stepAt(overlapping, ms)?.decision.seq)).toEqual([2, 1, 1]);
  expect(stepAt([], 1)).toBeUndefined();
});

test("zooming in halves what is shown, zooming out doubles it until all is shown", () => {
  expect(closer({ from_ms: 0, to_ms: 8_000 })).toEqual({ from_ms: 2_000, to_ms: 6_000 });
  expect(wider({ from_ms: 0, to_ms: 2_000 }, 8_000)).toEqual({ from_ms: 0, to_ms: 3_000 });
  expect(wider({ from_ms: 2_000, to_ms: 6_000 }, 8_000)).toBeNull();
});

test("at equal spend an arm is as far as the calls that had worked by then", () => {
  const log = [turn(1, ""), call(2, "x"), call(3, "y", { exit_code: 1 }), turn(4, ""), call(5, "z")];
  const price = { in: 1_000, out: 10_000, cached_in: null };
  const [tokens, cost, seconds] = (["tokens", "cost", "seconds"] as const).map(
    (unit) => spendOverTime(log, unit, price) ?? [],
  );
  expect(tokens?.at(-1)).toEqual({ spent: 200, done: 2 });
  expect([99, 100, 200].map((spent) => doneAt(tokens ?? [], spent))).toEqual([0, 1, 2]);
  expect(cost?.at(-1)?.spent).toBeCloseTo(0.38, 9);
  expect(seconds?.at(-1)).toEqual({ spent: 5, done: 2 });
  expect(spendOverTime(log, "cost", null)).toBeNull();
  expect(spendOverTime([turn(1, "", { usage_unknown: true })], "tokens", price)).toBeNull();
});
