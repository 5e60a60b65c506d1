import { afterAll, expect, test } from "bun:test";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import type { Arm, McpServer, ScriptTurn } from "../../src/domain/arm.ts";
import type { Failure } from "../../src/domain/failure.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { fakeInstalls, fakeServer, hostileServer } from "../tool/mcp/fake-install.ts";
import { processesWith } from "../workspace/harness.ts";

const installs = fakeInstalls();
afterAll(() => installs[Symbol.dispose]());

const SCENARIO = `name: tools
varies: [mcp]
task:
  prompt: Write b.txt.
  fixture: { files: { a.txt: "one", guarded/c.txt: "three" } }
  probe: { checks: [{ id: b, run: grep -q two b.txt }] }
arms:
  - id: own
    model: scripted/x
    script: [{ say: Done. }]
  - id: foreign
    extends: own
policies: { paths: { protected: ["guarded/**", "*.lock"] } }
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;

const calling = (...calls: readonly Record<string, unknown>[]): ScriptTurn[] => [
  ...calls.map((call) => ({ calls: [call] })),
  { say: "Done." },
];

/** The scenario above, in which the second arm has these servers and says this. */
async function withServers(
  mcp: readonly McpServer[],
  script: ScriptTurn[],
  changes: Partial<Arm> = {},
): Promise<LoadedScenario> {
  await using folder = await scenarioFolder({ "tools.yaml": SCENARIO });
  const loaded = await loadScenarioFile(folder.path("tools.yaml"));
  const [own, foreign] = loaded.definition.arms;
  return {
    ...loaded,
    definition: { ...loaded.definition, arms: [own, { ...foreign, mcp: [...mcp], script, ...changes }] },
  };
}

const services = (changes = {}) => testServices({}, { agents_dir: installs.path, ...changes });

const run = async (loaded: LoadedScenario): Promise<SessionOutcome> => (await runOnce(services(), loaded)).outcome;

const refused = async (mcp: readonly McpServer[], changes = {}): Promise<Pick<Failure, "code" | "message">> => {
  try {
    await prepareSession(services(changes), await withServers(mcp, []), {});
    return { code: "internal", message: "not refused" };
  } catch (error) {
    const { code, message } = error as Failure;
    return { code, message };
  }
};

const WRITE = { fake__write: { path: "b.txt", text: "two\n" } };

/** Of the command lines of servers that no other test has. */
const MARK = `mark-${process.pid}`;

describeNeeding(SANDBOX)("an arm with an MCP server", () => {
  test("wins by what its script makes of the server's tools, and its log says which they were", async () => {
    const { failure, verdict, decisions, arms } = await run(await withServers([fakeServer()], calling(WRITE)));
    expect(failure).toBeNull();
    expect(verdict).toMatchObject({ outcome: "winner", winner: "foreign" });
    expect(arms[1].changes?.files.map(({ path }) => path)).toEqual(["b.txt"]);
    expect(decisions["foreign"]?.find(({ kind }) => kind === "tool_call")?.detail).toEqual({
      ...{ tool: "fake__write", effect: "opaque", input: JSON.stringify(WRITE.fake__write) },
      ...{ ok: true, exit_code: null, output: "wrote b.txt", bytes: 11 },
    });
  });

  test("cannot change a protected file through a server, and goes on", async () => {
    const bad = { fake__write: { path: "guarded/c.txt", text: "3" } };
    const { arms, decisions } = await run(await withServers([fakeServer()], calling(bad, WRITE)));
    expect(decisions["foreign"]?.find(({ kind }) => kind === "tool_call")?.detail).toMatchObject({
      ...{ ok: false, output: "EROFS" },
    });
    expect(arms[1]).toMatchObject({ status: "finished", violations: [] });
    expect(arms[1].changes?.files.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  test("is out as soon as a call of the server has made a file that is protected", async () => {
    const bad = { fake__write: { path: "bun.lock", text: "3" } };
    const { arms, decisions } = await run(await withServers([fakeServer()], calling(bad, WRITE)));
    expect(arms[1]).toMatchObject({ status: "disqualified", stop_reason: "policy:*.lock", tool_calls: 1 });
    expect(decisions["foreign"]?.at(-1)).toMatchObject({ kind: "policy_violation", detail: { subject: "bun.lock" } });
  });

  test("is another arm with another version of its server, and the same one otherwise", async () => {
    using own = fakeInstalls();
    const loaded = await withServers([fakeServer()], calling(WRITE));
    const comparison = async () => (await prepareSession(services({ agents_dir: own.path }), loaded, {})).comparison;
    const first = await comparison();
    expect(await comparison()).toBe(first);
    appendFileSync(join(own.path, "fake/fake-server.mjs"), "\n// 2");
    const second = await comparison();
    expect(second).not.toBe(first);
    writeFileSync(join(own.path, "fake/package.json"), JSON.stringify({ name: "fake", version: "2.0.0" }));
    expect(await comparison()).not.toBe(second);
  });

  test("goes on and can win when its server went beyond a limit, and its log names the server", async () => {
    const attack = { foe__go: {} };
    const servers = [hostileServer("unknown-blocks", 3_900_000), fakeServer()];
    const { state, verdict, decisions } = await run(await withServers(servers, calling(attack, attack, attack, WRITE)));
    expect({ state, winner: verdict?.winner }).toEqual({ state: "completed", winner: "foreign" });
    const why = "it sent a message of 600005 values, at most 100000 are read";
    const fault = `MCP server foe ended (${why}) and is`;
    expect(verdict?.scope).toContain(`; foreign: ${fault} not started again; `);
    const log = decisions["foreign"] ?? [];
    expect(log.flatMap(({ kind, detail }) => (kind === "error" ? [detail] : []))).toEqual([
      { class: "agent", code: "program_ended", message: `${fault} started again for the next call` },
      { class: "agent", code: "program_ended", message: `${fault} not started again` },
    ]);
    expect(log.flatMap(({ kind, detail }) => (kind === "tool_call" ? [detail?.output] : []))).toEqual([
      `[the server of this tool ended: ${why}; it is started again for the next call]`,
      `[the server of this tool ended: ${why}; it is not started again]`,
      "[the server of this tool has ended for good]",
      "wrote b.txt",
    ]);
  });

  test("is examined when nothing of the server lives any more", async () => {
    const script = calling({ fake__keep_writing: { path: "b.txt" } }, { read_file: { path: "a.txt" } });
    const { failure, arms } = await run(await withServers([fakeServer()], script));
    expect(failure).toBeNull();
    expect(arms.map(({ status }) => status)).toEqual(["finished", "finished"]);
    expect(arms[1].changes?.files.map(({ path }) => path)).toEqual(["b.txt"]);
  });

  test("shows a behaviour that is required of it by a call of the server", async () => {
    const loaded = await withServers([fakeServer()], calling(WRITE, WRITE));
    const { policies } = loaded.definition;
    const required = [{ id: "writes", tool: "fake__write", match: null, min: 2 }];
    const { arms } = await run({
      ...loaded,
      definition: { ...loaded.definition, policies: { ...policies, required } },
    });
    expect(arms.map((arm) => arm.required.map(({ count, met }) => ({ count, met })))).toEqual([
      [{ count: 0, met: false }],
      [{ count: 2, met: true }],
    ]);
  });

  test("leaves nothing that runs when the server of the other arm does not start", async () => {
    const loaded = await withServers([fakeServer("fake", {}, ["dead"])], []);
    const [own, foreign] = loaded.definition.arms;
    const arms: [Arm, Arm] = [{ ...own, mcp: [fakeServer(MARK)] }, foreign];
    const { failure } = await run({ ...loaded, definition: { ...loaded.definition, arms } });
    expect(failure?.code).toBe("setup_failed");
    expect(processesWith(MARK)).toEqual([]);
  });

  test("costs nothing when a server does not start, lacks a tool that is asked for, or one that is required", async () => {
    const dead = await run(await withServers([fakeServer("fake", {}, ["dead"])], calling(WRITE)));
    expect(dead).toMatchObject({
      ...{ state: "failed", decisions: { own: [], foreign: [] } },
      failure: {
        code: "setup_failed",
        message: 'arm "foreign": MCP server fake does not start: it ended (exit code 3); it said: no such database',
      },
    });
    const loaded = await withServers([fakeServer()], calling(WRITE));
    const { policies } = loaded.definition;
    const required = [{ id: "reads", tool: "fake__read", match: null, min: 1 }];
    const lacking = await run({ ...loaded, definition: { ...loaded.definition, policies: { ...policies, required } } });
    expect(lacking.failure?.message).toStartWith(
      'arm "foreign": policies.required names fake__read, which no MCP server has; they have fake__echo, fake__write',
    );
  });
});

testNeeding(SANDBOX)("a run is refused before it begins when an install is not there", async () => {
  expect(await refused([fakeServer("fs", { install: "nowhere" })])).toEqual({
    code: "invalid_request",
    message: 'arm "foreign": MCP server fs: there is no install "nowhere" in the directory of --agents-dir',
  });
  expect(await refused([fakeServer("fs")], { agents_dir: undefined })).toEqual({
    code: "invalid_request",
    message:
      'arm "foreign": MCP server fs: its install "fake" is looked for in --agents-dir <path>, which is not given',
  });
});

test("a run without a sandbox is refused, also of a script", async () => {
  expect(await refused([fakeServer()], { sandbox: "none" })).toEqual({
    code: "sandbox_unavailable",
    message:
      'no sandbox: arm "foreign" has MCP servers, which run only in bubblewrap; ' +
      "leave out --sandbox none; without a sandbox only arms without `mcp` run",
  });
});
