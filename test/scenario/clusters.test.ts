import { expect, test } from "bun:test";
import { plannedCluster, repeatedRows } from "../../src/comparison/planning/series/cluster.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const FILE = `name: tone
inputs_file: rows.csv
task: {prompt: "Answer: {{question}}"}
arms:
  - {id: plain, model: openai/gpt-x}
  - {id: warm, extends: plain, params: {temperature: 1}}
rubric: {criteria: [Is it friendly?]}
`;
const ROWS = "id,question,topic\na,Where?,Travel\nb,When?,food\nc,WHERE ?,travel \n";

const folder = (rows = ROWS, file = FILE) => scenarioFolder({ "tone.yaml": file, "rows.csv": rows });

async function plan(asked?: string, rows = ROWS, file = FILE) {
  await using files = await folder(rows, file);
  const members = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
  return plannedCluster(members, asked, undefined);
}

test("rows are of one cluster where their values differ in case, width and blanks alone", async () => {
  expect(await plan("topic")).toEqual({ cluster: { field: "topic", of_row: [0, 1, 0] } });
  expect(await plan(undefined, ROWS, `cluster: topic\n${FILE}`)).toEqual(await plan("topic"));
  expect(await plan()).toEqual({});
});

test("a series goes on with its clusters, whatever the file says by now", async () => {
  await using files = await folder(ROWS, `cluster: topic\n${FILE}`);
  const members = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
  const before = (cluster: object) => plannedCluster(members, undefined, cluster as never);
  expect(before({})).toEqual({});
  expect(before({ cluster: { field: "question", of_row: [0, 1, 2] } })).toMatchObject({
    cluster: { field: "question" },
  });
});

test.each([
  ["topics", ROWS, 'there is no column "topics"; did you mean "topic"? The columns are question, topic'],
  [
    "topic",
    ROWS.replace("food", ""),
    'rows.csv:3: the row "b" has no value for topic, by which rows are clustered; give it in every row, or in none',
  ],
  [
    "topic",
    ROWS.replace("food", "Travel"),
    'every row has the same "topic", so there is one cluster, and one shows nothing; take a column with two values or more',
  ],
])("a flag for clusters that there are not says what is wrong (%s)", async (asked, rows, message) => {
  expect((await failureOf(plan(asked, rows))).message).toBe(`cluster (--cluster): ${message}`);
});

test.each([
  [
    "cluster: topics",
    ROWS,
    '1:10 cluster: there is no column "topics"; did you mean "topic"? The columns are id, question, topic',
  ],
  [
    "cluster: topic",
    ROWS.replace("food", " "),
    '3:14 inputs_file: rows.csv line 3: the row "b" has no value for topic, by which rows are clustered; give it in every row, or in none',
  ],
  [
    "cluster: topic",
    ROWS.replace("food", "Travel"),
    '1:10 cluster: every row has the same "topic", so there is one cluster, and one shows nothing; take a column with two values or more',
  ],
])("a file that asks for clusters that there are not says where (%s)", async (line, rows, message) => {
  await using files = await folder(rows, `${line}\n${FILE}`);
  const path = files.path("tone.yaml");
  expect((await failureOf(loadScenarioFile(path))).message).toBe(`${path}:${message}`);
});

const AGAIN = "id,question,topic\na,Where is it?,Travel\nb,When?,food\nc,WHERE  is ｉt?,food\nd,when?,food\n";

test("rows that ask the same, but for their id, case, width and blanks, are named with the column that they share", async () => {
  await using files = await folder(AGAIN);
  const members = await membersOf(await loadScenarioFile(files.path("tone.yaml")));
  expect(await repeatedRows(members)).toEqual({ ids: ["c", "d"], field: "question" });
  const { cluster } = plannedCluster(members, "question", undefined);
  expect(await repeatedRows(members, cluster)).toBeNull();
  const byTopic = plannedCluster(members, "topic", undefined);
  expect(await repeatedRows(members, byTopic.cluster)).toEqual({ ids: ["c"], field: "question" });
});

test("rows of which a check wants another answer, or an arm is told something else, repeat nothing", async () => {
  const asked = FILE.replace(
    '{prompt: "Answer: {{question}}"}',
    '{prompt: "Answer: {{question}}", deliverable: answer, probe: {checks: [{id: has, answer_contains: "{{topic}}"}]}}',
  );
  for (const file of [asked, FILE.replace("{temperature: 1}}", '{temperature: 1}, system_prompt: "Of {{id}}."}')]) {
    await using files = await folder(AGAIN.replace("food\nd", "toys\nd").replace("d,when?,food", "d,Why?,food"), file);
    expect(await repeatedRows(await membersOf(await loadScenarioFile(files.path("tone.yaml"))))).toBeNull();
  }
});

test("scenarios without rows have no clusters", async () => {
  await using files = await folder();
  const loaded = await loadScenarioFile(files.path("tone.yaml"));
  const { table: _, ...bare } = loaded;
  const members = [...(await membersOf(loaded)), bare];
  const failure = await failureOf((async () => plannedCluster(members, "topic", undefined))());
  expect(failure.message).toContain("has no inputs, and so no column");
});
