import { expect, test } from "bun:test";
import { openSandbox } from "../../src/arms/sandbox/open-sandbox.ts";
import { openPristine } from "../../src/arms/workspace/pristine.ts";
import { runProbe } from "../../src/comparison/evidence/run-probe.ts";
import type { CheckResult } from "../../src/domain/evidence.ts";
import type { ProbeCheck } from "../../src/domain/task.ts";

const NONE = { dir: null, files: {} };
const NOTHING = { files: [], patch: "", digest: "0".repeat(64), truncated: false };

async function results(checks: readonly Partial<ProbeCheck>[]) {
  await using pristine = openPristine({ source: NONE, sandbox: openSandbox("none"), keep: false });
  await using workspace = pristine.open();
  const given = { before: null, required: false, weight: 1, timeout_s: 10, expect_exit: 0, output_matches: null };
  return await runProbe(
    workspace,
    {
      probe: {
        files: { ...NONE, digest: "0".repeat(64) },
        checks: checks.map((check, index) => ({ ...given, id: `check-${index}`, score: true, ...check })),
      },
      overlay: NONE,
      protected: [],
      network: "none",
      redact: (text) => text.replaceAll("sk-secret", "[key]"),
      left: { answer: null, calls: [], decisions: [], changes: NOTHING },
    },
    new AbortController().signal,
  );
}

const resultOf = async (run: string, more: Partial<ProbeCheck> = {}): Promise<CheckResult | undefined> =>
  (await results([{ run, ...more }])).checks[0];

test("a number in the last line of stdout counts with the check's weight, and is neither pass nor failure", async () => {
  const probe = await results([
    { run: "echo 0.5", weight: 3 },
    { run: "true", score: undefined },
  ] as Partial<ProbeCheck>[]);
  expect(probe).toMatchObject({ score: 2.5 / 4, passed: 1, total: 1 });
  expect(probe.checks[0]).toMatchObject({ status: "scored", score: 0.5, reason: null });
  expect(probe.checks[1]).not.toHaveProperty("score");
});

test("min_score makes it a pass or a failure", async () => {
  const probe = await results([
    { run: "echo .7", min_score: 0.7, required: true },
    { run: "echo 0.69", min_score: 0.7 },
  ]);
  expect(probe.checks.map(({ status, reason, score, min_score }) => [status, reason, score, min_score])).toEqual([
    ["pass", null, 0.7, 0.7],
    ["fail", "0.69 is less than 0.7", 0.69, 0.7],
  ]);
  expect(probe).toMatchObject({ passed: 1, total: 2, score: (0.7 + 0.69) / 2 });
});

test("stderr is no part of the number, the line before says why, and keys are removed", async () => {
  const found = await resultOf(
    "echo warning >&2; echo 3 of 4 for sk-secret; echo '  7.5e-1 '; echo '' ; echo done >&2",
  );
  expect(found).toMatchObject({ status: "scored", score: 0.75, why: "3 of 4 for [key]" });
  expect(found?.output).toContain("done");
  expect(found?.output).not.toMatch(/abeval-[0-9a-f]{8}|sk-secret/);
});

for (const [what, run, said] of [
  ["no number", "echo NaN", 'the last line of its stdout is "NaN"'],
  ["too large a number", "echo 1e999", 'the last line of its stdout is "1e999"'],
  ["more than 1", "echo 1.01", 'the last line of its stdout is "1.01"'],
  ["less than 0", "echo -0.1", 'the last line of its stdout is "-0.1"'],
  ["words behind it", "echo 0.5 trailing", 'the last line of its stdout is "0.5 trailing"'],
  ["two numbers", "echo 0.5 0.6", 'the last line of its stdout is "0.5 0.6"'],
  ["a comma", "echo 0,5", 'the last line of its stdout is "0,5"'],
  ["nothing", "true", "it printed nothing to stdout"],
  ["stderr alone", "echo 0.5 >&2", "it printed nothing to stdout"],
  ["a long line", "head -c 100000 /dev/zero | tr '\\0' 1", "the last line of its stdout is"],
] as const)
  test(`an error, and 0 of its weight: ${what}`, async () => {
    const found = await resultOf(run);
    expect(found).toMatchObject({ status: "error", score: 0 });
    expect(found?.reason).toStartWith(`gave no number: expected one from 0 to 1, and ${said}`);
    expect(found?.reason?.length).toBeLessThan(200);
  });

test("5 MB before the number are no hindrance, and are not kept", async () => {
  const found = await resultOf("head -c 5000000 /dev/zero | tr '\\0' '\\n' ; yes line | head -c 100000; echo 0.25");
  expect(found).toMatchObject({ status: "scored", score: 0.25, why: "line" });
  expect(found?.output.length).toBeLessThan(5_000);
});

test("5 MB of warnings behind the number are none either", async () => {
  const found = await resultOf("echo 0.25; yes warning | head -c 5000000 >&2");
  expect(found).toMatchObject({ status: "scored", score: 0.25 });
});

test("a command that fails or is stopped gives no number, whatever it printed", async () => {
  const { checks } = await results([{ run: "echo 0.9; exit 3" }, { run: "echo 0.9; sleep 5", timeout_s: 0.3 }]);
  expect(checks.map(({ status, reason, score }) => [status, reason, score])).toEqual([
    ["fail", "exit code 3, expected 0", 0],
    ["error", "timed out after 0.3 s", 0],
  ]);
});

test("the command is a script of its own: it may end early, hold a comment at its end, and read a here-document", async () => {
  for (const run of ["echo 0.5; exit 0; echo 1", "echo 0.5 # half", "cat <<E\n0.5\nE", "(echo 0.5)"])
    expect(await resultOf(run)).toMatchObject({ status: "scored", score: 0.5 });
});
