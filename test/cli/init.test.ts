import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval, PROGRAM } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

const ENTER = "\r";
const DOWN = "\u001b[B";
const CTRL_C = "\u0003";

/** A person at a terminal: each answer is typed once its question stands there. */
async function interview(
  answers: readonly (readonly [question: string, typed: string])[],
  args: readonly string[] = [],
) {
  using directory = temporaryDirectory();
  writeFileSync(join(directory.path, "a.md"), "Answer: {{question}}");
  writeFileSync(join(directory.path, "b.md"), "Be polite.");
  writeFileSync(join(directory.path, "q.csv"), "question,wanted\nWhere is it?,parcel\nWhen?,today\n");
  const left = [...answers];
  let [shown, seen] = ["", 0];
  const closed = Promise.withResolvers<void>();
  const child = Bun.spawn([...PROGRAM, "init", ...args], {
    cwd: directory.path,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", TERM: "xterm" },
    terminal: {
      cols: 120,
      data: (terminal, bytes) => {
        shown += Buffer.from(bytes).toString();
        const [next] = left;
        const at = next === undefined ? -1 : shown.indexOf(next[0], seen);
        if (next === undefined || at < 0) return;
        seen = at + next[0].length;
        left.shift();
        terminal.write(next[1]);
      },
      exit: () => closed.resolve(),
    },
  });
  const status = await child.exited;
  await closed.promise;
  const made = readdirSync(directory.path)
    .filter((name) => !["a.md", "b.md", "q.csv"].includes(name))
    .sort();
  const text = made.includes("comparison.yaml") ? readFileSync(join(directory.path, "comparison.yaml"), "utf8") : "";
  return { status, shown, made, text };
}

test("an interview makes a scenario of prompts and a table, and ends with the next command", async () => {
  const { status, shown, made, text } = await interview([
    ["File to write", ENTER],
    ["What differs?", ENTER],
    ["Files with the prompts", `a.md b.md${ENTER}`],
    ["Model that answers them", `openai/gpt-5${ENTER}`],
    ["Table with the questions", `q.csv${ENTER}`],
    ["When is an answer better?", ` ${ENTER}`],
    ["Column with what it must contain", `wanted${ENTER}`],
  ]);
  expect(status, shown).toBe(0);
  expect(made).toEqual(["comparison", "comparison.yaml"]);
  expect(text).toContain('answer_contains: "{{wanted}}"');
  expect(text).toContain('prompt: "Answer: {{question}}"');
  expect(Bun.stripANSI(shown).trimEnd()).toEndWith(
    "abeval run comparison.yaml --trials 30 --stop-when-sure --state-dir .abeval",
  );
});

test("an interview makes a scenario of models and one question", async () => {
  const { status, shown, text } = await interview([
    ["File to write", ENTER],
    ["What differs?", `${DOWN}${ENTER}`],
    ["Models", `openai/gpt-5 openai/gpt-6${ENTER}`],
    ["Table with the questions", ENTER],
    ["The question", `Where is my parcel?${ENTER}`],
    ["When is an answer better?", ` ${ENTER}`],
    ["Text that it may not contain", `sorry${ENTER}`],
  ]);
  expect(status, shown).toBe(0);
  expect(text).toContain("question: Where is my parcel?");
  expect(text).toContain("answer_lacks: sorry");
});

test("an interview that is broken off writes nothing", async () => {
  const { status, shown, made } = await interview([
    ["File to write", ENTER],
    ["What differs?", CTRL_C],
  ]);
  expect([status, made]).toEqual([130, []]);
  expect(shown).toContain("Nothing was written.");
});

test("a file that is there is refused before anything is asked", async () => {
  const { status, shown } = await interview([], ["q.csv"]);
  expect(status).toBe(2);
  expect(shown).toContain("q.csv exists, and nothing is overwritten");
});

test("without a terminal nobody is asked", async () => {
  const { status, stderr } = await abeval(["init"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("without one: abeval new <file> --prompts")]);
});
