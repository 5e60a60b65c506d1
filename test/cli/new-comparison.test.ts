import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contest } from "../../src/domain/contest.ts";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";

const FILES = {
  "plain.md": "{{question}}\n",
  "polite.md": "Answer politely: {{question}}\n",
  "instruction.txt": "You sell shoes.\n",
  "empty.md": "\n",
  "q.csv": 'id,question,wanted\nparcel,"Where is it, please?",parcel\nhours,When do you open?,parcel\n',
  "q.jsonl": '{"question": "Where is it?", "wanted": "parcel"}\n',
  "broken.csv": "a,a\n1,2\n",
} as const;

function shop() {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory.path, name), text);
  const before = readdirSync(directory.path).sort();
  return {
    path: directory.path,
    run: (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      abeval(args, { cwd: directory.path, env }),
    made: () =>
      readdirSync(directory.path)
        .filter((name) => !before.includes(name))
        .sort(),
    read: (name: string) => readFileSync(join(directory.path, name), "utf8"),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const PROMPTS = ["--prompts", "plain.md", "polite.md", "instruction.txt"];
const ROWS = ["--rows", "q.csv", "--contains", "wanted"];
const MODEL = ["--model", "openai/gpt-5"];

test("three prompts are compared from a terminal without an editor: the command that is told next gives the answer", async () => {
  await using provider = await startFakeProvider({
    reply: ({ body }) => ({ text: JSON.stringify(body).includes("politely") ? "Your parcel is on its way." : "No." }),
  });
  using place = shop();
  const made = await place.run(["new", "tone.yaml", ...PROMPTS, ...ROWS, ...MODEL], provider.environment);
  expect([made.status, made.stderr]).toEqual([0, ""]);
  expect(place.made()).toEqual(["tone", "tone.yaml"]);
  expect(place.read("tone/rows.csv")).toBe(FILES["q.csv"]);
  const [, command = ""] = /Next:\n +abeval (.*)\n$/.exec(made.stdout) ?? [];
  expect(command).toBe("run tone.yaml --trials 30 --stop-when-sure --state-dir .abeval");
  const ran = await place.run(command.split(" "), provider.environment);
  expect([ran.status, ran.stderr]).toEqual([0, expect.stringContaining("polite")]);
  const contest = JSON.parse(ran.stdout) as Contest;
  const solved = Object.fromEntries(contest.contest.arms.map(({ arm_id, value }) => [arm_id, value]));
  expect(solved).toEqual({ plain: 0, polite: 1, instruction: 0 });
});

test("a prompt that names no column is followed by what the row asks, and a note says so", async () => {
  using place = shop();
  await place.run(["new", "x.yaml", "--prompts", "plain.md,instruction.txt", ...ROWS, ...MODEL]);
  expect(place.read("x.yaml")).toContain("# {{question}} was put behind each prompt that named no column.");
  expect(place.read("x.yaml")).toContain("You sell shoes.\n\n      {{question}}");
});

test("models are compared on the rows, or on one prompt", async () => {
  using place = shop();
  const models = ["--models", "openai/gpt-5", "anthropic/claude-fable-5-2"];
  const question = ["--question", "Is it polite?", "--judge-model", "builtin/evidence"];
  expect((await place.run(["new", "rows.yaml", ...models, ...ROWS])).status).toBe(0);
  expect(place.read("rows.yaml")).toContain('prompt: "{{question}}"');
  const one = ["--prompts", "polite.md", "--models", "openai/gpt-5,openai/gpt-6", "--rows", "q.jsonl"];
  expect((await place.run(["new", "prompt.yaml", ...one, ...question])).stderr).toBe("");
  expect(place.read("prompt.yaml")).toContain('prompt: "Answer politely: {{question}}"');
});

test.each([
  [["x.yaml", ...PROMPTS, ...ROWS], /model: which model is asked/],
  [["x.yaml", ...PROMPTS, ...MODEL, "--rows", "q.csv"], /nothing says which answer is better/],
  [["x.yaml", ...PROMPTS, ...MODEL, "--rows", "q.csv", "--contains", "wantd"], /\{\{wantd\}\} names no column/],
  [["x.yaml", ...PROMPTS, ...MODEL, "--rows", "gone.csv", "--lacks", "x"], /--rows gone\.csv: does not exist/],
  [["x.yaml", ...PROMPTS, ...MODEL, "--rows", "broken.csv", "--lacks", "x"], /broken\.csv: line 1: .*"a" twice/],
  [["x.yaml", ...PROMPTS, ...MODEL, "--rows", "plain.md", "--lacks", "x"], /must end in \.csv or \.jsonl/],
  [["x.yaml", "--prompts", "plain.md", ".", ...ROWS, ...MODEL], /--prompts \.: is not a regular file/],
  [["x.yaml", "--prompts", "plain.md", "empty.md", ...ROWS, ...MODEL], /--prompts empty\.md: is empty/],
  [["x.yaml", "--prompts", "plain.md", ...ROWS, ...MODEL], /2 to 8 are compared, and one is given/],
  [["x.yaml", "--models", "openai/gpt-5", "gpt-6", ...ROWS], /<provider>\/<model>/],
  [["x.yaml", ...PROMPTS, "--models", "openai/gpt-5,openai/gpt-6", ...ROWS], /separate several models/],
  [["x.yaml", "y.yaml", ...PROMPTS, ...ROWS, ...MODEL], /one scenario file is written/],
  [["x", ...PROMPTS, ...ROWS, ...MODEL], /it ends in \.yaml/],
  [["x.yaml"], /compare prompts with --prompts, or models with --models/],
  [["q.yaml", "more", ...ROWS, ...MODEL], /unexpected "more"; compare prompts with --prompts/],
])("abeval new %j is refused, and nothing is written", async (args, why) => {
  using place = shop();
  const { status, stderr } = await place.run(["new", ...args]);
  expect([status, stderr]).toEqual([2, expect.stringMatching(why)]);
  expect(place.made()).toEqual([]);
});

test("nothing is overwritten", async () => {
  using place = shop();
  const asked = ["new", "x.yaml", ...PROMPTS, ...ROWS, ...MODEL];
  await place.run(asked);
  const { status, stderr } = await place.run(asked);
  expect([status, stderr]).toEqual([2, expect.stringContaining("x.yaml exists, and nothing is overwritten")]);
});

test("what a check looks for is never asked, and arms with numbers keep their order", async () => {
  using place = shop();
  writeFileSync(join(place.path, "9.md"), "Answer: {{question}}");
  writeFileSync(join(place.path, "2.md"), "{{question}}");
  expect((await place.run(["new", "x.yaml", "--prompts", "9.md", "2.md", ...ROWS, ...MODEL])).status).toBe(0);
  expect(place.read("x.yaml").match(/^ {2}- id: .*$/gm)).toEqual(["  - id: arm-9", "  - id: arm-2"]);
  writeFileSync(join(place.path, "other.txt"), "You sell bags.");
  writeFileSync(join(place.path, "t.csv"), "ticket,text\nWhere is it?,parcel\n");
  const asked = ["--prompts", "instruction.txt", "other.txt", "--rows", "t.csv", "--contains", "text", ...MODEL];
  await place.run(["new", "y.yaml", ...asked]);
  expect(place.read("y.yaml")).toContain("You sell shoes.\n\n      {{ticket}}");
});
