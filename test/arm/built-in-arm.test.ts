import { expect, test } from "bun:test";
import type { ArmEnd } from "../../src/arms/arm/arm-end.ts";
import { builtInArm } from "../../src/arms/arm/built-in-arm.ts";
import type { ArmRun } from "../../src/arms/arm/run-arm.ts";
import type { ModelClient, ModelReply, ModelRequest, ToolCall } from "../../src/arms/model/client.ts";
import { scriptedModel } from "../../src/arms/model/scripted.ts";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { toolbox } from "../../src/arms/tool/toolbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import type { Workspace } from "../../src/arms/workspace/workspace.ts";
import type { Decision } from "../../src/domain/decision.ts";
import { Failure, Mistake } from "../../src/domain/failure.ts";
import type { Policies } from "../../src/domain/policies.ts";
import type { Files } from "../../src/domain/task.ts";
import { type Clock, systemClock } from "../../src/runtime/clock.ts";
import { anArm, aScenario } from "../outcomes.ts";
import { turnsDuring } from "../turns.ts";

const FILES: Files = { "src/pager.ts": "export const last = 1;\n", "pager.test.ts": "hidden = 1\n" };
const POLICIES = aScenario().policies;

const say = (text: string, changes: Partial<ModelReply> = {}): ModelReply => ({
  text,
  calls: [],
  stop: "end",
  stop_reason: "end_turn",
  tokens_in: 100,
  tokens_out: 10,
  cached_tokens: 0,
  model_served: "served-1",
  ...changes,
});

const call = (name: string, input: unknown): ToolCall => ({ id: `call-${name}`, name, input });

const act = (...some: readonly ToolCall[]) => say("", { calls: some, stop: "calls", stop_reason: "tool_use" });

type FixedTurn = ModelReply | ((request: ModelRequest) => ModelReply | Promise<ModelReply>);

/** Gives the listed replies in order and keeps the requests. */
function fixedModel(turns: readonly FixedTurn[]): ModelClient & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    ref: "fake/model",
    requests,
    complete: async (request, { signal }) => {
      signal.throwIfAborted();
      const turn = turns[requests.length];
      requests.push(request);
      if (turn === undefined) throw new Error(`there are ${turns.length} replies, and one more was asked for`);
      return typeof turn === "function" ? await turn(request) : turn;
    },
  };
}

interface Played {
  readonly end: ArmEnd;
  readonly log: readonly Decision[];
  /** What the model read at each turn: the texts after its last one. */
  readonly read: readonly (readonly string[])[];
}

interface Setting {
  readonly policies?: Partial<Policies>;
  readonly arm?: Parameters<typeof anArm>[1];
  readonly model?: ModelClient;
  readonly signal?: AbortSignal;
  readonly log?: Decision[];
  readonly clock?: Clock;
  /** In place of the workspace's own. */
  readonly altered?: Workspace["altered"];
  readonly said?: Pick<ArmRun, "messages" | "follow_ups">;
}

async function play(turns: readonly FixedTurn[], setting: Setting = {}): Promise<Played> {
  await using pristine = openPristine({
    source: { dir: null, files: FILES },
    sandbox: openSandbox("none"),
    keep: false,
  });
  await using workspace = pristine.open();
  const fixed = fixedModel(turns);
  const log: Decision[] = setting.log ?? [];
  const arm = anArm("arm", setting.arm);
  const run: ArmRun = {
    arm,
    prompt: "Fix it.",
    ...setting.said,
    policies: { ...POLICIES, ...setting.policies },
    workspace: setting.altered ? Object.assign(workspace, { altered: setting.altered }) : workspace,
    clock: setting.clock ?? systemClock,
    redact: (text) => text.replaceAll("hunter2", "[redacted]"),
    emit: (decision) => log.push(decision),
  };
  const runArm = builtInArm(setting.model ?? fixed, toolbox(arm.tools));
  const end = await runArm(run, setting.signal ?? new AbortController().signal);
  return { end, log, read: fixed.requests.map(({ messages }) => lastRead(messages)) };
}

function lastRead(messages: Parameters<ModelClient["complete"]>[0]["messages"]): string[] {
  const since = messages.findLastIndex((message) => message.role === "assistant") + 1;
  return messages
    .slice(since)
    .flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : [message.text]));
}

const kinds = (log: readonly Decision[]) => log.map(({ kind }) => kind);

test("an arm reads its prompt, uses a tool, reads the result and answers; tokens add up to its decisions", async () => {
  const { end, log, read } = await play([act(call("read_file", { path: "src/pager.ts" })), say("It is 1.")]);
  expect(read).toEqual([["Fix it."], [expect.stringContaining("export const last = 1;")]]);
  expect(kinds(log)).toEqual(["model_turn", "tool_call", "model_turn", "final_answer"]);
  expect(log.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  const { status, stop_reason, final_answer, turns, tool_calls, tokens_in, tokens_out, model_served } = end;
  expect({ status, stop_reason, final_answer, turns, tool_calls, tokens_in, tokens_out, model_served }).toEqual({
    status: "finished",
    stop_reason: "final_answer",
    final_answer: "It is 1.",
    turns: 2,
    tool_calls: 1,
    tokens_in: 200,
    tokens_out: 20,
    model_served: "served-1",
  });
  expect(log.reduce((sum, decision) => sum + decision.tokens_in, 0)).toBe(200);
  expect(log.reduce((sum, decision) => sum + decision.tokens_out, 0)).toBe(20);
});

test.each([
  ["an unknown tool", call("reed_file", { path: "x" }), /read_file/],
  ["a wrong input", call("read_file", { path: 1 }), /path/],
  ["an unknown field", call("read_file", { path: "src/pager.ts", lines: 3 }), /lines/],
  ["arguments that are not JSON", { id: "x", name: "read_file", input: undefined, unparsed: "{path:" }, /JSON/],
  ["a missing file", call("read_file", { path: "nowhere.ts" }), /nowhere\.ts/],
  ["a path outside", call("read_file", { path: "../../etc/passwd" }), /workspace/],
] as const)("%s goes back to the model as an error, and the arm goes on", async (_what, wrong, said) => {
  const { end, log, read } = await play([act(wrong), say("Sorry.")]);
  expect(read[1]?.[0]).toMatch(said);
  expect(log[1]).toMatchObject({ kind: "tool_call", detail: { ok: false } });
  expect(end.status).toBe("finished");
});

test("a refused command does not run, is recorded, and never disqualifies", async () => {
  const commands = { ...POLICIES.commands, deny: ["touch *"] };
  const turns = [act(call("run_command", { command: "touch made" })), act(call("list_files", {})), say("Done.")];
  const { end, log, read } = await play(turns, { policies: { commands } });
  expect(log[1]).toMatchObject({ kind: "policy_block", detail: { rule: "touch *", tool: "run_command" } });
  expect(read[1]?.[0]).toContain("touch *");
  expect(read[2]?.[0]).not.toContain("made");
  expect(end.status).toBe("finished");
  expect(end.calls[0]).toEqual({
    tool: "run_command",
    effect: "command",
    subject: "touch made",
    refused_by: "touch *",
  });
});

test.each(["pager.test.ts", "./src/../pager.test.ts", "/workspace/pager.test.ts"])(
  "a protected file is refused however its path is written: %s",
  async (path) => {
    const paths = { writable: ["**"], protected: ["pager.test.ts"] };
    const turns = [act(call("write_file", { path, content: "easy" })), say("Done.")];
    const { end, log } = await play(turns, { policies: { paths } });
    expect(log[1]).toMatchObject({ kind: "policy_block", detail: { rule: "pager.test.ts" } });
    expect(end).toMatchObject({ status: "finished", calls: [{ subject: "pager.test.ts" }] });
  },
);

test("a command that changes a protected file disqualifies the arm right away", async () => {
  const paths = { writable: ["**"], protected: ["pager.test.ts"] };
  const turns = [act(call("run_command", { command: "echo easy > pager.test.ts" })), say("never asked")];
  const { end, log } = await play(turns, { policies: { paths } });
  expect(end).toMatchObject({ status: "disqualified", stop_reason: "policy:pager.test.ts", final_answer: null });
  expect(log.at(-1)).toMatchObject({
    kind: "policy_violation",
    detail: { rule: "pager.test.ts", severity: "disqualify", subject: "pager.test.ts" },
  });
  expect(end.turns).toBe(1);
});

test("an arm whose work cannot be held against the rules has used up its disk", async () => {
  const paths = { writable: ["**"], protected: ["pager.test.ts"] };
  const turns = [act(call("run_command", { command: "true" })), say("never asked")];
  const altered = () => Promise.reject(new Mistake("There are more than 5 files."));
  const { end, log } = await play(turns, { policies: { paths }, altered });
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: "budget:disk" });
  expect(end.cause).toBeUndefined();
  expect(log.at(-1)).toMatchObject({ kind: "limit_reached", summary: "There are more than 5 files." });
});

test.each([
  ["turns", { max_turns: 5 }, 5],
  ["tool_calls", { max_tool_calls: 5 }, 5],
  ["tokens", { max_tokens: 550 }, 5],
] as const)("an endless tool loop ends at its budget of %s", async (budget, limits, turns) => {
  const loop = Array.from({ length: 10 }, () => act(call("list_files", {})));
  const { end, log } = await play(loop, { arm: { limits } });
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: `budget:${budget}`, turns });
  expect(log.at(-1)).toMatchObject({ kind: "limit_reached", detail: { budget } });
  expect(log.filter(({ kind }) => kind === "limit_warning")).toHaveLength(1);
});

test("max_seconds ends a command that runs and a model that thinks", async () => {
  const limits = { max_seconds: 0.2 };
  const slowCommand = await play([act(call("run_command", { command: "sleep 60" }))], { arm: { limits } });
  expect(slowCommand.end).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
  const hanging: ModelClient = {
    ref: "fake/hangs",
    complete: (_request, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  const slowModel = await play([], { arm: { limits }, model: hanging });
  expect(slowModel.end).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds", turns: 0 });
});

test("time lost to failed tries does not count against max_seconds, and each try is recorded", async () => {
  let lost_ms = 0;
  const clock = { ...systemClock, ticks: () => systemClock.ticks() + lost_ms };
  const throttled: ModelClient = {
    ref: "fake/throttled",
    async complete(_request, { onFailedTry, onRetry }) {
      onFailedTry?.();
      lost_ms = 700_000;
      onRetry?.({ status: 429, attempts: 1, waited_ms: 700_000 });
      return say("Done.");
    },
  };
  const { end, log } = await play([], { arm: { limits: { max_seconds: 600 } }, model: throttled, clock });
  expect(end.status).toBe("finished");
  expect(end.throttled_ms).toBe(700_000);
  expect(log[0]).toMatchObject({ kind: "provider_retry", detail: { status: 429, attempts: 1, waited_ms: 700_000 } });
});

test.each([
  ["that was sent has used nobody knows what", true, null, { tokens_in: 100, tokens_out: 10 }],
  ["that waits for its place has used nothing", false, 100, undefined],
])("an arm that is cancelled in a request %s", async (_, isSent, tokens_in, at_least) => {
  const cancel = new AbortController();
  let asked = 0;
  const model: ModelClient = {
    ref: "fake/model",
    async complete(_request, { signal, onPlaced }) {
      asked += 1;
      if (asked === 1) return act(call("list_files", {}));
      if (isSent) onPlaced?.(0);
      cancel.abort(new Error("cancelled"));
      signal.throwIfAborted();
      return say("Never.");
    },
  };
  const { end } = await play([], { model, signal: cancel.signal });
  expect(end).toMatchObject({ status: "cancelled", turns: 1, tokens_in });
  if (at_least === undefined) expect(end.at_least).toBeUndefined();
  else
    expect(end.at_least).toEqual({
      ...at_least,
      cost_usd: null,
      why: "1 of 2 replies broke off before the provider said what was used",
    });
});

test("an arm whose model waits for one of our own places loses no time by it", async () => {
  let now = 0;
  const model: ModelClient = {
    ref: "fake/model",
    async complete(_request, { asker }) {
      asker?.outside(true);
      now += 700_000;
      asker?.outside(false);
      now += 20;
      return say("Done.");
    },
  };
  const { end, log } = await play([], { model, clock: { now: () => new Date(0), ticks: () => now } });
  expect(end).toMatchObject({ status: "finished", wall_ms: 700_020, working_ms: 20, throttled_ms: 700_000 });
  expect(log[0]).toMatchObject({ kind: "model_turn", latency_ms: 20 });
});

test("a turn cut by the output limit is not an answer: its calls are not run and the arm goes on", async () => {
  const cut = say("", { stop: "output_limit", calls: [call("write_file", { path: "half.ts", content: "" })] });
  const { end, log, read } = await play([cut, say("Shorter.")]);
  expect(kinds(log)).toEqual(["model_turn", "model_turn", "final_answer"]);
  expect(read[1]).toEqual([expect.stringContaining("Not run"), expect.stringContaining("cut by the output limit")]);
  expect(end.final_answer).toBe("Shorter.");
});

test("a context that overflows is a limit, not a fault", async () => {
  const { end, log } = await play([say("", { stop: "context_overflow", tokens_in: null, tokens_out: null })]);
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: "budget:context", turns: 0 });
  expect(kinds(log)).toEqual(["limit_reached"]);
});

test("an overflow that the provider charged for is counted and kept", async () => {
  const overflow = say("Half a thought", { stop: "context_overflow", tokens_in: 200_000, tokens_out: 4_000 });
  const { end, log } = await play([overflow]);
  expect(end).toMatchObject({ stop_reason: "budget:context", turns: 1, tokens_in: 200_000, tokens_out: 4_000 });
  expect(kinds(log)).toEqual(["model_turn", "limit_reached"]);
});

test("in its last turn an arm is held to every other budget", async () => {
  const calls = Array.from({ length: 5 }, () => call("list_files", {}));
  const { end } = await play([act(...calls)], { arm: { limits: { max_turns: 1, max_tool_calls: 2 } } });
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: "budget:tool_calls", tool_calls: 2 });
});

test("a cost cap holds also where the provider gives no usage: the budget counts an estimate", async () => {
  const price_per_mtok = { in: 3, out: 15, cached_in: null };
  const limits = { max_cost_usd: 0.02 };
  const silent = say("x".repeat(5_000), {
    calls: [call("list_files", {})],
    stop: "calls",
    tokens_in: null,
    tokens_out: null,
  });
  const { end } = await play([silent], { arm: { limits, price_per_mtok } });
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: "budget:cost_usd", cost_usd: null });
});

test("a cost cap that does not pay for a turn ends the arm before it spends", async () => {
  const price_per_mtok = { in: 3, out: 15, cached_in: null };
  const { end, log } = await play([say("Done.")], {
    arm: { limits: { max_cost_usd: 0.001_000_000_000_025 }, price_per_mtok },
  });
  expect(end).toMatchObject({ status: "limit_reached", stop_reason: "budget:cost_usd", turns: 0, cost_usd: 0 });
  expect(log.at(-1)?.summary).toBe("cost_usd: 0 of 0.001 USD used");
});

test("a command that the clock stops is in the log, with what it left", async () => {
  const turns = [act(call("run_command", { command: "echo made > made.txt; sleep 60" }))];
  // On a busy machine, too, it has begun by then.
  const { end, log } = await play(turns, { arm: { limits: { max_seconds: 3 } } });
  expect(kinds(log)).toEqual(["model_turn", "tool_call", "limit_reached"]);
  expect(log[1]).toMatchObject({ detail: { ok: false, exit_code: null } });
  expect(end.calls).toHaveLength(1);
});

test("a model that declines ends its arm with what it left", async () => {
  const { end, log } = await play([say("I cannot help with that.", { stop: "refusal", stop_reason: "refusal" })]);
  expect(end).toMatchObject({ status: "finished", stop_reason: "refusal", final_answer: "I cannot help with that." });
  expect(log[1]).toMatchObject({ kind: "error", detail: { class: "agent", code: "refusal" } });
});

test("a reply without usage makes the arm's sums unknown and says so on the turn", async () => {
  const { end, log } = await play([say("Done.", { tokens_in: null, tokens_out: null, cached_tokens: null })]);
  expect([end.tokens_in, end.tokens_out, end.cost_usd]).toEqual([null, null, null]);
  expect(log[0]).toMatchObject({ tokens_in: 0, tokens_out: 0, detail: { usage_unknown: true } });
});

test("a secret in a tool's output reaches neither the model nor the log", async () => {
  const { log, read } = await play([act(call("run_command", { command: "echo hunter2" })), say("Done.")]);
  expect(read[1]?.[0]).toContain("[redacted]");
  expect(JSON.stringify(log.map(({ detail }) => detail && "output" in detail && detail.output))).not.toContain(
    "hunter2",
  );
});

test("control characters in what a model says never reach the one-line summary", async () => {
  const { log } = await play([say("\u001b[2Jclean\u202e\nnext\u200b line\u0007")]);
  expect(log[0]?.summary).toBe("[2Jclean next line");
});

test("a provider's failure ends the arm as ours, with a decision that says so", async () => {
  const log: Decision[] = [];
  const failing = () => {
    throw new Failure("provider_failed", "fake answered 500 six times");
  };
  const { end } = await play([act(call("list_files", {})), failing], { log });
  expect(end).toMatchObject({ status: "failed", cause: { code: "provider_failed" }, turns: 1, tokens_in: 100 });
  expect(log.at(-1)).toMatchObject({ kind: "error", detail: { class: "infra", code: "provider_failed" } });
});

test("a caller that stops the arm gets its own reason back", async () => {
  const stop = new AbortController();
  const reason = new Failure("cancelled", "stopped");
  const stopping = () => {
    stop.abort(reason);
    return act(call("list_files", {}));
  };
  const { end } = await play([stopping], { signal: stop.signal });
  expect(end).toMatchObject({ status: "cancelled", cause: reason });
});

test("arms whose model said and called the same have one digest, whatever came back, when, and under which ids", async () => {
  const command = { command: "echo $$" };
  const script = (delay_ms: number) => [
    { say: "I look.", calls: [{ run_command: command }], delay_ms },
    { say: "Done.", delay_ms },
  ];
  const replies = [say("I look.", { calls: [call("run_command", command)], stop: "calls" }), say("Done.")];
  const [slow, quick, replied] = await Promise.all([
    play([], { model: scriptedModel("scripted/x", script(2)) }),
    play([], { model: scriptedModel("scripted/y", script(0)) }),
    play(replies),
  ]);
  expect(slow.end.replies_digest).toMatch(/^[0-9a-f]{64}$/);
  expect([quick.end.replies_digest, replied.end.replies_digest]).toEqual(Array(2).fill(slow.end.replies_digest));
});

test("another text, tool, input, order or end gives another digest, also behind what a decision keeps", async () => {
  const [list, read] = [call("list_files", {}), call("read_file", { path: "src/pager.ts" })];
  const long = "x".repeat(10_000);
  const conversations = [
    [],
    [say("")],
    [say("Done.")],
    [say(`${long}.`)],
    [say(`${long}!`)],
    [act(list), say("Done.")],
    [act(read), say("Done.")],
    [act({ ...read, input: { path: "pager.test.ts" } }), say("Done.")],
    [act({ ...read, input: undefined, unparsed: "{path:" }), say("Done.")],
    [act(list, read), say("Done.")],
    [act(read, list), say("Done.")],
    [act(list), act(read), say("Done.")],
  ];
  const digests = await Promise.all(conversations.map(async (turns) => (await play(turns)).end.replies_digest));
  expect(new Set(digests).size).toBe(conversations.length);
});

test("others have their turn between the calls of a turn, also where all are refused", async () => {
  const refused = Array.from({ length: 50 }, (_, at) => call("run_command", { command: `git push ${at}` }));
  const commands = { ...POLICIES.commands, deny: ["git push*"] };
  const turns = await turnsDuring(() => play([act(...refused), say("Done.")], { policies: { commands } }));
  expect(turns).toBeGreaterThanOrEqual(45);
});

const SAID: Setting["said"] = {
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "How can I help?" },
  ],
  follow_ups: ["Shorter.", "In French."],
};

test("a conversation goes on after each answer, and all answers are kept", async () => {
  const script = [{ say: "It is one." }, { calls: [{ list_files: {} }] }, { say: "One." }, { say: "Un." }];
  const { end, log } = await play([], { said: SAID, model: scriptedModel("scripted/a", script) });
  expect(end).toMatchObject({ status: "finished", final_answer: "Un.", answers: ["It is one.", "One.", "Un."] });
  expect(kinds(log)).toEqual([
    ...(["model_turn", "final_answer", "follow_up", "model_turn", "tool_call", "model_turn", "final_answer"] as const),
    ...(["follow_up", "model_turn", "final_answer"] as const),
  ]);
  expect(log[2]).toMatchObject({ summary: "Shorter.", detail: { number: 1, text: "Shorter." } });
});

test("the model is told what was said before, and what the user says next", async () => {
  const model = fixedModel([say("It is one."), say("One."), say("Un.")]);
  await play([], { said: SAID, model });
  expect(model.requests.map(({ messages }) => messages.map((message) => "text" in message && message.text))).toEqual([
    ["Hello", "How can I help?", "Fix it."],
    ["Hello", "How can I help?", "Fix it.", "It is one.", "Shorter."],
    ["Hello", "How can I help?", "Fix it.", "It is one.", "Shorter.", "One.", "In French."],
  ]);
});

test("an arm that is stopped within a conversation keeps the answers it gave", async () => {
  const budget = { ...POLICIES.budget, max_turns: 2 };
  const { end } = await play([say("It is one."), say("One.")], { said: SAID, policies: { budget } });
  expect(end).toMatchObject({ stop_reason: "budget:turns", final_answer: "One.", answers: ["It is one.", "One."] });
  const refused = await play([say("No.", { stop: "refusal" })], { said: SAID });
  expect(refused.end).toMatchObject({ stop_reason: "refusal", answers: ["No."] });
});
