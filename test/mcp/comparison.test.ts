import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonText } from "../../src/comparison/scenario/make-scenario.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";
import { connectProgram } from "./client.ts";

/** The polite prompt finds the parcel; the other one says nothing of it. */
const answered = ({ body }: { readonly body: unknown }) => ({
  text: JSON.stringify(body).includes("politely") ? "Your parcel is on its way." : "No idea.",
});

const TONE = {
  name: "tone",
  prompts: { plain: "{{ticket}}", polite: "Answer politely: {{ticket}}" },
  rows: [
    { ticket: "Where is it?", wanted: "parcel" },
    { ticket: "Has it left?", wanted: "parcel" },
  ],
  checks: [{ answer_contains: "{{wanted}}", ignore_case: true }],
  model: "openai/gpt-5",
};

async function empty() {
  const provider = await startFakeProvider({ reply: answered });
  const directory = temporaryDirectory();
  const scenarios = join(directory.path, "scenarios");
  const args = ["mcp", "--scenarios-dir", scenarios, "--state-dir", join(directory.path, "state")];
  const server = await connectProgram(args, provider.environment);
  const made = () => (existsSync(scenarios) ? readdirSync(scenarios) : []);
  const dispose = async () => {
    await server[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    directory[Symbol.dispose]();
  };
  return { server, scenarios, made, [Symbol.asyncDispose]: dispose };
}

test("an agent on an empty directory compares two prompts: it is told how, and gets the answer", async () => {
  await using place = await empty();
  const { server, scenarios, made } = place;
  const { text: begin } = await server.call("list_scenarios");
  expect(begin).toContain('run_scenario with comparison, as {"name":"tone"');
  const first = await server.call("run_scenario", { comparison: { ...TONE, trials: 4 }, wait_seconds: 50 });
  expect([first.isError, first.data.finished]).toEqual([false, true]);
  expect(first.text).toStartWith("The comparison is the scenario mcp-tone (");
  expect(first.data.series).toMatchObject({ arms: ["plain", "polite"], standing: { wins: 0, losses: 8 } });
  expect(first.text).toContain("polite solved 8 of 8, plain 0 of 8: 100 points more");
  expect(made()).toEqual(["mcp-tone.yaml"]);
  expect(readFileSync(join(scenarios, "mcp-tone.yaml"), "utf8")).toContain('prompt: "Answer politely: {{ticket}}"');
  const again = await server.call("run_scenario", { scenario: "mcp-tone", trials: 1, wait_seconds: 50 });
  expect(again.data.finished).toBe(true);
});

test.each([
  [{ ...TONE, model: undefined }, /model: which model is asked/],
  [{ ...TONE, checks: undefined }, /question: nothing says which answer is better/],
  [{ ...TONE, prompts: { plain: "Hi" } }, /prompts: 2 to 8 are compared, and one is given/],
  [{ ...TONE, rows: [{ ticket: "Where?" }] }, /\{\{wanted\}\} names no column/],
  [{ ...TONE, rows: undefined }, /rows: \{\{ticket\}\} names a column, and there are no rows/],
  [{ ...TONE, checks: [{ run: "touch /tmp/x" }] }, /checks\[0\]\.run: a comparison has checks of answers alone/],
  [{ ...TONE, name: "../tone" }, /name/],
  [{ ...TONE, prompts: { "../a": "{{ticket}}", b: "{{ticket}}!" } }, /arms/],
  [{ ...TONE, models: { a: "openai/gpt-5", b: "openai/gpt-6" } }, /goes with one prompt/],
  [{ ...TONE, prompts: { 1: "{{ticket}}", polite: "Please: {{ticket}}" } }, /"1" is a number; give the arm a name/],
  [
    { ...TONE, prompts: { plain: "Hi.", polite: "Please." }, rows: [{ id: "a", wanted: "x" }] },
    /no prompt says which column/,
  ],
  [{ ...TONE, prompts: { plain: "x".repeat(300_000), polite: "y" } }, /more than 256 KiB/],
  [{ ...TONE, model: "nobody/gpt" }, /needs|key|address|provider/],
])("a comparison that cannot be is refused, and nothing is written: %#", async (comparison, why) => {
  await using place = await empty();
  const { text, isError } = await place.server.call("run_scenario", { comparison });
  expect([isError, text]).toEqual([true, expect.stringMatching(why)]);
  expect(place.made()).toEqual([]);
});

test("nothing is overwritten: the same comparison is the same file, another one needs another name", async () => {
  await using place = await empty();
  const { server, scenarios, made } = place;
  await server.call("run_scenario", { comparison: TONE, wait_seconds: 50 });
  const text = readFileSync(join(scenarios, "mcp-tone.yaml"), "utf8");
  expect((await server.call("run_scenario", { comparison: TONE, wait_seconds: 50 })).isError).toBe(false);
  const other = await server.call("run_scenario", { comparison: { ...TONE, model: "openai/gpt-6" } });
  expect([other.isError, other.text]).toEqual([true, expect.stringContaining("choose another name")]);
  expect([made(), readFileSync(join(scenarios, "mcp-tone.yaml"), "utf8")]).toEqual([["mcp-tone.yaml"], text]);
});

test("a name of a directory that is there is taken, and the directory stays", async () => {
  await using place = await empty();
  mkdirSync(join(place.scenarios, "mcp-tone"), { recursive: true });
  writeFileSync(join(place.scenarios, "mcp-tone", "precious.txt"), "mine");
  symlinkSync("gone.yaml", join(place.scenarios, "mcp-other.yaml"));
  const asked = ["gpt-5", "gpt-6", "gpt-7"].map((model) =>
    place.server.call("run_scenario", { comparison: { ...TONE, model: `openai/${model}` } }),
  );
  for (const { isError, text } of await Promise.all(asked))
    expect([isError, text]).toEqual([true, expect.stringContaining("choose another name")]);
  expect(readFileSync(join(place.scenarios, "mcp-tone", "precious.txt"), "utf8")).toBe("mine");
  const other = await place.server.call("run_scenario", { comparison: { ...TONE, name: "third" }, wait_seconds: 50 });
  expect(other.isError).toBe(false);
});

test.each([
  [{ input: "1" }, /leave input out/],
  [{ single: true }, /leave single out/],
  [{ scenario: "mcp-tone" }, /leave scenario out/],
  [{ trials: 5, comparison: { ...TONE, trials: 3 } }, /comparison\.trials/],
])("what does not go with a comparison is refused before it is written: %j", async (more, why) => {
  await using place = await empty();
  const { isError, text } = await place.server.call("run_scenario", { comparison: TONE, ...more });
  expect([isError, text, place.made()]).toEqual([true, expect.stringMatching(why), []]);
});

test("many columns and many names in prompts are no product", async () => {
  const columns = Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`c${index}`, ""]));
  const text = "{{c99999z}}".repeat(3_000);
  const started = performance.now();
  expect(() =>
    comparisonText(
      { name: "x", prompts: { a: text, b: text }, rows: [columns], checks: [{ answer_lacks: "x" }], model: "a/b" },
      null,
    ),
  ).toThrow("no prompt says which column");
  expect(performance.now() - started).toBeLessThan(2_000);
});
