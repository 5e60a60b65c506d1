import { expect, test } from "bun:test";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { memoryStore } from "../../src/store/memory.ts";
import { linked } from "./linked.ts";

const POINTER = { session_id: "session-x-20260102T030405678Z", arm_id: "a" };

const REFUSED: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>, text: string])[] = [
  ["get_scenario", {}, "invalid_request: name is missing"],
  ["get_scenario", { nmae: "quick" }, 'invalid_request: unknown field "nmae"; did you mean "name"?'],
  [
    "get_scenario",
    { name: "quikc" },
    'unknown_scenario: there is no scenario "quikc"; did you mean "quick"? list_scenarios shows the names',
  ],
  ["get_scenario", { name: "../../etc/passwd" }, "invalid_request: name: expected "],
  [
    "get_scenario",
    { name: "quick", include_hidden: "yes" },
    'invalid_request: include_hidden: expected true or false, got "yes"',
  ],
  [
    "run_scenario",
    { scenario: "quick", wait_seconds: 51 },
    "invalid_request: wait_seconds: expected a whole number from 0 to 50, got 51",
  ],
  [
    "run_scenario",
    { scenario: "quick", wait_seconds: 1.5 },
    "invalid_request: wait_seconds: expected a whole number from 0 to 50, got 1.5",
  ],
  ["run_scenario", { scenario: "quick", single: "yes" }, 'invalid_request: single: expected true or false, got "yes"'],
  [
    "run_scenario",
    { scenario: "quick", trials: 3, single: true },
    "invalid_request: single: goes with one run; this is a series, whose trials open the gate, so leave it out",
  ],
  ["run_scenario", { scenario: "quick", model_override: "gpt" }, "invalid_request: model_override: expected "],
  ["run_scenario", { scenario: "quick", model_override: "openai/gpt-x" }, "credentials_missing: "],
  ["run_scenario", { scenario: "broken" }, "invalid_scenario: scenarios/broken.yaml"],
  [
    "list_sessions",
    { state: "done" },
    'invalid_request: state: expected queued, preparing, running, probing, judging, completed, failed, cancelled or interrupted, got "done"',
  ],
  ["list_sessions", { before: POINTER.session_id }, "unknown_session: "],
  [
    "get_session",
    { session_id: "nonsense" },
    'unknown_session: there is no session "nonsense"; list_sessions shows the ids',
  ],
  [
    "get_session",
    { session_id: "x", detail: "diffs" },
    'invalid_request: detail: expected summary, criteria, decisions, diff or full, got "diffs"',
  ],
  [
    "rejudge",
    { arm_a: { ...POINTER, session_id: "x" }, arm_b: POINTER },
    'invalid_request: arm_a.session_id: expected the id of a session, got "x"',
  ],
  ["rejudge", { arm_a: POINTER }, "invalid_request: arm_b is missing"],
  ["rejudge", { arm_a: POINTER, arm_b: { ...POINTER, arm: "b" } }, 'invalid_request: unknown field "arm_b.arm"'],
  ["rejudge", { arm_a: POINTER, arm_b: POINTER }, "invalid_request: arm_a and arm_b are the same arm"],
];

test.each(REFUSED)("%s refuses %j in words that can be acted on", async (tool, args, text) => {
  await using server = await linked();
  const result = await server.call(tool, args);
  expect(result.isError).toBe(true);
  expect(result.text).toStartWith(text);
});

test("null for a field that may be left out counts as left out", async () => {
  await using server = await linked();
  const { isError } = await server.call("list_sessions", { scenario: null, limit: null });
  expect(isError).toBe(false);
});

test.each(["run_scenario", "list_sessions", "get_session", "rejudge"])(
  "%s without a state directory names the flag",
  async (tool) => {
    await using server = await linked({ store: memoryStore() });
    const args = { scenario: "quick", session_id: POINTER.session_id, arm_a: POINTER, arm_b: POINTER };
    const { tools } = await server.client.listTools();
    const known = Object.keys(tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {});
    const taken = Object.fromEntries(Object.entries(args).filter(([field]) => known.includes(field)));
    expect(await server.call(tool, taken)).toMatchObject({
      isError: true,
      text: `invalid_request: ${tool} needs a state directory, and this server was started without one; start it as: abeval mcp --state-dir <path>`,
    });
  },
);

test("a fault of ours is one sentence to the client; the stack goes to the operator, without secrets", async () => {
  const broken = {
    directory: "x",
    list: () => Promise.reject(new TypeError("at key sk-12345678")),
    get: () => Promise.reject(new Error()),
  };
  await using server = await linked({
    catalog: broken,
    redact: (text) => text.replaceAll("sk-12345678", "[redacted]"),
  });
  expect(await server.call("list_scenarios")).toMatchObject({
    isError: true,
    text: "internal: a fault of this server; its details are in the server's log (stderr)",
  });
  expect(server.notices.join("\n")).toContain("TypeError: at key [redacted]");
});

const ENDLESS = "x".repeat(900_000);

test("an endless id is not told back", async () => {
  await using server = await linked();
  const refused = async (tool: string, args: Readonly<Record<string, unknown>>) => (await server.call(tool, args)).text;
  const shown = ENDLESS.slice(0, 100);
  expect(await refused("get_session", { session_id: ENDLESS })).toBe(
    `unknown_session: there is no session "${shown}"; list_sessions shows the ids`,
  );
  const pointer = { session_id: ENDLESS, arm_id: "does" };
  const others: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[] = [
    ["list_sessions", { before: ENDLESS }],
    ["get_scenario", { name: ENDLESS }],
    ["run_scenario", { scenario: "quick", model_override: `none/${ENDLESS}` }],
    ["run_scenario", { scenario: "quick", model_override: ENDLESS }],
    ["rejudge", { arm_a: pointer, arm_b: { ...pointer, arm_id: "talks" } }],
  ];
  for (const [tool, args] of others) expect((await refused(tool, args)).length).toBeLessThan(10_000);
  for (const uri of [`abeval://sessions/${ENDLESS}`, `abeval://${ENDLESS}`]) {
    const error: unknown = await server.client.readResource({ uri }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(McpError);
    expect(JSON.stringify([String(error), (error as McpError).data]).length).toBeLessThan(1_000); // asserted just before
  }
});
