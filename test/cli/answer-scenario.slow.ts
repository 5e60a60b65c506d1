import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { SessionOutcome } from "../../src/domain/session.ts";
import { abeval } from "../abeval.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";
import { temporaryDirectory } from "../temporary.ts";

const SHOWN = `test "$(ls "$ABEVAL_EVIDENCE" | tr '\\n' ' ')" = "answer.txt calls.jsonl change.patch " &&
  ! (echo x > "$ABEVAL_EVIDENCE/answer.txt") 2>/dev/null && grep -q '"tool":"read_file"' "$ABEVAL_EVIDENCE/calls.jsonl" &&
  cat "$ABEVAL_EVIDENCE/answer.txt" && echo "seen to the end"`;

const GREPPED = "! grep -rniE 'zebra|okapi|quagga|ibex|777|888' \"$ABEVAL_EVIDENCE\"";

/** Names, prompts and prices that no word of the task or of an answer has. */
const capitals = (checks: readonly object[] = [], answers = ["The capital is Paris.", "I do not know."]) =>
  JSON.stringify({
    name: "capitals",
    varies: ["system_prompt"],
    task: {
      prompt: "Which is the capital of France? The notes may help.",
      fixture: { files: { "notes.md": "Paris is on the Seine.\n" } },
      deliverable: "answer",
      reference_answer: "Paris.",
      probe: {
        checks: [
          { id: "names-it", answer_contains: "Paris", required: true },
          { id: "no-excuse", answer_lacks: ["do not know", "sorry"], ignore_case: true },
          { id: "one-sentence", answer_matches: "/^[^.]+\\.$/" },
          { id: "read-the-notes", called: { tool: "read_file" } },
          { id: "left-the-notes", changed: { paths: ["**"], max: 0 } },
          ...checks,
        ],
      },
    },
    arms: [
      arm("zebra", "okapi", { model: "scripted/quagga", price_per_mtok: { in: 777.125, out: 888.25 } }, answers[0]),
      arm("ibex", "ibex", { extends: "zebra" }, answers[1]),
    ],
    rubric: {
      criteria: [{ measure: "answer_words" }, { measure: "probe_score" }],
      judge: { model: "builtin/evidence" },
    },
  });

const arm = (id: string, prompt: string, more: object, answer: string | undefined) => ({
  ...{ id, system_prompt: `You are an ${prompt}.`, ...more },
  script: [{ say: "I look.", calls: [{ read_file: { path: "notes.md" } }] }, { say: answer ?? "" }],
});

async function ran(scenario: string, ...args: string[]) {
  await using folder = await scenarioFolder({ "capitals.yaml": scenario });
  using state = temporaryDirectory();
  const { stderr } = await abeval(["run", folder.path("capitals.yaml"), "--quiet", "--state-dir", state.path, ...args]);
  const sessions = join(state.path, "sessions");
  const [file] = existsSync(sessions) ? readdirSync(sessions) : [];
  if (file === undefined) throw new Error(stderr);
  const outcome: SessionOutcome = JSON.parse(readFileSync(join(sessions, file), "utf8"));
  return { outcome, valid: Value.Check(SessionOutcome, outcome) };
}

const results = ({ arms }: SessionOutcome) =>
  arms.map(({ probe }) => Object.fromEntries((probe?.checks ?? []).map(({ id, status }) => [id, status])));

const PURE = { "read-the-notes": "pass", "left-the-notes": "pass" } as const;

test("the answer that holds the asked word wins by the checks, in no sandbox", async () => {
  const { outcome, valid } = await ran(capitals());
  expect(valid).toBe(true);
  expect(outcome.settings.sandbox_note).toContain("not needed");
  expect(outcome.verdict).toMatchObject({ outcome: "winner", winner: "zebra", decided_by: "probe" });
  expect(results(outcome)).toEqual([
    { ...PURE, "names-it": "pass", "no-excuse": "pass", "one-sentence": "pass" },
    { ...PURE, "names-it": "fail", "no-excuse": "fail", "one-sentence": "pass" },
  ]);
  const words = outcome.verdict?.criteria.find(({ id }) => id === "answer-words" || id === "answer_words");
  expect(words).toMatchObject({ score_a: 1, score_b: 0, note: "answer_words: 4 against 4" });
});

const COMMANDS = [
  { id: "shown", run: SHOWN, output_matches: "seen to the end", before: "fail" },
  { id: "grepped", run: GREPPED },
];

testNeeding(SANDBOX)(
  "a command in the sandbox finds the evidence, read-only, and nothing that tells the arm",
  async () => {
    const { outcome } = await ran(capitals(COMMANDS));
    expect(outcome.settings.sandbox).toBe("bubblewrap");
    for (const found of results(outcome)) expect(found).toMatchObject({ shown: "pass", grepped: "pass" });
  },
);

test("a command without a sandbox finds the same, at a path that no output tells", async () => {
  using kept = temporaryDirectory();
  const copies = {
    id: "copied",
    // The copy can be removed again: the evidence itself may not be written.
    run: `to=$(mktemp -d ${kept.path}/XXXXXX) && cp -r "$ABEVAL_EVIDENCE" "$to/" && chmod -R u+w "$to" && echo "$ABEVAL_EVIDENCE"`,
  };
  const { outcome } = await ran(capitals([...COMMANDS, copies]), "--sandbox", "none");
  for (const found of results(outcome)) expect(found).toMatchObject({ grepped: "pass", copied: "pass" });
  const told = outcome.arms.flatMap(({ probe }) => probe?.checks ?? []).find(({ id }) => id === "copied");
  expect(told?.output).not.toContain("/tmp");
  const files = readdirSync(kept.path, { recursive: true, encoding: "utf8" }).filter((path) => /\.\w+$/.test(path));
  const texts = files.map((path) => readFileSync(join(kept.path, path), "utf8"));
  expect(texts.length).toBeGreaterThanOrEqual(6);
  expect(texts).toContain("The capital is Paris.");
  expect(texts.join("\n")).not.toMatch(/zebra|okapi|quagga|ibex|777|888|system_prompt|Which is the capital/);
});

test("an answer of nothing loses, and one that is too long to check is told", async () => {
  const nothing = await ran(capitals([], ["The capital is Paris.", ""]));
  expect(nothing.outcome).toMatchObject({ state: "completed", verdict: { winner: "zebra" } });
  const long = await ran(capitals([], ["The capital is Paris.", "Paris ".repeat(40_000)]));
  expect(long.outcome).toMatchObject({ state: "completed", verdict: { winner: "zebra" } });
  const [, second] = long.outcome.arms;
  expect(second.probe?.checks.find(({ id }) => id === "names-it")).toMatchObject({
    ...{ status: "error", reason: "the answer has 240000 characters, at most 200000 are checked" },
  });
});
