import { describe, expect } from "bun:test";
import type { Decision } from "../../src/domain/decision.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { CLAUDE_CODES, CLIS, type Cli, CODEXES, FAILING_COMMAND, FIXED, PI, PROMPT } from "./clis.ts";
import { install, registry } from "./installs.ts";
import { playCli, runCli } from "./run-cli.ts";

const installed = install(Object.fromEntries(CLIS.map((cli) => [cli.install, cli.package])));
const testCli = testNeeding(registry(installed), SANDBOX, NODE);

const nameOf = ({ install: name, wire }: Cli) => `${name} over ${wire}`;
const callsOf = (decisions: readonly Decision[]) =>
  decisions.flatMap((decision) => (decision.kind === "tool_call" ? (decision.detail ?? []) : []));
const threadsOf = (decisions: readonly Decision[]) =>
  decisions.flatMap((decision) => (decision.kind === "model_turn" ? (decision.detail?.thread ?? []) : []));
const count = <T>(items: readonly T[], one: T) => items.filter((item) => item === one).length;

describe("read, edit, run, answer", () => {
  for (const cli of CLIS)
    testCli(`${nameOf(cli)}: its log, its tokens and its change are those of what its model said`, async () => {
      await using fake = await startFakeProvider({ reply: playCli(cli) });
      const { outcome, notices, summary, decisions } = await runCli(fake, cli);
      expect(outcome.failure).toBeNull();
      expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 4, tool_calls: 4 });
      expect(summary.final_answer).toBe("Add adds now.");
      expect(summary.changes?.patch).toContain(`+${FIXED}`);
      expect(summary.changes?.files.map(({ path }) => path)).toEqual(["calc.js"]);
      expect(summary.agent).toMatchObject({ recipe: cli.use, install: cli.install, exit_code: 0 });
      expect(summary.agent?.version).toBe(cli.package.split("@").at(-1) ?? null);
      const { billed } = fake;
      expect([summary.tokens_in, summary.tokens_out, summary.cached_tokens]).toEqual([
        billed.in,
        billed.out,
        billed.cached,
      ]);
      const kinds = decisions.map(({ kind }) => kind);
      expect(count(kinds, "model_turn")).toBe(4 + cli.side_calls);
      expect(kinds.at(-1)).toBe("final_answer");
      expect(kinds).not.toContain("error");
      const calls = callsOf(decisions);
      const tools = calls.map((call) => call.tool);
      expect(tools.slice(0, 1)).toEqual([cli.use === "codex" ? "run_command" : "read_file"]);
      expect(tools.slice(1)).toEqual(["edit_file", "run_command", "run_command"]);
      expect(calls.every((call) => call.unchecked === undefined && call.thread === 1)).toBe(true);
      const ran = calls.find((call) => call.input?.includes(JSON.stringify(FAILING_COMMAND)));
      expect(ran?.output?.trim()).toBe("3");
      if (cli.tells_exit_code) expect(ran).toMatchObject({ ok: false, exit_code: 3 });
      expect(JSON.stringify([outcome, notices])).not.toContain(FAKE_KEY);
      const served = cli.model.split("/")[1];
      const main = fake.requests.filter(({ tools: offered }) => offered.length > 0);
      expect(new Set(main.map(({ model, wire }) => `${wire} ${model}`))).toEqual(new Set([`${cli.wire} ${served}`]));
      expect(outcome.verdict).toMatchObject({ outcome: "winner", winner: "agent" });
    });
});

/** The three that are most used, one for each way in which agents take their replies. */
const CHOSEN: readonly Cli[] = [CLAUDE_CODES[1], CODEXES[1], PI];

describe("an agent is stopped where its arm's limits are", () => {
  const LIMITS = [
    ["turns", { max_turns: 2 }],
    ["tokens", { max_tokens: 20_100 }],
    ["cost_usd", { max_cost_usd: 0.05 }],
    ["tool_calls", { max_tool_calls: 2 }],
  ] as const;
  for (const cli of CHOSEN)
    for (const [limit, budget] of LIMITS)
      testCli(`${nameOf(cli)}: ${limit}; no request too many, and what it changed is kept`, async () => {
        await using fake = await startFakeProvider({ reply: playCli(cli) });
        const { summary, decisions } = await runCli(fake, cli, { policies: { budget } });
        expect(summary).toMatchObject({ status: "limit_reached", stop_reason: `budget:${limit}`, turns: 2 });
        expect(fake.requests).toHaveLength(2);
        expect([summary.tokens_in, summary.tokens_out]).toEqual([fake.billed.in, fake.billed.out]);
        expect(summary.changes?.patch).toContain(`+${FIXED}`);
        expect(
          count(
            decisions.map(({ kind }) => kind),
            "limit_reached",
          ),
        ).toBe(1);
      });

  testCli(`${nameOf(PI)}: seconds, also while a command of it runs`, async () => {
    const wait = { text: "I wait.", calls: [{ id: "call_wait", name: "bash", input: { command: "sleep 300" } }] };
    const turns = [...PI.turns.slice(0, 2), wait];
    await using fake = await startFakeProvider({ reply: playCli({ turns }) });
    const { summary, decisions } = await runCli(fake, PI, { policies: { budget: { max_seconds: 12 } } });
    expect(summary).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds", turns: 3 });
    expect(summary.changes?.patch).toContain(`+${FIXED}`);
    expect(callsOf(decisions).at(-1)).toMatchObject({
      ...{ ok: false, output: "no result was seen" },
    });
  });
});

describe("a provider that fails", () => {
  for (const cli of CHOSEN) {
    testCli(
      `${nameOf(cli)}: a wrong key and an unknown model end the run at once, as the provider's failure`,
      async () => {
        for (const status of [401, 404]) {
          await using fake = await startFakeProvider({ reply: { refuse: status } });
          const { outcome, summary } = await runCli(fake, cli);
          expect(outcome.failure).toMatchObject({ code: "provider_failed", class: "infra" });
          expect(summary.status).toBe("failed");
          expect(fake.requests).toHaveLength(1);
        }
      },
    );

    testCli(
      `${nameOf(cli)}: throttled and overloaded, it is asked again and the agent sees nothing of it`,
      async () => {
        const headers = { "retry-after-ms": "20" };
        const overloaded = { refuse: 529, headers };
        const plan = [{ refuse: 429, headers }, overloaded, overloaded, overloaded];
        await using fake = await startFakeProvider({ plan, reply: playCli(cli) });
        const { summary, decisions } = await runCli(fake, cli);
        expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 4 });
        expect(
          count(
            decisions.map(({ kind }) => kind),
            "provider_retry",
          ),
        ).toBe(4);
        expect(fake.requests).toHaveLength(8);
        expect(summary.throttled_ms).toBeGreaterThanOrEqual(80);
      },
    );

    for (const at of ["before_calls", "after_calls"] as const)
      testCli(
        `${nameOf(cli)}: a reply that breaks off ${at.replace("_", " ")} is asked for again by the agent`,
        async () => {
          const [first = {}] = cli.turns;
          await using fake = await startFakeProvider({ plan: [{ ...first, breaks: { at } }], reply: playCli(cli) });
          const { summary } = await runCli(fake, cli);
          expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer" });
          expect(summary.changes?.patch).toContain(`+${FIXED}`);
        },
      );
  }

  const withAll = (check: (cli: Cli) => Promise<void>) => async () => void (await Promise.all(CHOSEN.map(check)));

  testCli(
    "a silence of twenty seconds is waited for",
    withAll(async (cli) => {
      const [first = {}] = cli.turns;
      const silent = { ...first, breaks: { at: "before_calls", silence_ms: 20_000 } } as const;
      await using fake = await startFakeProvider({ plan: [silent], reply: playCli(cli) });
      const { summary } = await runCli(fake, cli);
      expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 4 });
      expect(fake.requests).toHaveLength(4);
    }),
  );

  testCli(
    "a provider that is gone fails the run when all tries have",
    withAll(async (cli) => {
      const fake = await startFakeProvider();
      await fake[Symbol.asyncDispose]();
      const { outcome } = await runCli(fake, cli);
      expect(outcome.failure).toMatchObject({ code: "provider_failed", class: "infra" });
    }),
  );
});

describe("Claude Code", () => {
  const [, cli] = CLAUDE_CODES;

  testCli("helpers with equal prompts are threads of their own, on the arm's model, and are counted", async () => {
    const helper = { description: "Look", prompt: "Look at the file and report.", subagent_type: "general-purpose" };
    const ask = (id: string) => ({ id, name: "Agent", input: { ...helper, model: "haiku", run_in_background: false } });
    const [read = {}] = cli.turns;
    const reply = playAgent([
      { knownBy: helper.prompt, turns: [read, { text: "It subtracts." }] },
      { knownBy: PROMPT, turns: [{ calls: [ask("call_a"), ask("call_b")] }, { text: "Both looked." }] },
    ]);
    await using fake = await startFakeProvider({ reply });
    const { summary, decisions } = await runCli(fake, cli);
    expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 6, tool_calls: 4 });
    expect(new Set(fake.requests.map(({ model }) => model))).toEqual(new Set(["claude-x"]));
    expect(threadsOf(decisions).toSorted()).toEqual([1, 1, 2, 2, 3, 3]);
    expect([summary.tokens_in, summary.tokens_out]).toEqual([fake.billed.in, fake.billed.out]);
  });

  testCli("neither its files, its environment nor the machine show it a key", async () => {
    const [name, rest] = [FAKE_KEY.slice(0, 9), FAKE_KEY.slice(9)];
    const places = "~ . /tmp /run /opt/agent/package.json /proc/*/environ";
    // The first finds something, so the second would.
    const command = `grep -lsa ANTHROPIC_API /proc/self/environ; k=${name}; grep -rlsa "\${k}${rest}" ${places}; echo end`;
    const turns = [
      { calls: [{ id: "call_1", name: "Bash", input: { command, description: "Look" } }] },
      { text: "No." },
    ];
    await using fake = await startFakeProvider({ reply: playCli({ turns }) });
    const { decisions } = await runCli(fake, cli);
    expect(callsOf(decisions)[0]?.output?.trim()).toBe("/proc/self/environ\nend");
    expect(fake.requests[0]?.headers["x-api-key"]).toBe(FAKE_KEY);
  });

  testCli("a refused command never runs, and the agent goes on", async () => {
    const bash = (id: string, command: string) => ({ id, name: "Bash", input: { command, description: "Run it" } });
    const turns = [{ calls: [bash("call_1", "touch forbidden"), bash("call_2", "touch allowed")] }, { text: "Done." }];
    await using fake = await startFakeProvider({ reply: playCli({ turns }) });
    const policies = { commands: { deny: ["touch forbidden"] } };
    const { summary, decisions } = await runCli(fake, cli, { policies });
    expect(summary.changes?.files.map(({ path }) => path)).toEqual(["allowed"]);
    expect(decisions.map(({ kind }) => kind)).toEqual([
      ...(["model_turn", "policy_block", "tool_call", "model_turn", "final_answer"] as const),
    ]);
  });
});

testCli("opencode: the call for a title keeps its own small model, unless the arm says otherwise", async () => {
  const cli = CLIS.find(({ use }) => use === "opencode") ?? PI;
  const models = async (agent: object) => {
    await using fake = await startFakeProvider({ reply: playCli({ turns: [{ text: "Add adds now." }] }) });
    const { summary } = await runCli(fake, cli, { agent });
    expect(summary).toMatchObject({ stop_reason: "final_answer", turns: 1, tokens_in: fake.billed.in });
    return new Set(fake.requests.map(({ model }) => model));
  };
  const [kept, same] = await Promise.all([models({}), models({ side_model: "same" })]);
  expect([...kept].toSorted()).toEqual([expect.stringContaining("haiku"), "claude-x"]);
  expect(same).toEqual(new Set(["claude-x"]));
});
