import { expect, test } from "bun:test";
import { codexLog } from "../../src/arms/imported/forms/codex.ts";
import { emptyLog } from "../../src/arms/imported/log-step.ts";
import { seriesSource } from "../../src/comparison/planning/prepare-series.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { seriesReport } from "../../src/doors/operation/find-series.ts";
import { runOnce, testServices } from "../harness.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";
import { BROKEN, CLAUDE_LOG, CODEX_LOG, importedFiles, logText, PATCH, ran, TRAJECTORY } from "./imported-scenario.ts";

async function runArms(arms: readonly object[], parts: object = {}, extra: Readonly<Record<string, string>> = {}) {
  await using folder = await scenarioFolder(await importedFiles({ arms, ...parts }, extra));
  return (await runOnce(testServices({ ANTHROPIC_API_KEY: CANARY }), await loadScenarioFile(folder.path("calc.yaml"))))
    .outcome;
}

const CANARY = "sk-ant-canary-0123456789abcdef";

const loadArms = async (arms: readonly object[], extra: Readonly<Record<string, string>> = {}, parts: object = {}) => {
  await using folder = await scenarioFolder(await importedFiles({ arms, ...parts }, extra));
  return await loadScenarioFile(folder.path("calc.yaml"));
};

test("a session that Claude Code wrote is compared with one of Codex, each with what its log says", async () => {
  const outcome = await runArms([
    { id: "claude", ran: ran(CLAUDE_LOG, "mended.patch") },
    { id: "codex", ran: ran(CODEX_LOG, "nothing.patch"), price_per_mtok: { in: 1, out: 10 } },
  ]);
  const [claude, codex] = outcome.arms;
  expect(outcome.failure).toBeNull();
  expect(outcome.verdict).toMatchObject({ outcome: "winner", winner: "claude", decided_by: "probe" });
  expect(outcome.verdict?.flags).toContain("imported_arm");
  expect(claude).toMatchObject({
    ...{ model: "imported/claude-x", model_served: "claude-x", status: "finished", stop_reason: "imported" },
    ...{ turns: 4, tool_calls: 4, tokens_in: 40_634, tokens_out: 218, cost_usd: null, final_answer: "Add adds now." },
    imported: { form: "claude-code", agent: "claude-code", version: "2.1.197", at: "2026-11-24T18:55:32.161Z" },
  });
  expect(codex).toMatchObject({
    ...{ model: "imported/gpt-x", turns: 4, tool_calls: 4, tokens_in: 40_634, tokens_out: 218 },
    ...{ final_answer: "Add adds now.", imported: { form: "codex", agent: "codex", version: "0.169.0" } },
  });
  expect(codex.cost_usd).toBeCloseTo((40_634 + 2180) / 1e6, 9);
  const calls = outcome.decisions["claude"]?.filter(({ kind }) => kind === "tool_call").map(({ summary }) => summary);
  expect(calls).toEqual([
    "read_file calc.js",
    "edit_file calc.js",
    "run_command node -p 'require(\"./calc.js\").add(1, 2)'; exit 3 → exit 3",
    "run_command ls",
  ]);
});

test("a skill that a log tells of counts for rules, as in a run of abeval's own", async () => {
  const plain = await logText(CLAUDE_LOG);
  const skilled = plain.replaceAll(/"name":"Read","input":\{[^}]*\}/g, '"name":"Skill","input":{"skill":"iso-dates"}');
  const outcome = await runArms(
    [
      { id: "skilled", ran: { log: "runs/skilled.jsonl" } },
      { id: "plain", ran: ran(CLAUDE_LOG) },
    ],
    { policies: { required: [{ id: "dates", skill: "iso-dates" }] } },
    { "runs/skilled.jsonl": skilled },
  );
  expect(outcome.arms.map(({ skills_used }) => skills_used?.map(({ name }) => name) ?? [])).toEqual([
    ["iso-dates"],
    [],
  ]);
  expect(outcome.arms.map(({ required }) => required.map(({ met }) => met))).toEqual([[true], [false]]);
});

test("a trajectory in ATIF is compared with a run of abeval's own", async () => {
  const outcome = await runArms([
    { id: "theirs", ran: { ...ran(TRAJECTORY, "after"), answer: "runs/answer.txt" } },
    { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
  ]);
  expect(outcome.verdict).toMatchObject({ winner: "theirs" });
  expect(outcome.arms[0]).toMatchObject({
    ...{ model: "imported/small-model-2", turns: 3, tool_calls: 2, tokens_in: 2560, tokens_out: 58, cost_usd: 0.0019 },
    ...{ wall_ms: 9000, final_answer: "It adds now.\n", changes: { files: [{ path: "calc.js" }] } },
  });
});

test("what nobody handed in is null: without a change no check runs, and nothing says that nothing was changed", async () => {
  const outcome = await runArms(
    [
      { id: "log", ran: ran(TRAJECTORY) },
      { id: "answer", ran: { answer: { text: "It adds now." }, usage: { tokens_in: 12, cost_usd: 0.5 } } },
    ],
    { policies: { commands: { deny: ["git push *"] } } },
  );
  expect(outcome.arms[0]).toMatchObject({ changes: null, probe: null, imported: { no_change: true } });
  expect(outcome.arms[1]).toMatchObject({
    ...{ model: "imported/unknown", changes: null, tokens_in: 12, tokens_out: null, cost_usd: 0.5 },
    ...{ imported: { form: null, agent: null, at: null }, final_answer: "It adds now." },
  });
  expect(outcome.verdict?.flags).toContain("rules_not_seen");
});

test("rules about commands are held against what the log says was run", async () => {
  const outcome = await runArms(
    [
      { id: "theirs", ran: ran(TRAJECTORY, "mended.patch") },
      { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
    ],
    { policies: { commands: { deny: ["sed *"] }, required: [{ id: "looks", tool: "run_command", match: "cat *" }] } },
  );
  expect(outcome.arms[0]).toMatchObject({
    violations: [{ rule: "sed *", severity: "warn", subject: "sed -i 's/a - b/a + b/' calc.js", blocked: false }],
    required: [{ id: "looks", met: true }],
  });
});

test("a patch that does not apply ends the run before the other arm is asked", async () => {
  const outcome = await runArms(
    [
      { id: "theirs", ran: ran(TRAJECTORY, "other.patch") },
      { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
    ],
    {},
    { "runs/other.patch": PATCH.replace("a - b;", "a * b;") },
  );
  expect(outcome.state).toBe("failed");
  expect(outcome.failure).toMatchObject({ class: "user", code: "setup_failed" });
  expect(outcome.failure?.message).toContain('arm "theirs": its patch does not apply: calc.js: hunk 1 of 1');
  expect(outcome.decisions["ours"]).toEqual([]);
});

test("neither a key nor the name of a user in a log is stored", async () => {
  const [mine, theirs] = [CANARY, "sk-proj-9Zz8yX7wV6uT5sR4qP3o"];
  const lines = (await Bun.file(`${import.meta.dir}/logs/${CLAUDE_LOG}`).text())
    .replaceAll("I run it.", `I run it with ${mine} and ${theirs}.`)
    .replaceAll('"command":"ls"', `"command":"echo ${mine} ${theirs}; ls /home/ada/proj/calc"`)
    .replaceAll('"claude-x"', `"${mine}"`);
  const outcome = await runArms(
    [
      { id: "theirs", ran: { log: "runs/keys.jsonl", answer: { text: `I used ${mine}.` } } },
      { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
    ],
    {},
    { "runs/keys.jsonl": lines },
  );
  const { definition: _definition, ...stored } = outcome;
  expect(JSON.stringify(stored)).not.toContain(theirs);
  expect(JSON.stringify(stored.decisions)).not.toMatch(/canary|\/home\/ada/);
  expect(stored.arms[0].final_answer).toBe("I used [redacted].");
});

testNeeding(SANDBOX)("the directory of a log becomes the one where the task mounts its workspace", async () => {
  const lines = (await logText(CLAUDE_LOG)).replaceAll('"command":"ls"', '"command":"ls /home/ada/proj/calc"');
  const task = { prompt: "In calc.js, add must add.", fixture: { files: { "calc.js": BROKEN }, at: "/app" } };
  const outcome = await runArms(
    [
      { id: "theirs", ran: { log: "runs/paths.jsonl", change: "runs/mended.patch" } },
      { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
    ],
    { task, rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } } },
    { "runs/paths.jsonl": lines },
  );
  expect(outcome.failure).toBeNull();
  const told = JSON.stringify(outcome.decisions["theirs"]);
  expect(told).toContain("ls /app");
  expect(told).not.toMatch(/\/workspace|\/home\/ada/);
});

test("a log that ends in the middle of a line is told, and its calls without results too", async () => {
  const whole = await Bun.file(`${import.meta.dir}/logs/${CLAUDE_LOG}`).text();
  const cut = whole.slice(0, whole.indexOf('"The file /home') + 5);
  const outcome = await runArms(
    [
      { id: "theirs", ran: { log: "runs/cut.jsonl" } },
      { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
    ],
    {
      policies: {
        required: [
          { id: "read", tool: "read_file" },
          { id: "edited", tool: "edit_file" },
        ],
      },
    },
    { "runs/cut.jsonl": cut },
  );
  expect(outcome.arms[0]).toMatchObject({ turns: 2, final_answer: null, imported: { broken_off: true } });
  expect(outcome.arms[0]?.required.map(({ met }) => met)).toEqual([true, false]);
  const told = outcome.decisions["theirs"]?.filter(({ kind }) => kind !== "policy_violation");
  expect(told?.slice(-2)).toMatchObject([
    { kind: "tool_call", detail: { output: "the log has no result of this call", ok: false } },
    { kind: "error", detail: { code: "log_broken_off" } },
  ]);
});

const OURS = { id: "ours", model: "scripted/x", script: [{ say: "No." }] };

test.each([
  [
    "a hole in the middle",
    '{"type":"session_meta","payload":{}}\n{oops\n{"type":"turn_context","payload":{}}\n',
    "line 2: no valid JSON",
  ],
  ["another version of ATIF", '{"schema_version":"ATIF-v2.0","steps":[]}', "is of ATIF 2.0; abeval reads version 1"],
  ["no log at all", "hello\n", "line 1: no valid JSON; expected a trajectory in ATIF"],
  ["nothing", "\n\n", "is empty"],
  [
    "JSON of another kind",
    '{"type":"message","role":"user"}\n',
    "is of a form, or of a version, that abeval does not know",
  ],
  ["a session without a turn", '{"type":"session_meta","payload":{"cwd":"/x"}}\n', "holds no turn of a model"],
  [
    "deep JSON",
    `{"type":"session_meta","payload":{}}\n{"payload":${"[".repeat(5000)}${"]".repeat(5000)}}\n`,
    "line 2: 5001 levels of nesting, at most 200 are read",
  ],
])("a log that is %s is refused with its place before anything runs", async (_what, text, message) => {
  const failure = await failureOf(loadArms([{ id: "x", ran: { log: "runs/bad" } }, OURS], { "runs/bad": text }));
  expect(failure.code).toBe("invalid_scenario");
  expect(failure.message).toMatch(/calc\.yaml:\d+:\d+ arms\[0\]\.ran\.log: runs\/bad /);
  expect(failure.message).toContain(message);
});

test("a log of a million steps or lines, and a file of 4 GB, are refused", async () => {
  const step = '{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":""}}\n';
  const many = await failureOf(
    loadArms([{ id: "x", ran: { log: "runs/many" } }, OURS], { "runs/many": step.repeat(700_000) }),
  );
  expect(many.message).toContain("has more than 20000 turns and results");
  const short = await failureOf(
    loadArms([{ id: "x", ran: { log: "runs/short" } }, OURS], { "runs/short": `{${"\n1".repeat(600_000)}` }),
  );
  expect(short.message).toContain("has more than 500000 lines");
  await using folder = await scenarioFolder(
    await importedFiles({ arms: [{ id: "x", ran: { log: "runs/big" } }, OURS] }),
  );
  await Bun.$`truncate -s 4G ${folder.path("runs/big")}`.quiet();
  const big = await failureOf(loadScenarioFile(folder.path("calc.yaml")));
  expect(big.message).toContain("has 4096 MiB; a log of at most 64 MiB is read");
});

const reply = (content: readonly object[]) =>
  JSON.stringify({ sessionId: "s", type: "assistant", message: { id: "m", content } });

test.each([
  ["201 calls", Array.from({ length: 201 }, () => ({ type: "tool_use", name: "x" })), "turn 1: has 201 calls"],
  ["2 MiB of text", [{ type: "text", text: "a".repeat(2 ** 21) }], "turn 1: says 2097152 characters"],
])("a turn of %s is refused", async (_what, content, message) => {
  const files = { "runs/bad": `${reply(content)}\n` };
  expect((await failureOf(loadArms([{ id: "x", ran: { log: "runs/bad" } }, OURS], files))).message).toContain(message);
});

test("more values than are read in the arguments of a call of Codex stay a text", () => {
  const inputs = [19_000, 21_000].map((count) => {
    const log = emptyLog();
    const given = JSON.stringify(Array(count).fill(0));
    codexLog(log).read({ type: "response_item", payload: { type: "function_call", name: "x", arguments: given } });
    return log.steps.flatMap((step) => (step.kind === "turn" ? step.calls : [])).map(({ input }) => typeof input);
  });
  expect(inputs).toEqual([["object"], ["string"]]);
});

test("the fingerprint of what was said is over the text and the calls of each turn", async () => {
  const calls = [
    { name: "é", input: { b: [1, "\ud800"] } },
    { name: "y", input: undefined },
  ];
  const content = [{ type: "text", text: "I call." }, ...calls.map((call) => ({ type: "tool_use", ...call }))];
  const { arms } = await runArms(
    [{ id: "x", ran: { log: "runs/two" } }, OURS],
    {},
    { "runs/two": `${reply(content)}\n` },
  );
  const said = JSON.stringify(["I call.", calls.map(({ name, input }) => [name, input])]);
  expect(arms[0].replies_digest).toBe(sha256(`${said}\n`));
});

test.each([
  [{ ran: {} }, "needs `log`, `change` or `answer`"],
  [{ ran: { log: "../other.jsonl" } }, "is not inside the scenarios directory"],
  [{ ran: { change: "runs/gone.patch" } }, "does not exist"],
  [{ ran: { change: `runs/${TRAJECTORY}` } }, "is not a unified diff, or touches no file"],
  [{ ran: ran(TRAJECTORY), model: "openai/gpt-x" }, "does nothing in an arm with `ran`"],
  [{ model: "imported/x" }, "is the name of a run that was made elsewhere; give it as `ran`"],
])("an arm as %j is refused", async (arm, message) => {
  expect((await failureOf(loadArms([{ id: "x", ...arm }, OURS]))).message).toContain(message);
});

test("no model takes the place of a run that was made elsewhere", async () => {
  const loaded = await loadArms([{ id: "x", ran: ran(TRAJECTORY) }, OURS]);
  const failure = await failureOf(runOnce(testServices(), loaded, { model_override: "scripted/y" }));
  expect(failure).toMatchObject({ code: "invalid_request", details: { field: "model_override" } });
});

test("each row of a table names its own files, and what one row said twice is one observation", async () => {
  const rows = ["claude-code-2.1.197", "codex-0.169.0"].map((id) => ({ id }));
  const arms = [
    { id: "theirs", ran: { log: "runs/{{id}}.jsonl", change: "runs/mended.patch" } },
    { id: "ours", model: "scripted/x", script: [{ say: "No." }] },
  ];
  await using folder = await scenarioFolder(await importedFiles({ arms, inputs: rows }));
  const members = await membersOf(await loadScenarioFile(folder.path("calc.yaml")));
  expect(members.map(({ definition }) => definition.arms[0].model)).toEqual(["imported/claude-x", "imported/gpt-x"]);
  const services = testServices();
  const { done } = await openSeries(services, seriesSource(members), { trials: 4 });
  const series = await seriesReport(services.store, await done);
  expect(series.counts).toMatchObject({ trials: 8, wins: 8 });
  expect(series).toMatchObject({ conclusion: "undecided", undecided_by: "identical_trials" });
  expect(series.flags).toContain("no_variation");
  expect(series.cost_usd.total).toBe(0);
});

test("however an arm that runs may vary, one run made elsewhere is one observation of its arm", async () => {
  const script = (say: string) => ({ weight: 1, turns: [{ say }] });
  const arms = [
    { id: "theirs", ran: ran(TRAJECTORY, "mended.patch") },
    { id: "ours", model: "scripted/x", scripts: ["No.", "Never.", "Not I.", "Why?"].map(script) },
  ];
  await using folder = await scenarioFolder(await importedFiles({ arms }));
  const services = testServices();
  const source = seriesSource([await loadScenarioFile(folder.path("calc.yaml"))]);
  const { done } = await openSeries(services, source, { trials: 10 });
  expect(await seriesReport(services.store, await done)).toMatchObject({
    ...{ counts: { wins: 10 }, conclusion: "undecided", undecided_by: "identical_trials" },
    headline: { claim: null },
  });
});
