import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

/** One arm writes the file whose name each row gives; the check reads the row. */
const TABLE = `name: words
inputs_file: words.csv
task:
  prompt: "Write {{word}}."
  fixture: {files: {word.txt: "{{word}}"}}
  probe:
    checks:
      - {run: 'grep -q "\\"word\\"" "$ABEVAL_EVIDENCE/input.json" && test -f hello.txt', required: true}
arms:
  - {id: writes, model: scripted/a, script: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]}
  - {id: talks, model: scripted/b, script: [{say: Done.}]}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

function openTable() {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "words.yaml"), TABLE);
  writeFileSync(join(directory.path, "words.csv"), "id,word,lang\none,un,fr\ntwo,zwei,de\nthree,drei,de\n");
  const run = (args: string) => abeval(["run", ...args.split(" "), "--sandbox", "none"], { cwd: directory.path });
  return { ...directory, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

test("a table is run as a series of its rows, and reports name them", async () => {
  using table = openTable();
  const { stdout, stderr, status } = await table.run(
    "words.yaml --parallel 2 --junit junit.xml --markdown report.md --state-dir state",
  );
  expect(status, stderr).toBe(0);
  const series: Series = JSON.parse(stdout);
  expect(series.plan?.scenarios.map(({ scenario, input }) => `${scenario} ${input}`)).toEqual([
    "words one",
    "words two",
    "words three",
  ]);
  expect(series.trials.map(({ input, round }) => `${input} ${round}`)).toEqual(["one 1", "two 1", "three 1"]);
  expect(series.counts.wins).toBe(3);
  expect(series.statement).toContain("these 3 rows of words");
  expect(new Set(series.scenarios.map(({ comparison }) => comparison)).size).toBe(3);
  expect(await Bun.file(join(table.path, "junit.xml")).text()).toContain('<testsuite name="abeval words[two]"');
  expect(await Bun.file(join(table.path, "report.md")).text()).toContain("words&#91;three&#93;");
  const more = await table.run(`words.yaml --trials 2 --continue ${series.series_id} --state-dir state`);
  expect((JSON.parse(more.stdout) as Series).trials).toHaveLength(6);
});

test("--input runs one row", async () => {
  using table = openTable();
  const { stdout, stderr, status } = await table.run("words.yaml --input two");
  expect(status, stderr).toBe(0);
  expect((JSON.parse(stdout) as Verdict).winner).toBe("writes");
  const wrong = await table.run("words.yaml --input tow");
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain('has no input "tow"; did you mean "two"?');
});

test("a table that fills an arm has one arm in all rows, and says once what `varies` lacks", async () => {
  using table = openTable();
  const arms = "{id: writes, model: scripted/a, system_prompt: 'Write {{word}}.',";
  writeFileSync(
    join(table.path, "words.yaml"),
    TABLE.replace("{id: writes, model: scripted/a,", arms).replace("inputs_file", "varies: [tools]\ninputs_file"),
  );
  const { stdout, stderr } = await table.run("words.yaml --trials 2");
  const { plan, flags }: Series = JSON.parse(stdout);
  expect([plan?.arms_differ, flags.includes("arms_differ")]).toEqual([false, false]);
  expect(stderr.split("which `varies` does not declare")).toHaveLength(2);
});

test("--check says of one row that it is filled in", async () => {
  using table = openTable();
  writeFileSync(join(table.path, "words.csv"), "id,word\none,un\n");
  expect((await table.run("--check words.yaml --json")).stdout).toContain("1 row is filled in; tried here: one");
});

test("--check fills every row, tries three, and warns of columns that nothing uses", async () => {
  using table = openTable();
  writeFileSync(
    join(table.path, "words.csv"),
    `id,word,lang\none,un,fr\ntwo,${"zwei".repeat(40)},de\nthree,drei,de\nfour,vier,de\n`,
  );
  const { stdout } = await table.run("--check words.yaml --json");
  const [report]: { checks: { id: string; status: string; title: string; detail: string }[] }[] = JSON.parse(stdout);
  const inputs = report?.checks.filter(({ id }) => id === "inputs") ?? [];
  expect(inputs[0]?.detail).toStartWith("4 rows are filled in; tried here: one, two, three");
  expect(inputs[1]).toMatchObject({ status: "warn", detail: expect.stringContaining("nothing uses the column lang") });
  const titles = report?.checks.map(({ title }) => title) ?? [];
  expect(titles.filter((title) => title.startsWith("Scenario file"))).toEqual(["Scenario file [one, two, three]"]);
  // Their prompts differ in length, which is worth no second line.
  const budget = report?.checks.filter(({ title }) => title.startsWith("Budget of turns")) ?? [];
  expect(budget).toMatchObject([{ status: "pass", detail: expect.stringMatching(/about \d+ \(in one\)$/) }]);
});

test("rows that ask the same are named by --check with the line to write, and flagged until they are one cluster", async () => {
  using table = openTable();
  writeFileSync(join(table.path, "words.csv"), "id,word,lang\none,un,fr\ntwo,zwei,de\nthree,zwei,de\n");
  const { stdout } = await table.run("--check words.yaml --json");
  const [report]: { checks: { id: string; status: string; detail: string; hint: string }[] }[] = JSON.parse(stdout);
  expect(report?.checks).toContainEqual(
    expect.objectContaining({
      ...{ id: "inputs", status: "warn", detail: "1 row asks what a row before asks: three" },
      hint: "remove such rows, or write `cluster: word` to count them as one",
    }),
  );
  const flagged = async (args: string) => {
    const { stdout: series, stderr, status } = await table.run(`words.yaml --quiet${args}`);
    expect(status, stderr).toBe(0);
    return (JSON.parse(series) as Series).flags.includes("rows_repeat");
  };
  expect([await flagged(""), await flagged(" --cluster word")]).toEqual([true, false]);
});

test("--by groups the rows by a column, in the series and in what people read", async () => {
  using table = openTable();
  const { stdout, stderr, status } = await table.run("words.yaml --by lang --markdown report.md --html report.html");
  expect(status, stderr).toBe(0);
  const series: Series = JSON.parse(stdout);
  expect(series.groups?.map(({ field, value, counts, win_rate }) => [field, value, counts.rows, win_rate])).toEqual([
    ["lang", "fr", 1, 1],
    ["lang", "de", 2, 1],
  ]);
  expect(series.groups?.[1]).toMatchObject({ counts: { trials: 2, wins: 2, ties: 0, losses: 0 }, high: 1 });
  expect(stderr).toContain("by lang:");
  const [markdown, html] = await Promise.all(
    ["md", "html"].map((kind) => Bun.file(join(table.path, `report.${kind}`)).text()),
  );
  expect(markdown).toContain("| lang | rows |");
  expect(html).toContain("<h2>By lang</h2>");
  for (const text of [stderr, markdown, html]) expect(text).toContain("Groups describe; no claim is made of one");
  const wrong = await table.run("words.yaml --by lagn");
  expect([wrong.status, wrong.stdout]).toEqual([2, ""]);
  expect(wrong.stderr).toContain('there is no column "lagn"; did you mean "lang"? The columns are id, word, lang');
  const unique = await table.run("words.yaml --by word");
  expect(unique.stderr).toContain('column "word" cannot group the rows');
  expect(unique.stderr).toContain("columns that can group the rows: lang");
  expect((await table.run("words.yaml --by id")).stderr).toContain('column "id" cannot group the rows');
});
