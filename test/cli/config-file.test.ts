import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import { abeval } from "../abeval.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";

const SCENARIO = `name: greet
task: {prompt: Greet., deliverable: answer, probe: {checks: [{answer_contains: hello, required: true}]}}
arms:
  - {id: a, model: openai/gpt-5, tools: [], system_prompt: A.}
  - {id: b, model: openai/gpt-5, tools: [], system_prompt: B.}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

/** A repository with a scenario in a directory of it, and files as given. */
function checkout(files: Readonly<Record<string, string>>, git = true) {
  const directory = temporaryDirectory();
  const inside = join(directory.path, "evals");
  mkdirSync(inside);
  if (git) mkdirSync(join(directory.path, ".git"));
  writeFileSync(join(inside, "greet.yaml"), SCENARIO);
  writeFileSync(join(inside, "played.yaml"), PLAYED);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory.path, name), text);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    abeval(args, { cwd: inside, env });
  return { run, path: directory.path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** The same with arms that play scripts, so that nobody is asked. */
const PLAYED = SCENARIO.replace("name: greet", "name: played")
  .replaceAll("openai/gpt-5", "scripted/x")
  .replaceAll("tools: [],", "tools: [], script: [{say: hello}],");

const TRIALS = ["run", "played.yaml", "--trials", "2", "--sandbox", "none"];
const SERIES = ["run", "greet.yaml", "--trials", "2", "--sandbox", "none"];
const seriesIn = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Series;

test("a file between the working directory and the top of the repository gives defaults, which are told; a flag is stronger", async () => {
  using place = checkout({ "abeval.yaml": "not-worse-by: 20\nstate-dir: kept\n" });
  const { stderr, ...ran } = await place.run(TRIALS);
  expect(stderr).toContain("abeval: ../abeval.yaml: not-worse-by 20, state-dir ../kept\n");
  expect(seriesIn(ran).plan?.not_worse_by).toBe(0.2);
  expect(seriesIn(await place.run([...TRIALS, "--not-worse-by", "30"])).plan?.not_worse_by).toBe(0.3);
  const without = await place.run([...TRIALS, "--no-config"]);
  expect([without.stderr.includes("abeval.yaml"), seriesIn(without).plan?.not_worse_by]).toEqual([false, undefined]);
  const shown = await place.run(["show", seriesIn(ran).series_id]);
  expect([shown.status, shown.stderr]).toEqual([0, "abeval: ../abeval.yaml: state-dir ../kept\n"]);
});

test.each([
  [["run", "played.yaml", "--sandbox", "none"], 0],
  [["run", "played.yaml", "--sandbox", "none", "--single"], 0],
  [["run", "--check", "played.yaml"], 0],
  [["check", "played.yaml"], 0],
  [["run", "--new", "x.yaml", "--from", "HEAD"], /git repository/],
  [["results", "../table.csv", "--arms", "old,new"], 0],
  [["show", "series-1", "--database-url", "postgres://nobody@127.0.0.1:1/x"], /cannot be reached/],
  [["new", "x.yaml", "--models", "openai/gpt-5", "openai/gpt-6", "--rows", "../q.csv", "--lacks", "no"], 0],
] as const)("a default says nothing where its flag would not go: %j", async (args, expected) => {
  const text = "not-worse-by: 10\nstate-dir: kept\nmodel: openai/gpt-5\nscenarios-dir: evals\n";
  const table = "scenario,trial,arm,passed\na,1,old,true\na,1,new,false\n";
  using place = checkout({ "abeval.yaml": text, "table.csv": table, "q.csv": "question\nWhere?\nWhen?\n" });
  const { status, stderr } = await place.run(args);
  if (expected === 0) expect([status, stderr]).toEqual([0, expect.not.stringContaining("--help")]);
  else expect(stderr).toMatch(expected);
  expect(stderr).not.toMatch(/needs more than one run|goes with|two places/);
});

test("a model of the file is for new scenarios: a scenario compares the models that it names; its judge is weaker than a scenario's", async () => {
  await using provider = await startFakeProvider({ reply: { text: "hello" } });
  using place = checkout({
    "abeval.yaml": "model: gateway/small\njudge-model: gateway/judge\n",
    "a.md": "{{q}}",
    "b.md": "{{q}}!",
  });
  writeFileSync(join(place.path, "q.csv"), "q\nWhere?\nWhen?\n");
  await place.run(SERIES, provider.environment);
  expect(new Set(provider.requests.map(({ model }) => model))).toEqual(new Set(["gpt-5"]));
  const made = ["new", "x.yaml", "--prompts", "../a.md", "../b.md", "--rows", "../q.csv", "--lacks", "no"];
  expect((await place.run(made, provider.environment)).status).toBe(0);
  expect(readFileSync(join(place.path, "evals", "x.yaml"), "utf8")).toContain("model: gateway/small");
  const asked = SCENARIO.replace(
    "criteria: [{measure: probe_score}], judge: {model: builtin/evidence}",
    "criteria: [Is it kind?]",
  );
  writeFileSync(join(place.path, "evals", "asked.yaml"), asked.replace("name: greet", "name: asked"));
  await place.run(["run", "asked.yaml", "--sandbox", "none"], provider.environment);
  expect(provider.requests.at(-1)?.model).toBe("judge");
});

const GATE = "not-worse-by: 50\njudge-model: openai/kind\nprices: none.yaml\nstate-dir: forged\nscenarios-dir: evals\n";

test("a database of the environment is stronger than a directory of the file", async () => {
  using place = checkout({ "abeval.yaml": "state-dir: kept\n" });
  const { stderr } = await place.run(["show", "series-1"], { ABEVAL_DATABASE_URL: "postgres://nobody@127.0.0.1:1/x" });
  expect(stderr).toMatch(/^abeval: [^\n]*cannot be reached[^\n]*\n$/);
});

test.each([
  ["in CI", true, [], { CI: "true" }],
  ["in CI without a repository", false, [], { CI: "true" }],
  ["where --base names a change", true, ["--base", "HEAD"], {}],
] as const)(
  "%s a checkout opens no gate: what it says of judge, prices, state and gate is left out",
  async (_, git, flags, env) => {
    using place = checkout({}, git);
    const here = git ? place.path : join(place.path, "evals");
    writeFileSync(join(here, "abeval.yaml"), GATE);
    const { stderr, ...ran } = await place.run([...TRIALS, ...flags], env);
    expect(stderr).toContain("not-worse-by, judge-model, prices, state-dir: not taken in CI or with --base");
    if (ran.stdout === "")
      expect(stderr).toContain("--base HEAD"); // no repository of git's own
    else expect(JSON.stringify(seriesIn(ran).plan)).not.toMatch(/kind|"not_worse_by":0\.5/);
  },
);

test("outside of a repository only the file of the working directory counts: nobody else's directory above it does", async () => {
  using place = checkout({ "abeval.yaml": "model: nobody\n" }, false);
  expect((await place.run(["check", "greet.yaml"])).stderr).not.toContain("abeval.yaml");
});

test("servers never read it, and a directory does not list it as a scenario", async () => {
  using place = checkout({ "abeval.yaml": "scenarios-dir: /nowhere\n" });
  writeFileSync(join(place.path, "evals", "abeval.yaml"), "modle: x\n");
  const { stdout } = await place.run(["check", ".", "--no-config", "--json"], { OPENAI_API_KEY: "sk-x" });
  expect((JSON.parse(stdout) as { readonly scenario: string }[]).map(({ scenario }) => scenario)).toEqual([
    "greet",
    "played",
  ]);
  expect((await place.run(["serve", "--help"])).stdout).not.toContain("no-config");
  expect((await place.run(["mcp", "--help"])).stdout).not.toContain("no-config");
});

test.each([
  ["modle: x\n", /abeval\.yaml: does not take "modle"; did you mean "model"\?/],
  ["not-worse-by: 99\n", /--not-worse-by: expected points from 1 to 50/],
  ["model: [a]\n", /model: expected a text or a number/],
  ["model: {\n", /not valid YAML/],
  ["a: &a [1]\nmodel: *a\n", /not valid YAML/],
  ["env-file: .env\n", /does not take "env-file"/],
  ["- model\n", /expected lines such as/],
  ["model=openai/x\n", /expected lines such as/],
  [`model: ${"x".repeat(70_000)}\n`, /more than 64 KiB/],
])("a file that says what it may not is refused by name: %#", async (text, why) => {
  using place = checkout({ "abeval.yaml": text });
  const { status, stderr } = await place.run(SERIES);
  expect([status, stderr]).toEqual([2, expect.stringMatching(why)]);
});

test("--env-file gives keys and addresses; the environment is stronger, and no key of it goes where a file says", async () => {
  await using provider = await startFakeProvider({ reply: { text: "hello" } });
  const lines = [
    `OPENAI_API_KEY=${FAKE_KEY}`,
    `OPENAI_BASE_URL=${provider.url}/v1`,
    "PATH=/nowhere",
    "NODE_OPTIONS=--x",
  ];
  using place = checkout({ "keys.env": lines.join("\n"), "address.env": `OPENAI_BASE_URL=${provider.url}/v1` });
  const named = (file: string) => [...SERIES, "--env-file", `../${file}`];
  const { stderr, ...ran } = await place.run(named("keys.env"));
  expect(stderr).toContain("abeval: ../keys.env: OPENAI_API_KEY, OPENAI_BASE_URL\n");
  expect(stderr + ran.stdout).not.toContain(FAKE_KEY);
  expect(seriesIn(ran).counts).toMatchObject({ trials: 2 });
  const asked = provider.requests.length;
  for (const [file, env] of [
    ["address.env", { OPENAI_API_KEY: "real-key-5d3c9a7e1b2f" }],
    ["keys.env", { OPENAI_API_KEY: "real-key-5d3c9a7e1b2f", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }],
  ] as const) {
    const led = await place.run([...named(file), "--max-cost", "0.000001"], {
      ...env,
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    });
    expect(led.stderr).toContain("not taken: OPENAI_");
  }
  expect(provider.requests).toHaveLength(asked);
  expect((await place.run(named("gone.env"))).stderr).toContain("--env-file ../gone.env: does not exist");
});

test.each([
  [{ STUB_API_KEY: "dummy", STUB_BASE_URL: "https://evil.example" }, { STUB_HEADERS: "authorization: Bearer real" }],
  [
    { OPENAI_ANTHROPIC_API_KEY: "dummy", OPENAI_ANTHROPIC_BASE_URL: "https://evil.example" },
    { OPENAI_API_KEY: "real" },
  ],
  [{ OPENAI_API_KEY: "dummy", OPENAI_ANTHROPIC_BASE_URL: "https://evil.example" }, { OPENAI_API_KEY: "real" }],
  [{ OPENAI_BASE_URL: "https://evil.example", OPENAI_HEADERS: "x: y" }, {}],
])("no secret of the environment goes to an address of the file: %j", async (file, env) => {
  const text = Object.entries(file).map(([name, value]) => `${name}=${value}`);
  using place = checkout({ "keys.env": text.join("\n") });
  const { stderr } = await place.run(["check", "greet.yaml", "--env-file", "../keys.env"], env);
  expect(stderr).toMatch(/not taken: .*(BASE_URL|HEADERS)/);
  expect(stderr).not.toMatch(/keys\.env: [^n].*BASE_URL/);
});

test("in CI a file of a checkout says neither who judges, nor where, nor what commands may do", async () => {
  const text =
    "ABEVAL_SANDBOX=none\nABEVAL_JUDGE_MODEL=openai/kind\nOPENAI_API_KEY=k-1234567890\nOPENAI_BASE_URL=https://evil.example\n";
  using place = checkout({ "keys.env": text });
  const { stderr } = await place.run(["check", "greet.yaml", "--env-file", "../keys.env"], { CI: "1" });
  expect(stderr).toContain("not taken in CI or with --base: ABEVAL_SANDBOX, ABEVAL_JUDGE_MODEL, OPENAI_BASE_URL;");
  expect(stderr).toContain("abeval: ../keys.env: OPENAI_API_KEY\n");
});
