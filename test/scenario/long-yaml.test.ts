import { expect, test } from "bun:test";
import { Problems } from "../../src/comparison/scenario/authored/problems.ts";
import { readYaml } from "../../src/comparison/scenario/document/yaml-document.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { turnsDuring } from "../turns.ts";
import { failureOf, SHORT, scenarioFolder } from "./scenario-folder.ts";

const COMMENTS = `\n${"# as long as a large file\n".repeat(3_000)}`;

async function toldOf(text: string) {
  const problems = new Problems();
  const document = await readYaml(text, problems);
  const paths = [["arms", 1, "model"], ["arms", 2], ["task", "prompt"], ["gone"]];
  return {
    value: document.value,
    found: problems.found.map((problem) => ({ ...document.position(problem), message: problem.message })),
    places: paths.flatMap((path) =>
      (["key", "value"] as const).map((at) => document.position({ path, at, message: "" })),
    ),
  };
}

test.each([
  ["is sound", "task: {prompt: a}\narms:\n  - model: x\n  - {n: 1.5, model: y}\n  -\n"],
  [
    "has what is not supported",
    "a: 1\na: 2\nb: *c\nd: !x e\nn: .inf\nm: [.nan]\n{{q}}: 1\ntask:\n  prompt:\narms: [{}, {model: z}]",
  ],
  ["is no YAML", "a: b\n  c: d\nx: 'y' z\n"],
  ["has a directive", "a: 1\n%YAML 1.2\n"],
  ["nests deeply", `x: 1\ny: ${"[".repeat(200)}`],
])("a text that %s is read alike, long or short", async (_, text) => {
  const short = await toldOf(text);
  expect(short.found.length > 0 || short.value !== undefined).toBe(true);
  expect(await toldOf(text + COMMENTS)).toEqual(short);
});

test("a mistake in a long table is told at its row", async () => {
  const rows = Array.from({ length: 100 }, (_, n) => `- id: r${n}\n  q: ${"word ".repeat(200)}\n`);
  await using files = await scenarioFolder({
    "short.yaml": `${SHORT}inputs_file: rows.yaml\n`,
    "rows.yaml": `${rows.join("")}- {id: "r 1", q: a}\n`,
  });
  expect((await failureOf(loadScenarioFile(files.path("short.yaml")))).message).toContain(
    'rows.yaml line 201, column 3: id "r 1" may have',
  );
});

test("a long table is composed beside this process, where others have their turns meanwhile; a short one is composed here", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => `- id: r${n}\n  q: ${"word ".repeat(88)}\n  wanted: w\n`).join("");
  expect(await turnsDuring(() => readYaml(rows(700), new Problems()))).toBeGreaterThan(100);
  expect(await turnsDuring(() => readYaml(rows(7), new Problems()))).toBeLessThan(10);
}, 60_000);
