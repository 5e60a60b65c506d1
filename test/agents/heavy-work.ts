import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Decision } from "../../src/domain/decision.ts";
import { abeval } from "../abeval.ts";
import type { ReplyCall } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { NODE, SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { CLAUDE_CODES, type Cli, CODEXES, FIXED, OPENCODES, PROMPT } from "./clis.ts";
import { AGENTS_DIR, install, registry } from "./installs.ts";
import { pairScenario } from "./run-cli.ts";

/** Two versions of an agent that has helpers. */
interface Kind {
  readonly pair: readonly [Cli, Cli];
  /** Fields of `agent:` without which it has no helpers whose calls can be replayed. */
  readonly agent?: object;
  run(command: string): ReplyCall;
  /** Calls one after another until its helper has reported. */
  readonly asksHelper: readonly ReplyCall[];
}

/** A megabyte of equal lines: on a busy machine opencode cuts what a command printed elsewhere each time. */
const LOUD = "yes | head -c 1048576";
const MEND = "sed -i 's/a - b/a + b/' calc.js";
const HELPER = "Look at the file and report.";
/** Codex tells of a helper that has ended wherever its conversation is; this one ends while it is waited for. */
const LOOK = "sleep 2; cat calc.js";

const KINDS: readonly Kind[] = [
  {
    pair: CLAUDE_CODES,
    run: (command) => ({ name: "Bash", input: { command, description: "Run it" } }),
    asksHelper: [
      {
        name: "Agent",
        input: { description: "Look", prompt: HELPER, subagent_type: "general-purpose", run_in_background: false },
      },
    ],
  },
  {
    pair: CODEXES,
    // Helpers have names that the model gives. Without it they have ids by chance, by which a recorded model waits for them.
    agent: { args: ["--enable", "multi_agent_v2"] },
    run: (cmd) => ({ name: "exec_command", input: { cmd } }),
    asksHelper: [
      { name: "spawn_agent", input: { task_name: "look", message: HELPER, fork_turns: "none" } },
      { name: "wait_agent", input: { timeout_ms: 60_000 } },
    ],
  },
  {
    pair: OPENCODES,
    run: (command) => ({ name: "bash", input: { command, description: "Run it" } }),
    asksHelper: [{ name: "task", input: { description: "Look", prompt: HELPER, subagent_type: "general" } }],
  },
];

const installed = install(
  Object.fromEntries(KINDS.flatMap(({ pair }) => pair.map((cli) => [cli.install, cli.package]))),
);
const testCli = testNeeding(registry(installed), SANDBOX, NODE);

/** A megabyte beside another command, the work, a helper with two commands at once, the answer. */
function modelOf({ run, asksHelper }: Kind) {
  const turn = (at: string, calls: readonly ReplyCall[]) => ({
    calls: calls.map((call, i) => ({ id: `call_${at}_${i}`, ...call })),
  });
  const asks = asksHelper.map((call, i) => turn(`ask${i}`, [call]));
  return playAgent([
    { knownBy: HELPER, turns: [turn("help", [run(LOOK), run("ls")]), { text: "It adds." }] },
    {
      knownBy: PROMPT,
      turns: [turn("loud", [run(LOUD), run("ls")]), turn("mend", [run(MEND)]), ...asks, { text: "Add adds now." }],
    },
  ]);
}

const callsOf = (log: readonly Decision[]) =>
  log.flatMap((decision) => (decision.kind === "tool_call" ? (decision.detail ?? []) : []));

/** Calls that are made at once end in any order, as do a helper and who asked it. */
const lasting = (log: readonly Decision[]) =>
  log
    .map(({ kind, summary, tokens_in, tokens_out }) => JSON.stringify([kind, summary, tokens_in, tokens_out]))
    .toSorted();

/** Runs the program; what it printed, and the session that it stored. */
async function run(scenario: string, state: string, flags: readonly string[], env: Readonly<Record<string, string>>) {
  const where = ["--agents-dir", AGENTS_DIR, "--state-dir", state];
  const { status, stdout, stderr } = await abeval(["run", scenario, ...where, ...flags], { env });
  expect([status, stderr.match(/^abeval: .*/ms)]).toEqual([0, null]);
  const verdict = JSON.parse(stdout);
  const session = await Bun.file(join(state, "sessions", `${verdict.arm_a.session_id}.json`)).json();
  return { verdict, session };
}

function expectWork({ pair, asksHelper }: Kind, { verdict, session }: Awaited<ReturnType<typeof run>>): void {
  expect(verdict).toMatchObject({
    outcome: "tie",
    facts: { a: { probe: { passed: 1 } }, b: { probe: { passed: 1 } } },
  });
  expect(verdict.flags).not.toContain("arm_crashed");
  for (const [at, cli] of pair.entries()) {
    const arm = session.arms[at];
    expect(arm).toMatchObject({ status: "finished", stop_reason: "final_answer", final_answer: "Add adds now." });
    expect(arm).toMatchObject({ turns: 5 + asksHelper.length, tool_calls: 5 + asksHelper.length });
    expect(arm.agent).toMatchObject({ exit_code: 0, version: cli.package.split("@").at(-1) });
    expect(arm.changes.patch).toContain(`+${FIXED}`);
    const log: readonly Decision[] = session.decisions[arm.arm_id];
    const calls = callsOf(log);
    const commands = calls.filter(({ tool }) => tool === "run_command");
    expect(commands.map(({ thread }) => thread === 1).toSorted()).toEqual([false, false, true, true, true]);
    const loud = calls.find(({ input }) => input?.includes(LOUD));
    expect(loud).toMatchObject({ ok: true });
    expect(loud?.output?.length).toBeGreaterThan(2_000);
    expect(log.map(({ kind }) => kind)).not.toContain("error");
  }
}

for (const kind of KINDS)
  testCli(
    `${kind.pair.map((cli) => cli.install).join(" and ")} print a megabyte, call in parallel and ask a helper, and again without a provider`,
    async () => {
      using directory = temporaryDirectory();
      const scenario = join(directory.path, "calc.yaml");
      writeFileSync(scenario, pairScenario(kind.pair, kind.agent ?? {}));
      const at = (name: string) => join(directory.path, name);
      const recorded = await (async () => {
        await using fake = await startFakeProvider({ reply: modelOf(kind) });
        return await run(scenario, at("recorded"), ["--record", at("recordings")], fake.environment);
      })();
      expectWork(kind, recorded);
      const replayed = await run(scenario, at("replayed"), ["--replay", at("recordings"), "--replay-strict"], {});
      expectWork(kind, replayed);
      expect(replayed.verdict.flags).toContain("replayed");
      for (const arm of ["arm-0", "arm-1"])
        expect(lasting(replayed.session.decisions[arm])).toEqual(lasting(recorded.session.decisions[arm]));
    },
  );
