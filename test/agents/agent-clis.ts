import { describe, expect } from "bun:test";
import type { Decision } from "../../src/domain/decision.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { withSeconds } from "../agent/plain-agent.ts";
import type { SeenRequest } from "../fake-provider/exchange.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { recordingServices, replayingServices } from "../recording/recorded.ts";
import { temporaryDirectory } from "../temporary.ts";
import { CLAUDE_CODES, type Cli, CODEXES, FAILING_COMMAND, FIXED, OPENCODE, PAIRS, PI, PROMPT } from "./clis.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";
import { playCli, playPair, runCli, runPair } from "./run-cli.ts";

const installed = install(Object.fromEntries(PAIRS.flat().map((cli) => [cli.install, cli.package])));
const testCli = testNeeding(registry(installed), SANDBOX, NODE);

const nameOf = ({ install: name, wire }: Cli) => `${name} over ${wire}`;
const callsOf = (decisions: readonly Decision[]) =>
  decisions.flatMap((decision) => (decision.kind === "tool_call" ? (decision.detail ?? []) : []));
const threadsOf = (decisions: readonly Decision[]) =>
  decisions.flatMap((decision) => (decision.kind === "model_turn" ? (decision.detail?.thread ?? []) : []));
const count = <T>(items: readonly T[], one: T) => items.filter((item) => item === one).length;
const sum = (values: readonly (number | null)[]) => values.reduce<number>((total, value) => total + (value ?? NaN), 0);

const threadOf = (decision: Decision) =>
  decision.kind === "model_turn" || decision.kind === "tool_call" ? (decision.detail?.thread ?? 0) : 0;

/** What does not depend on the moment of a run: threads that are asked at the same time end in any order. */
const lasting = ({ decisions, arms, verdict }: SessionOutcome) => ({
  logs: Object.values(decisions).map((log) =>
    log
      .toSorted((one, other) => threadOf(one) - threadOf(other))
      .map(({ kind, tokens_in, tokens_out, summary }) => ({ kind, tokens_in, tokens_out, summary })),
  ),
  changes: arms.map(({ changes }) => changes?.patch),
  costs: arms.map(({ cost_usd }) => cost_usd),
  verdict: verdict?.outcome,
});

function expectWork(cli: Cli, { arms, decisions }: SessionOutcome, at: 0 | 1): void {
  const summary = arms[at];
  const log = decisions[summary.arm_id] ?? [];
  expect(summary).toMatchObject({ status: "finished", stop_reason: "final_answer", turns: 4, tool_calls: 4 });
  expect(summary.final_answer).toBe("Add adds now.");
  expect(summary.changes?.files.map(({ path }) => path)).toEqual(["calc.js"]);
  expect(summary.changes?.patch).toContain(`+${FIXED}`);
  expect(summary.agent).toMatchObject({ recipe: cli.use, install: cli.install, exit_code: 0 });
  expect(summary.agent?.version).toBe(cli.package.split("@").at(-1) ?? null);
  const kinds = log.map(({ kind }) => kind);
  expect([count(kinds, "model_turn"), count(kinds, "error"), kinds.at(-1)]).toEqual([
    4 + cli.side_calls,
    0,
    "final_answer",
  ]);
  const calls = callsOf(log);
  const first = cli.use === "codex" ? "run_command" : "read_file";
  expect(calls.map(({ tool }) => tool)).toEqual([first, "edit_file", "run_command", "run_command"]);
  expect(calls.map(({ unchecked, thread }) => [unchecked, thread])).toEqual(Array(4).fill([undefined, 1]));
  const ran = calls.find(({ input }) => input?.includes(JSON.stringify(FAILING_COMMAND)));
  expect(ran?.output?.trim()).toBe("3");
  if (cli.tells_exit_code) expect(ran).toMatchObject({ ok: false, exit_code: 3 });
}

describe("read, edit, run, answer", () => {
  for (const pair of PAIRS)
    testCli(`${pair.map(nameOf).join(", ")}: as the model said it, and again from a recording`, async () => {
      using recordings = temporaryDirectory();
      const notices: string[] = [];
      const changes = { agents_dir: AGENTS_DIR, notice: (line: string) => notices.push(line) };
      const recorded = await (async () => {
        await using fake = await startFakeProvider({ reply: playPair(pair) });
        const { outcome } = await runPair(recordingServices(recordings.path, fake.environment, changes), pair);
        const { arms } = outcome;
        const { billed } = fake;
        expect(outcome.failure).toBeNull();
        expectWork(pair[0], outcome, 0);
        expectWork(pair[1], outcome, 1);
        expect(sum(arms.map(({ tokens_in }) => tokens_in))).toBe(billed.in);
        expect(sum(arms.map(({ tokens_out }) => tokens_out))).toBe(billed.out);
        expect(sum(arms.map(({ cached_tokens }) => cached_tokens))).toBe(billed.cached);
        const working = fake.requests.filter(({ tools }) => tools.length > 0);
        const asked = new Set(working.map(({ wire, model }) => `${wire} ${model}`));
        expect(asked).toEqual(new Set(pair.map(({ wire, model }) => `${wire} ${model.split("/")[1]}`)));
        return outcome;
      })();
      const services = replayingServices(recordings.path, { strict: true }, changes);
      const { outcome } = await runPair(services, pair);
      expect(outcome.failure).toBeNull();
      expect(lasting(outcome)).toEqual(lasting(recorded));
      expect(notices).toEqual([]);
      const written = await Array.fromAsync(new Bun.Glob("**/*.jsonl").scan(recordings.path), (path) =>
        Bun.file(`${recordings.path}/${path}`).text(),
      );
      expect(written).toHaveLength(2);
      expect(JSON.stringify([recorded, written])).not.toContain(FAKE_KEY);
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
    const { summary, decisions } = await withSeconds([12, 3], async (max_seconds) => {
      await using fake = await startFakeProvider({ reply: playCli({ turns }) });
      return await runCli(fake, PI, { policies: { budget: { max_seconds } } });
    });
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

for (const cli of [...CLAUDE_CODES, ...CODEXES])
  testCli(`${nameOf(cli)}: goes on with its conversation`, async () => {
    const saidLast = ({ messages }: SeenRequest) => messages.findLast(({ role }) => role === "user");
    const reply = (request: SeenRequest) =>
      JSON.stringify(saidLast(request)).includes("In one word.") ? { text: "Mended." } : playCli(cli)(request);
    await using fake = await startFakeProvider({ reply });
    const { summary, decisions } = await runCli(fake, cli, { task: { follow_ups: ["In one word."] } });
    expect(summary).toMatchObject({ stop_reason: "final_answer", answers: ["Add adds now.", "Mended."] });
    expect(summary.final_answer).toBe("Mended.");
    expect(decisions.slice(-4).map(({ kind }) => kind)).toEqual([
      ...(["final_answer", "follow_up", "model_turn", "final_answer"] as const),
    ]);
    expect(new Set(threadsOf(decisions))).toEqual(new Set([1]));
    expect(JSON.stringify(fake.requests.at(-1)?.messages)).toContain("Add adds now.");
    expect([summary.tokens_in, summary.tokens_out]).toEqual([fake.billed.in, fake.billed.out]);
  });

testCli("opencode: the call for a title keeps its own small model, unless the arm says otherwise", async () => {
  const models = async (agent: object) => {
    await using fake = await startFakeProvider({ reply: playCli({ turns: [{ text: "Add adds now." }] }) });
    const { summary } = await runCli(fake, OPENCODE, { agent });
    expect(summary).toMatchObject({ stop_reason: "final_answer", turns: 1, tokens_in: fake.billed.in });
    return new Set(fake.requests.map(({ model }) => model));
  };
  const [kept, same] = await Promise.all([models({}), models({ side_model: "same" })]);
  expect([...kept].toSorted()).toEqual([expect.stringContaining("haiku"), "claude-y"]);
  expect(same).toEqual(new Set(["claude-y"]));
});
