import { expect } from "bun:test";
import type { ExternalAgent } from "../../src/domain/external-agent.ts";
import { trialRowOf } from "../../src/domain/trial.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, holdsKey, kindsOf, PLAIN_AGENT, runAgent, shellAgent, withSeconds } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

const write = (content: string) => ({ name: "write", input: { path: "a.txt", content } });
const shell = (command: string) => ({ name: "shell", input: { command } });
const TURNS = [
  { text: "I look.", calls: [{ name: "read", input: { path: "a.txt" } }] },
  { calls: [write("two\n"), shell("grep -c two a.txt")] },
  { text: "It is two now." },
];
const playing = (turns: Parameters<typeof playAgent>[0][number]["turns"]) =>
  startFakeProvider({ reply: playAgent([{ knownBy: "Make it two", turns }]) });

testAgent("an agent's log, work and cost are read from what passes to its model and back", async () => {
  await using fake = await playing(TURNS);
  const run = await runAgent(fake);
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 3, tool_calls: 3 });
  expect(run.summary.final_answer).toBe("It is two now.");
  expect(run.summary.agent).toEqual({
    ...{ recipe: null, install: null, version: null, digest: null, exit_code: 0 },
    ...{ stdout: "It is two now.\n", stderr: "" },
  });
  expect(kindsOf(run)).toEqual([
    ...["model_turn", "tool_call", "model_turn", "tool_call", "tool_call", "model_turn", "final_answer"],
  ] as (typeof run.decisions)[number]["kind"][]);
  expect(run.decisions[4]?.detail).toMatchObject({
    ...{ tool: "run_command", own_tool: "shell", effect: "command", ok: true, output: "1\n", thread: 1 },
  });
  expect([run.summary.tokens_in, run.summary.tokens_out]).toEqual([fake.billed.in, fake.billed.out]);
  expect(run.summary.cost_usd).toBeCloseTo((fake.billed.in + 2 * fake.billed.out) / 1_000_000, 12);
  expect(run.summary.changes?.patch).toContain("+two");
  expect(run.outcome.verdict).toMatchObject({ outcome: "winner", winner: "agent" });
  expect(holdsKey(run.outcome)).toBe(false);
});

testAgent("the model is the arm's, whatever the agent asks for, and the key is ours", async () => {
  await using fake = await playing(TURNS);
  await runAgent(fake, { arm: { model: "openai/gpt-forced" } });
  expect(new Set(fake.requests.map(({ model }) => model))).toEqual(new Set(["gpt-forced"]));
  expect(fake.requests.every((request) => holdsKey(request.headers["authorization"]))).toBe(true);
});

testAgent("a key that a provider puts into calls, names and reasons is in nothing that is kept", async () => {
  const calls = [
    shell(`echo ${FAKE_KEY}`),
    shell(`curl ${FAKE_KEY}`),
    { name: FAKE_KEY, input: { [FAKE_KEY]: FAKE_KEY } },
  ];
  await using fake = await playing([{ calls }, { text: `It is ${FAKE_KEY}.` }]);
  const { outcome, decisions } = await runAgent(fake, { policies: '{commands: {deny: ["curl *"]}}' });
  expect(decisions.map(({ kind }) => kind)).toContain("policy_block");
  expect(holdsKey(outcome)).toBe(false);
});

testAgent("what an agent can repeat without end is told a bounded number of times", async () => {
  await using fake = await startFakeProvider();
  const module = `${ASKS_ONCE}
    for (let i = 0; i < 60; i += 1) {
      body.tools.push({ type: "made_up_" + i });
      await fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST", headers, body: '{"input":' + "[".repeat(1_100) + "]".repeat(1_100) + "}" });
    }
    await ask();
  `;
  const run = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  const count = (wanted: string) => run.decisions.filter(({ kind }) => kind === wanted).length;
  expect([count("error"), count("policy_block"), run.summary.stop_reason]).toEqual([50, 50, "final_answer"]);
});

testAgent("a reply that broke off says so in the log", async () => {
  const cut = { text: "I look into it.", breaks: { at: "after_calls" } } as const;
  // One that breaks off before its first byte came is asked for again.
  await using fake = await startFakeProvider({ reply: cut });
  const module = `${ASKS_ONCE} body.stream = true; await ask().then((reply) => reply.text()).catch(() => 0); body.stream = false; await ask();`;
  const run = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  expect(run.decisions.find(({ kind }) => kind === "model_turn")).toMatchObject({
    summary: expect.stringContaining("the reply broke off"),
  });
});

testAgent("a refused command is exchanged for one that says so, and nothing of it runs", async () => {
  await using fake = await playing([{ calls: [shell("rm a.txt"), shell("ls")] }, { text: "Done." }]);
  const run = await runAgent(fake, { policies: '{commands: {deny: ["rm *"]}}' });
  expect(kindsOf(run)).toEqual(["model_turn", "policy_block", "tool_call", "model_turn", "final_answer"]);
  expect(run.decisions[1]?.detail).toMatchObject({ rule: "rm *", tool: "run_command" });
  expect(run.summary.changes?.files).toEqual([]);
  const told = JSON.stringify(fake.requests[1]?.messages);
  expect(told).toContain("Refused by policy, nothing was run");
  expect(told).toContain("Exit code 126");
});

testAgent("a protected file is read-only for the agent", async () => {
  await using fake = await playing([{ calls: [shell("echo x > tests/t.txt; rm -r tests")] }, { text: "Done." }]);
  const run = await runAgent(fake, { policies: "{paths: {protected: [tests/**]}}" });
  expect(run.summary).toMatchObject({ status: "finished", violations: [] });
  expect(JSON.stringify(run.decisions[1]?.detail)).toContain("Read-only file system");
});

for (const [budget, limit, requests] of [
  ["turns", "max_turns: 2", 2],
  ["tokens", "max_tokens: 1", 1],
  ["cost_usd", "max_cost_usd: 0.0001", 1],
  ["tool_calls", "max_tool_calls: 1", 1],
] as const)
  testAgent(`a budget (${budget}) ends the agent while it waits for an answer`, async () => {
    await using fake = await playing(TURNS);
    const arm = { price_per_mtok: { in: 1, out: 0, cached_in: null }, tools: [] };
    const run = await runAgent(fake, { policies: `{budget: {${limit}}}`, arm });
    expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: `budget:${budget}` });
    expect(fake.requests).toHaveLength(requests);
    expect(run.decisions.filter(({ kind }) => kind === "limit_reached")).toHaveLength(1);
    expect([run.summary.tokens_in, run.summary.tokens_out]).toEqual([fake.billed.in, fake.billed.out]);
  });

testAgent("more calls in one reply than the budget has are paid for and never made", async () => {
  await using fake = await playing([{ calls: [shell("touch one"), shell("touch two"), shell("touch three")] }]);
  const run = await runAgent(fake, { policies: "{budget: {max_tool_calls: 2}}" });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:tool_calls", turns: 1 });
  expect(run.summary.tokens_out).toBe(fake.billed.out);
  expect(run.summary.changes?.files).toEqual([]);
});

testAgent("what ends an arm stands behind the calls that it left open", async () => {
  const calls = [{ name: "n".repeat(5_000), input: {} }, shell("sleep 60")];
  const run = await withSeconds([2, 1], async (max_seconds) => {
    await using fake = await playing([{ calls }]);
    return await runAgent(fake, { policies: `{budget: {max_seconds: ${max_seconds}}}` });
  });
  expect(kindsOf(run)).toEqual(["model_turn", "tool_call", "tool_call", "limit_reached"]);
  expect(JSON.stringify(run.decisions[1]).length).toBeLessThan(1_000);
});

testAgent("working time ends an agent that thinks by itself", async () => {
  await using fake = await playing(TURNS);
  const agent = shellAgent("bun agent.mjs; sleep 60", `${ASKS_ONCE} await ask();`);
  const asked = { ...agent, command: ["sh", "-c", "bun /home/agent/agent.mjs; sleep 60"] };
  const run = await runAgent(fake, { agent: asked, policies: "{budget: {max_seconds: 3}}" });
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
});

testAgent("an agent that never asks a model is the user's to mend, in its own last words", async () => {
  await using fake = await playing(TURNS);
  const { outcome } = await runAgent(fake, { agent: shellAgent("echo 'no such option: --fast' >&2; exit 3") });
  expect(outcome.failure).toMatchObject({ code: "setup_failed", class: "user" });
  expect(outcome.failure?.message).toBe(
    'arm "agent": its agent ended (exit code 3) without calling a model. Its last output: no such option: --fast',
  );
});

testAgent("an agent whose first request is refused is told why, and not that it never asked", async () => {
  await using fake = await playing(TURNS);
  const module = `${ASKS_ONCE}
    body.messages[0].content = "x".repeat(9_000_000);
    process.exit((await ask()).status === 413 ? 7 : 0);`;
  const { outcome } = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  expect(fake.requests).toHaveLength(0);
  expect(outcome.failure?.message).toMatch(
    /^arm "agent": its agent ended \(exit code 7\) before a model was asked: the request has \d+ bytes, at most 8388608 are read: shorten/,
  );
});

testAgent("how an agent ended is what its model said last, not its exit code", async () => {
  await using fake = await startFakeProvider({ reply: { text: "All is well." } });
  const run = await runAgent(fake, {
    agent: shellAgent("bun /home/agent/agent.mjs; exit 7", `${ASKS_ONCE} await ask();`),
  });
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer", agent: { exit_code: 7 } });
  await using calling = await startFakeProvider({ reply: { calls: [shell("ls")] } });
  const left = await runAgent(calling, {
    agent: shellAgent("bun /home/agent/agent.mjs; exit 7", `${ASKS_ONCE} await ask();`),
  });
  expect(left.summary).toMatchObject({ status: "finished", stop_reason: "agent_exit:7", final_answer: null });
  expect(kindsOf(left)).toEqual(["model_turn", "tool_call", "error"]);
  expect(left.decisions[1]?.detail).toMatchObject({ ok: false, output: "no result was seen" });
  const quiet = await runAgent(calling, {
    agent: shellAgent("bun /home/agent/agent.mjs", `${ASKS_ONCE} await ask();`),
  });
  expect(quiet.summary).toMatchObject({ status: "finished", stop_reason: "no_answer" });
});

testAgent("an agent that ends by a signal or with a status that nobody called ordinary has crashed", async () => {
  const play = () => playing([{ calls: [write("two\n")] }, { text: "It is two now." }]);
  const ended = async (line: string, more: Partial<ExternalAgent> = {}) => {
    await using fake = await play();
    const command = [
      "sh",
      "-c",
      `bun /home/agent/agent.mjs "$@"; ${line}`,
      "sh",
      "{base:openai}",
      "{model}",
      "{prompt}",
    ];
    const { summary, outcome } = await runAgent(fake, { agent: { ...PLAIN_AGENT, command, ...more } });
    const { verdict, arms } = outcome;
    const told = { winner: verdict?.winner, confidence: verdict?.confidence, scope: verdict?.scope };
    const crashed = verdict?.flags.includes("arm_crashed");
    return { summary, told, crashed, row: trialRowOf({ ...outcome, arms }).arms.a.crashed };
  };
  const killed = await ended("kill -9 $$");
  expect(killed.summary).toMatchObject({ status: "finished", stop_reason: "final_answer", agent: { exit_code: 137 } });
  expect(killed.told).toEqual({ winner: "agent", confidence: "medium", scope: expect.stringContaining("signal 9") });
  expect([killed.crashed, killed.row]).toEqual([true, true]);
  const odd = await ended("exit 3", { ok_exit: [3] });
  expect([odd.told.confidence, odd.crashed, odd.row]).toEqual(["high", false, undefined]);
  expect(odd.summary.agent).toMatchObject({ exit_code: 3, ok_exit: [3] });
});

testAgent("a key or a model that the provider does not know ends the run as the provider's failure", async () => {
  for (const status of [401, 404]) {
    await using fake = await startFakeProvider({ reply: { refuse: status } });
    const { outcome, summary } = await runAgent(fake);
    const message = expect.stringMatching(new RegExp(`^arm "agent": openai answered ${status}`));
    expect(outcome.failure).toMatchObject({ code: "provider_failed", class: "infra", message });
    expect(summary.status).toBe("failed");
    expect(fake.requests).toHaveLength(1);
  }
});

testAgent(
  "a busy provider is asked again before the agent sees anything, and its time is not the agent's",
  async () => {
    const busy = { refuse: 529, headers: { "retry-after-ms": "20" } };
    await using fake = await startFakeProvider({ plan: [busy, { fault: "reset" }, { text: "Done." }] });
    const run = await runAgent(fake);
    expect(kindsOf(run)).toEqual(["provider_retry", "provider_retry", "model_turn", "final_answer"]);
    expect(run.summary.throttled_ms).toBeGreaterThanOrEqual(20);
    expect(run.summary.turns).toBe(1);
  },
);

testAgent("a request that the provider refuses goes back to the agent, and a full context ends the arm", async () => {
  const message = "This model's maximum context length is 10 tokens";
  await using fake = await startFakeProvider({ plan: [{ calls: [shell("ls")] }], reply: { refuse: 400, message } });
  const run = await runAgent(fake);
  expect(run.summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:context" });
  expect(run.decisions.find(({ kind }) => kind === "error")?.summary).toContain("maximum context length");
  expect(run.summary.agent?.exit_code).not.toBe(0);
});

testAgent("no address but the provider's is served, and no key but the agent's own is taken", async () => {
  await using fake = await startFakeProvider();
  const module = `${ASKS_ONCE}
    const base = process.env.OPENAI_BASE_URL;
    const other = await fetch(base + "/files", { headers });
    headers.authorization = "Bearer sk-other";
    const foreign = await ask();
    headers.authorization = "Bearer " + process.env.OPENAI_API_KEY;
    body.messages[0].content = [other.status, foreign.status, Object.keys(process.env).sort().join()].join(" ");
    await ask();
  `;
  const run = await runAgent(fake, { agent: shellAgent("bun /home/agent/agent.mjs", module) });
  expect(fake.requests).toHaveLength(1);
  const said = JSON.stringify(fake.requests[0]?.messages);
  expect(said).toContain("404 401 ");
  expect(said).toContain("OPENAI_API_KEY");
  expect(holdsKey(said)).toBe(false);
  expect(run.decisions[0]).toMatchObject({ kind: "error", detail: { code: "unknown_address" } });
});

testAgent("large requests that wait side by side are refused beyond a bound", async () => {
  await using fake = await startFakeProvider({ plan: [{ text: "Done." }], reply: () => new Promise(() => undefined) });
  const module = `${ASKS_ONCE}
    await ask();
    body.messages[0].content = "x".repeat(46_000_000);
    const refused = [1, 2, 3].map(() => ask().then(({ status }) => status === 413 || Promise.reject()));
    await Promise.any(refused);
    console.log("refused");
    process.exit(0);
  `;
  const agent = shellAgent("bun /home/agent/agent.mjs", module);
  const run = await runAgent(fake, { agent, policies: "{budget: {max_tokens: 100000000}}" });
  expect(run.summary).toMatchObject({ stop_reason: "final_answer", agent: { stdout: "refused\n" } });
});

testAgent("a provider that leads elsewhere is not followed: the key would go there, too", async () => {
  await using other = await startFakeProvider();
  const led = { status: 307, headers: { location: `${other.url}/v1/chat/completions` } };
  await using fake = await startFakeProvider({ reply: led });
  const { outcome } = await runAgent(fake);
  expect(outcome.failure?.code).toBe("provider_failed");
  expect([fake.requests.length, other.requests.length, other.visits.length]).toEqual([1, 0, 0]);
});

testAgent("an agent that prints without end, forks and leaves things behind harms nobody", async () => {
  await using fake = await startFakeProvider();
  const line = "(sleep 300 &) ; yes | head -c 100000000; bun /home/agent/agent.mjs";
  const run = await runAgent(fake, { agent: shellAgent(line, `${ASKS_ONCE} await ask();`) });
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer" });
  expect(run.summary.changes?.files).toEqual([]);
});

testAgent("a refused command is found in arguments that are no JSON, which agents mend", async () => {
  const broken = { name: "shell", arguments: '{"command":"rm a.txt",}' };
  await using fake = await playing([{ calls: [broken] }, { text: "Done." }]);
  const run = await runAgent(fake, { policies: '{commands: {deny: ["rm *"]}}' });
  expect(run.decisions[1]).toMatchObject({ kind: "policy_block", detail: { rule: "rm *" } });
});
