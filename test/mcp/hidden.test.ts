import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GridRow } from "../../src/domain/cell.ts";
import { type Linked, linked } from "./linked.ts";

/** Runs the scenario whose solution is marked, and gives its session's id. */
async function run(server: Linked): Promise<string> {
  const { data } = await server.call("run_scenario", { scenario: "hidden", wait_seconds: 50 });
  expect(data.summary.state).toBe("completed");
  return data.session_id;
}

const read = async ({ client }: Linked, uri: string) => JSON.stringify(await client.readResource({ uri }));

test("what gives a scenario's solution away is handed over only when asked for", async () => {
  await using server = await linked();
  const shown = await server.call("get_scenario", { name: "hidden" });
  expect(shown.data.task).toMatchObject({ probe_checks: 1, has_reference_fix: true });
  expect(JSON.stringify(shown)).not.toContain("CANARY");
  const whole = JSON.stringify(await server.call("get_scenario", { name: "hidden", include_hidden: true }));
  for (const word of ["FILE", "RUN", "MATCH", "FIX", "SCRIPT", "WEIGHTED"]) expect(whole).toContain(`CANARY-${word}`);
});

test("the definition of a session has no hidden parts unless they are asked for", async () => {
  await using server = await linked();
  const session_id = await run(server);
  const definition = async (args: object) =>
    JSON.stringify((await server.call("get_session", { session_id, detail: "full", ...args })).data.session.definition);
  expect(await definition({})).not.toContain("CANARY");
  expect(await definition({ include_hidden: true })).toContain("CANARY-FIX");
});

test("resources have no hidden parts", async () => {
  await using server = await linked();
  const session_id = await run(server);
  expect(await read(server, "abeval://scenarios/hidden")).not.toContain("CANARY");
  const { definition } = JSON.parse(JSON.parse(await read(server, `abeval://sessions/${session_id}`)).contents[0].text);
  expect(JSON.stringify(definition)).not.toContain("CANARY");
});

const SECRETS = /CANARY-(?:FILE|RUN|MATCH|FIX)/;

test("what a hidden check printed, and why it failed, is in no detail and no resource unless asked for", async () => {
  await using server = await linked();
  const session_id = await run(server);
  for (const detail of ["summary", "criteria", "decisions", "diff", "full"])
    expect(JSON.stringify(await server.call("get_session", { session_id, detail }))).not.toMatch(SECRETS);
  expect(await read(server, `abeval://sessions/${session_id}`)).not.toMatch(SECRETS);
  const checkOf = async (args: object) =>
    (await server.call("get_session", { session_id, detail: "full", ...args })).data.session.arms[0].probe.checks[0];
  expect(await checkOf({})).toMatchObject({ id: "canary-check", status: "fail", reason: null });
  const whole = await checkOf({ include_hidden: true });
  expect(whole.reason).toContain("CANARY-MATCH");
  expect(whole.output).toContain("CANARY-FILE");
});

test("run_doctor says which checks failed and what to do, but not what it found in hidden parts", async () => {
  await using server = await linked();
  const report = await server.call("run_doctor", { scenario: "hidden" });
  expect(JSON.stringify(report)).not.toMatch(SECRETS);
  const checks = report.data.checks as readonly Record<string, unknown>[];
  expect(checks.find(({ id }) => id === "reference.passes")).toMatchObject({
    status: "fail",
    title: "Every check passes with the reference",
    detail: null,
    hint: "the reference fix fails this check: correct the check or the fix",
  });
});

/** Two rows; of the second one the new arm is wrong. */
const ROWS = `name: rows
inputs:
  - {id: one, question: "One?", must: ONE, says: "It is ONE."}
  - {id: two, question: "Two?", must: CANARY-TWO, says: "It is three."}
task:
  prompt: "{{question}}"
  deliverable: answer
  probe: {checks: [{id: right, answer_contains: "{{must}}", required: true}]}
arms:
  - {id: old, model: scripted/old, tools: [], system_prompt: Old., script: [{say: "It is {{must}}."}]}
  - {id: new, model: scripted/new, tools: [], system_prompt: New., script: [{say: "{{says}}"}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

test("a series tells what the arms left, each row by its name, and why hidden checks failed only when asked for", async () => {
  await using server = await linked();
  writeFileSync(join(server.services.catalog.directory, "rows.yaml"), ROWS);
  const { data } = await server.call("run_scenario", { scenario: "rows", trials: 1, wait_seconds: 50 });
  const read = (args: object = {}) => server.call("get_session", { session_id: data.series_id, ...args });
  const shown = await read();
  const rows = shown.data.series.rows as GridRow[];
  expect(rows.map(({ input, winner }) => [input, winner])).toEqual([
    ["two", "old"],
    ["one", null],
  ]);
  expect(rows[0]?.cells[1]).toMatchObject({ answer: "It is three.", failed: [{ check: "right", why: null }] });
  expect(shown.text).toContain("rows[two]: old won trial 2\n  question: Two?\n");
  expect(shown.text).toContain("  new failed right, score 0.00. Its answer: It is three.");
  expect(shown.text).toMatch(/^#2 rows\[two\]: old won; session-rows-/m);
  expect(shown.data.series.trials[1]).toMatchObject({ scenario: "rows", input: "two" });
  expect(JSON.stringify(await read({ include_hidden: true }))).toContain("does not contain");
  const { text } = await server.call("get_session", { session_id: rows[0]?.session_id });
  expect(text).toContain("Row rows[two]");
});

test("so does a contest, with what every arm left in the rows that differ first", async () => {
  await using server = await linked();
  const third =
    "  - {id: third, model: scripted/third, tools: [], system_prompt: Third., script: [{say: It is ONE.}]}\nrubric:";
  writeFileSync(join(server.services.catalog.directory, "rows.yaml"), ROWS.replace("rubric:", third));
  const { data } = await server.call("run_scenario", { scenario: "rows", trials: 1, wait_seconds: 50 });
  const read = (args: object = {}) => server.call("get_session", { session_id: data.series_id, ...args });
  const shown = await read();
  const [first, second] = shown.data.contest.rows as GridRow[];
  expect([first?.input, second?.input]).toEqual(["two", "one"]);
  expect(first?.cells.map(({ arm_id, failed }) => [arm_id, failed])).toEqual([
    ["old", []],
    ["new", [{ check: "right", why: null }]],
    ["third", [{ check: "right", why: null }]],
  ]);
  expect(shown.text).toContain("  third failed right, score 0.00. Its answer: It is ONE.");
  expect(JSON.stringify(await read({ include_hidden: true }))).toContain("does not contain");
});
