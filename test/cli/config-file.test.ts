import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
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
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory.path, name), text);
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    abeval(args, { cwd: inside, env });
  return { run, path: directory.path, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const SERIES = ["run", "greet.yaml", "--trials", "2", "--sandbox", "none"];
const seriesIn = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Series;

test("a file between the working directory and the top of the repository gives defaults, which are told; a flag is stronger", async () => {
  await using provider = await startFakeProvider({ reply: { text: "hello" } });
  using place = checkout({ "abeval.yaml": "model: gateway/small\nnot-worse-by: 20\nstate-dir: kept\n" });
  const { stderr, ...ran } = await place.run(SERIES, provider.environment);
  expect(stderr).toContain("abeval: ../abeval.yaml: --model=gateway/small --not-worse-by=20 --state-dir=../kept\n");
  expect(provider.requests.map(({ model }) => model)).toEqual(Array(4).fill("small"));
  await place.run([...SERIES, "--model", "openai/gpt-6"], provider.environment);
  expect(provider.requests.at(-1)?.model).toBe("gpt-6");
  const without = await place.run([...SERIES, "--no-config"], provider.environment);
  expect([without.stderr.includes("abeval.yaml"), provider.requests.at(-1)?.model]).toEqual([false, "gpt-5"]);
  const shown = await place.run(["show", seriesIn(ran).series_id]);
  expect([shown.status, shown.stderr]).toEqual([0, "abeval: ../abeval.yaml: --state-dir=../kept\n"]);
});

test("in CI a checkout opens no gate: what it says of judge, prices, state and gate is left out, and the file is named", async () => {
  await using provider = await startFakeProvider({ reply: { text: "hello" } });
  const text =
    "not-worse-by: 50\njudge-model: openai/kind\nprices: none.yaml\nstate-dir: forged\nmodel: openai/gpt-6\n";
  using place = checkout({ "abeval.yaml": text });
  const { stderr, ...ran } = await place.run(SERIES, { ...provider.environment, CI: "true" });
  expect(stderr).toContain("not-worse-by, judge-model, prices, state-dir: not taken in CI");
  expect(stderr).toContain("abeval: ../abeval.yaml: --model=openai/gpt-6\n");
  const { plan, judge } = seriesIn(ran);
  expect(JSON.stringify([plan, judge])).not.toMatch(/kind|"not_worse_by":0\.5/);
  expect(ran.stdout).toContain('"input":"config"');
});

test("outside of a repository only the file of the working directory counts: nobody else's directory above it does", async () => {
  using place = checkout({ "abeval.yaml": "model: nobody\n" }, false);
  expect((await place.run(["check", "greet.yaml"])).stderr).not.toContain("abeval.yaml");
});

test("servers never read it, and a directory does not list it as a scenario", async () => {
  using place = checkout({ "abeval.yaml": "scenarios-dir: /nowhere\n" });
  writeFileSync(join(place.path, "evals", "abeval.yaml"), "modle: x\n");
  const { stdout } = await place.run(["check", ".", "--no-config", "--json"], { OPENAI_API_KEY: "sk-x" });
  expect((JSON.parse(stdout) as { readonly scenario: string }[]).map(({ scenario }) => scenario)).toEqual(["greet"]);
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
