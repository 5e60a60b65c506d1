import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SelfTest } from "../../src/domain/self-test.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { abeval, startAbeval } from "../abeval.ts";
import { SMALL_FIX } from "../audit/small-fix.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

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
  expect(stderr).toContain("adder.yaml: asks openai/j 112 to 480 times");
  expect(stdout).toContain("FAIL  The same work twice: the judge gave no usable answer in 5 of 5 judgings");
  expect(stdout.replace(/\s+/g, " ")).toStartWith(
    "openai/j failed: the judge gave no usable answer in 5 of 5 judgings (range 42% to 100%). FAIL",
  );
  expect(stdout).toContain("adder.yaml: fail, 40 judge calls, ");
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

test("where the judgings do not tell, the status is neither that of a pass nor that of a failure; a limit for none is refused", async () => {
  await using provider = await startFakeProvider({ reply: { text: "Both are great!" } });
  using scenario = withScenario();
  const prices = join(scenario.directory.path, "prices.json");
  writeFileSync(prices, JSON.stringify({ "openai/j": { in: 1, out: 10 } }));
  const under = (limit: string) =>
    abeval([...SELF_TEST, "openai/j", "--prices", prices, "--max-cost", limit, scenario.file], {
      env: provider.environment,
    });
  const refused = await under("0.001");
  expect([refused.status, refused.stdout, provider.requests.length]).toEqual([2, "", 0]);
  expect(refused.stderr).toContain("max_cost_usd (--max-cost): 0.001 USD for a scenario may not pay for one judging");
  const [, needed = ""] = /can cost up to ([\d.]+) USD/.exec(refused.stderr) ?? [];
  const { status, stdout } = await under(needed);
  expect(status).toBe(3);
  expect(stdout).toStartWith("openai/j neither passed nor failed: ");
});

test("Ctrl-C ends a self-test that waits for its judge, and nothing of it is stored", async () => {
  await using provider = await startFakeProvider({ reply: { fault: "hang" } });
  using scenario = withScenario();
  const state = join(scenario.directory.path, "state");
  const args = [...SELF_TEST, "openai/j", "--state-dir", state, scenario.file];
  const child = startAbeval(args, { env: provider.environment });
  await until(() => provider.requests.length > 0);
  child.kill("SIGINT");
  const stdout = await new Response(child.stdout).text();
  expect(await child.exited).toBe(130);
  expect(stdout).toContain("adder.yaml: not completed: The check was interrupted. (cancelled)");
  using store = sqliteStore(state, systemClock, systemEntropy);
  expect(await store.self_tests.list({ limit: 10 })).toEqual([]);
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
