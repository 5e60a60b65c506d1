import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { Value } from "@sinclair/typebox/value";
import { type DoctorCheck, DoctorReport } from "../../src/domain/doctor-report.ts";
import { doctorText } from "../../src/doors/cli/terminal/doctor-text.ts";
import { abeval, scenarioFile } from "../abeval.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

const scenario = (name: string, task: Record<string, unknown> = {}) =>
  JSON.stringify({
    name,
    task: { prompt: "Say hello in hello.txt.", ...task },
    arms: [
      { id: "a", model: "scripted/a", system_prompt: "A", script: [{ say: "hi" }] },
      { id: "b", model: "scripted/b", system_prompt: "B", script: [{ say: "hi" }] },
    ],
    rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
  });

const check = (...args: string[]) => abeval(["run", "--check", ...args, "--sandbox", "none"]);

test("a sound scenario is ready: exit 0, and nothing is written beside it", async () => {
  await using folder = await scenarioFolder({
    "good.yaml": scenario("good", { probe: { checks: ["test -f hello.txt"] } }),
  });
  const { status, stdout, stderr } = await check(folder.path("good.yaml"));
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("This machine\n  ok    Version: ");
  expect(stdout).toContain("  ok    A check fails on the untouched fixture: 1 of 1 fail on the untouched fixture\n");
  expect(stdout).toMatch(/good\.yaml: ready/);
  expect(readdirSync(folder.directory)).toEqual(["good.yaml"]);
});

test("checks without anything to look at share one line, and stand in the JSON each", async () => {
  await using folder = await scenarioFolder({ "good.yaml": scenario("good") });
  const { stdout } = await check(folder.path("good.yaml"));
  const idle = stdout.split("\n").filter((line) => /no arm|scenario has no|there is no setup/.test(line));
  // Each row joins with its own clause; a new check joins without a word here.
  const told =
    /^ {2}- {5}Not applicable: (?=.*no arm has MCP servers;)(?=.*the scenario has no hidden checks;)[^:]*there is no setup/;
  expect(idle).toEqual([expect.stringMatching(told)]);
  const [report] = JSON.parse((await check(folder.path("good.yaml"), "--json")).stdout);
  const alike = report.checks.filter(({ detail }: DoctorCheck) => detail === "no arm is an external agent");
  expect(alike.length).toBeGreaterThan(1);
});

test("a judge that a run would refuse has no estimate", async () => {
  await using folder = await scenarioFolder({ "good.yaml": scenario("good") });
  const { status, stdout } = await check(folder.path("good.yaml"), "--judge-model", "builtin/nobody", "--trials", "9");
  expect(status).toBe(2);
  expect(stdout).toContain('FAIL  Model of the judge: judge: there is no "builtin/nobody"');
  expect(stdout).not.toMatch(/A run of it|9 trials/);
});

test("a check that fails shows its output, without what would steer a terminal: exit 2", async () => {
  const run = "printf 'wrong \\033[31mred\\033[0m'; exit 3";
  await using folder = await scenarioFolder({
    "bad.yaml": scenario("bad", { probe: { checks: [{ id: "greets", run, before: "pass" }] } }),
  });
  const { status, stdout } = await check(folder.path("bad.yaml"));
  expect(status).toBe(2);
  expect(stdout).toContain(
    "  FAIL  Checks match `before` on the untouched fixture: greets should pass: exit code 3, expected 0; it printed: wrong [31mred[0m\n        -> correct `before`",
  );
  expect(stdout).toMatch(/bad\.yaml: not ready; 1 failed/);
  expect(stdout).not.toContain("\x1b");
});

test("--trials says what a series is likely to find", async () => {
  await using folder = await scenarioFolder({ "good.yaml": scenario("good") });
  const text = await check(folder.path("good.yaml"), "--trials", "30");
  expect(text.stdout.replaceAll(/\s+/g, " ")).toContain("30 trials find an arm that wins 7 of 10 in 28% of series");
  const one = await check(folder.path("good.yaml"), "--trials", "1");
  expect(one.stdout.replaceAll(/\s+/g, " ")).toContain(" 1 trial finds an arm that wins 7 of 10 in 0% of series");
  expect(text.stdout.replaceAll(/\s+/g, " ")).toMatch(
    / The control is \w+\. A candidate that .* passes the gate in \d+% of series\./,
  );
  const { stdout } = await check(folder.path("good.yaml"), "--trials", "30", "--json");
  expect(JSON.parse(stdout)[0].estimate.series).toMatchObject({ trials: 30, low_usd: 0, high_usd: 0 });
});

test("--trials counts the rows of a table, and all files as one series", async () => {
  const inputs = ["ann", "bob", "cy"].map((name) => ({ id: name, name }));
  const table = { ...JSON.parse(scenario("table", { prompt: "Say hello {{name}} in hello.txt." })), inputs };
  await using folder = await scenarioFolder({ "one.yaml": scenario("one"), "table.yaml": JSON.stringify(table) });
  const args = [folder.path("one.yaml"), folder.path("table.yaml"), "--trials", "5"];
  const text = (await check(...args)).stdout.replaceAll(/\s+/g, " ");
  expect(text.match(/20 trials \(5 trials of each of 4 tasks\) find an arm/g)).toHaveLength(1);
  const reports = JSON.parse((await check(...args, "--json")).stdout);
  for (const { estimate } of reports) expect(estimate.series).toMatchObject({ trials: 20, members: 4, likely_usd: 0 });
  expect(reports[1].estimate.rows).toBe(3);
});

test("rows of a cluster count once in the chances, and each in the cost, by the file or by --cluster", async () => {
  const inputs = ["ann", "Ann ", "bob", "cy"].map((name, row) => ({ id: `r${row}`, name, who: "x" }));
  const table = { ...JSON.parse(scenario("table", { prompt: "Say hello {{name}} {{who}} in hello.txt." })), inputs };
  await using folder = await scenarioFolder({
    "asked.yaml": JSON.stringify({ ...table, name: "asked", cluster: "name" }),
    "table.yaml": JSON.stringify(table),
    "rows.yaml": JSON.stringify({ ...table, name: "rows", inputs: inputs.slice(1) }),
  });
  const estimated = async (name: string, ...flags: string[]) =>
    JSON.parse((await check(folder.path(name), "--trials", "10", "--json", ...flags)).stdout)[0].estimate.series;
  const [alone, asked] = [await estimated("asked.yaml"), await estimated("table.yaml", "--cluster", "name")];
  const three = await estimated("rows.yaml");
  expect(alone).toEqual(asked);
  expect(alone).toMatchObject({ trials: 40, members: 4, clusters: 3, chances: three.chances });
  expect(alone.chance_equal_passes).toBe(three.chance_equal_passes);
  expect(await estimated("table.yaml")).not.toHaveProperty("clusters");
  const { stdout } = await check(folder.path("asked.yaml"), "--trials", "10");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "40 trials (10 trials of each of 4 tasks, in 3 clusters that each count once in a round) find",
  );
  for (const [column, said] of [
    ["nam", 'cluster (--cluster): there is no column "nam"; did you mean "name"?'],
    ["who", "cluster (--cluster): every row has the same"],
  ] as const) {
    const refused = await check(folder.path("table.yaml"), "--trials", "10", "--cluster", column);
    expect([refused.status, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain(said);
  }
});

test("--check takes the measure, the points and the control that a run would be asked for", async () => {
  await using folder = await scenarioFolder({ "good.yaml": scenario("good") });
  const of = async (...flags: string[]) => await check(folder.path("good.yaml"), "--trials", "50", ...flags);
  const { stdout } = await of("--not-worse-by", "40", "--control", "b");
  const said = stdout.replaceAll(/\s+/g, " ");
  expect(said).toMatch(/ The control is b\. A candidate that .* passes a gate of 40 points in \d+% of series\./);
  const usual = JSON.parse((await of("--json")).stdout)[0].estimate.series;
  const wider = JSON.parse((await of("--json", "--not-worse-by", "40")).stdout)[0].estimate.series;
  expect(wider.chance_equal_passes).toBeGreaterThan(usual.chance_equal_passes);
  for (const [flags, message] of [
    [["--measure", "solved"], "good.yaml has no required check"],
    [["--control", "c"], 'control: there is no arm "c"'],
    [["--not-worse-by", "90"], "--not-worse-by: expected points from 1 to 50"],
  ] as const) {
    const refused = await of(...flags);
    expect([refused.status, refused.stderr.includes(message)]).toEqual([2, true]);
  }
});

test("--json is a list with a report for each file, in their order, a broken one among them", async () => {
  await using folder = await scenarioFolder({ "one.yaml": scenario("one"), "two.yaml": "name: [two\n" });
  const { status, stdout } = await check(folder.path("one.yaml"), folder.path("two.yaml"), "--json");
  const reports: unknown = JSON.parse(stdout);
  if (!Array.isArray(reports)) throw new Error("no list");
  expect(reports.every((report) => Value.Check(DoctorReport, report))).toBe(true);
  expect(reports.map(({ scenario: name, ok }) => [name, ok])).toEqual([
    ["one", true],
    ["two", false],
  ]);
  expect(status).toBe(2);
});

test("of a file that is not valid only the mistake is told; of several files, how many are ready", async () => {
  await using folder = await scenarioFolder({
    "one.yaml": scenario("one"),
    "two.yaml": scenario("two", { promt: "x" }),
    "six.yaml": scenario("six"),
  });
  const files = ["one.yaml", "two.yaml", "six.yaml"].map(folder.path);
  const { status, stdout } = await check(...files);
  expect(status).toBe(2);
  const [, section = ""] = /two\.yaml\n(.*?)\n\n/s.exec(stdout) ?? [];
  expect(section.split("\n")).toEqual([
    expect.stringMatching(/^ {2}FAIL {2}Scenario file: .*did you mean "prompt"/),
    "        -> fix this first; the other checks need a valid file",
    expect.stringMatching(/two\.yaml: not ready; 1 failed$/),
  ]);
  expect(stdout).toEndWith("\n\n2 of 3 ready\n");
});

test("on a terminal words are kept whole, and what goes on stands below what it belongs to", () => {
  const row = { id: "x", scope: "scenario", title: "Words are kept", duration_ms: 0 } as const;
  const report = {
    ok: true,
    scenario: "small",
    checks: [
      { ...row, status: "warn", detail: "the detail is longer than a line", hint: "shorten the whole detail a bit" },
      { ...row, status: "fail", detail: "one\nthe second is longer than a line", hint: null },
    ] satisfies DoctorCheck[],
    estimate: null,
  };
  expect(doctorText([{ file: "small.yaml", report }], 32)).toEndWith(`
small.yaml
  warn  Words are kept: the
        detail is longer than a
        line
        -> shorten the whole
           detail a bit
  FAIL  Words are kept
        one
        the second is longer
        than a line
small.yaml: ready; 1 failed, 1 to look at
`);
});

test("--model and --judge-model are checked in place of the file's, as a run would have them", async () => {
  await using folder = await scenarioFolder({
    "one.yaml": JSON.stringify({ ...JSON.parse(scenario("one")), varies: ["system_prompt"] }),
    "prices.yaml": "openai/x: {in: 1, out: 1}\nmistral/y: {in: 1, out: 1}\n",
  });
  const args = ["run", "--check", folder.path("one.yaml"), "--sandbox", "none", "--prices", folder.path("prices.yaml")];
  const plain = await abeval(args);
  expect(plain.stdout).toContain("ok    Models of the arms: a: scripted/a, b: scripted/b\n");
  expect(plain.stdout).toContain("A run of it spends nothing.");
  const models = ["--model", "openai/x", "--judge-model", "mistral/y"];
  const { status, stdout } = await abeval([...args, ...models], { env: { MISTRAL_API_KEY: "0123456789abcdef" } });
  expect(status).toBe(0);
  expect(stdout).toContain('  warn  Models of the arms\n        a: model "openai/x" needs a key: set OPENAI_API_KEY');
  expect(stdout).toContain("  ok    Model of the judge: mistral/y\n");
  expect(stdout).toMatch(/A run of it is likely to cost about [\d.]+ USD, and at most [\d.]+ USD \(.* tokens\)/);
});

test("--model that no provider has is a check that failed", async () => {
  const { status, stdout } = await check(scenarioFile("log-triage"), "--model", "openia/x");
  expect(status).toBe(2);
  expect(stdout).toContain('unknown provider "openia"; did you mean "openai"?');
});

test("a file that is missing is a check that failed", async () => {
  const { status, stdout } = await check("nowhere.yaml");
  expect(status).toBe(2);
  expect(stdout).toContain("FAIL  Scenario file: nowhere.yaml: the file does not exist");
});

test.each([
  [["run", "--check", scenarioFile("log-triage"), "--out", "x.json"], /--out does not go with --check/],
  [
    ["run", "--check", scenarioFile("log-triage"), "--control", "a"],
    /--control says how --check estimates a series: give --trials, too/,
  ],
  [["run", "--check"], /missing <scenario_file>/],
  [["doctor"], /unknown command "doctor"; to check a scenario: abeval check <file>/],
])("abeval %p is refused", async (args, said) => {
  const { status, stdout, stderr } = await abeval(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(said);
});
