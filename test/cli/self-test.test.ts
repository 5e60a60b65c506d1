import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SelfTest } from "../../src/domain/self-test.ts";
import { abeval } from "../abeval.ts";
import { SMALL_FIX } from "../audit/small-fix.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";

/** A directory with the small scenario in it. */
function withScenario() {
  const directory = temporaryDirectory();
  const file = join(directory.path, "adder.yaml");
  writeFileSync(file, SMALL_FIX);
  return { directory, file, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const SELF_TEST = ["run", "--self-test", "--sandbox", "none", "--judge-model"];

test("a judge without a usable answer fails, and the report says why", async () => {
  await using provider = await startFakeProvider({ reply: { text: "Both are great!" } });
  using scenario = withScenario();
  const { status, stdout, stderr } = await abeval([...SELF_TEST, "openai/j", scenario.file], {
    env: provider.environment,
  });
  expect(status).toBe(1);
  expect(stderr).toContain("adder.yaml: asks openai/j 20 to 40 times");
  expect(stdout).toContain("FAIL  The same evidence twice: the judge gave no usable answer");
  expect(stdout.replace(/\s+/g, " ")).toStartWith("openai/j failed: the judge gave no usable answer. FAIL");
  expect(stdout).toContain("adder.yaml: fail, 20 judge calls, ");
});

test("with nothing to test it passes with a warning, as JSON and kept where that is asked for", async () => {
  using scenario = withScenario();
  const state = join(scenario.directory.path, "state");
  const asked = ["--json", "--state-dir", state, scenario.file];
  const { status, stdout } = await abeval([...SELF_TEST, "builtin/evidence", ...asked]);
  expect(status).toBe(0);
  expect(existsSync(join(state, "sessions.db"))).toBe(true);
  const results = JSON.parse(stdout) as SelfTest[];
  expect(results.map(({ scenario: name, verdict, calls }) => [name, verdict, calls])).toEqual([["adder", "warn", 0]]);
});

test.each([
  ["a flag about arms", ["--out", "verdict.json"], "--out does not go with --self-test, which runs no arm"],
  ["a judge that cannot be", [], "a panel has 3 or 5 judges"],
] as const)("wrong use ends with 2 before anything is asked: %s", async (_what, flags, message) => {
  using scenario = withScenario();
  const judge = flags.length === 0 ? "openai/a,openai/b" : "openai/a";
  const { status, stderr } = await abeval([...SELF_TEST, judge, ...flags, scenario.file]);
  expect([status, stderr.includes(message)]).toEqual([2, true]);
});
