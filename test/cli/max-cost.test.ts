import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contest } from "../../src/domain/contest.ts";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import type { Series } from "../../src/domain/series.ts";
import { abeval } from "../abeval.ts";
import type { FakeReply, SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { wellFormed } from "../judge/mock-judge.ts";
import { temporaryDirectory } from "../temporary.ts";

/** Two prompts and a table of questions; 3 and 15 USD per million tokens. */
const QUESTIONS = `name: questions
inputs_file: questions.csv
task: {prompt: "{{question}}"}
arms:
  - {id: current, model: openai/m, tools: [], system_prompt: You answer customers of a shop.}
  - {id: candidate, model: openai/m, tools: [], system_prompt: You answer customers of a shop in one sentence.}
rubric: {criteria: [{question: Does it help the customer?}], judge: {model: openai/judge}}
`;

/** The same questions for three. */
const CONTEST = QUESTIONS.replace(
  "rubric:",
  "  - {id: brief, model: openai/m, tools: [], system_prompt: You answer customers of a shop in one word.}\nrubric:",
);

const PRICES = "openai/m: {in: 3, out: 15}\nopenai/judge: {in: 3, out: 15}\n";

const ARM = { in: 300, out: 180 };
const JUDGE = { in: 900, out: 67 };

/** USD of one trial: two arms, and a judge that is asked in both orders. */
const TRIAL_USD = (2 * (ARM.in + JUDGE.in) * 3 + 2 * (ARM.out + JUDGE.out) * 15) / 1e6;

const answer = (request: SeenRequest): FakeReply =>
  request.force_tool === undefined
    ? { text: `We send it back to you. (${request.index})`, usage: ARM }
    : { calls: [{ name: request.force_tool, input: wellFormed(request, evenly) }], usage: JUDGE };

const evenly = (_slot: unknown, ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, 2]));

async function questions(rows: number, scenario = QUESTIONS) {
  const provider = await startFakeProvider({ reply: answer });
  const directory = temporaryDirectory();
  const path = (name: string) => join(directory.path, name);
  writeFileSync(path("questions.yaml"), scenario);
  writeFileSync(path("prices.yaml"), PRICES);
  const lines = Array.from({ length: rows }, (_, row) => `q${row + 1},Where is my parcel number ${row + 1}?`);
  writeFileSync(path("questions.csv"), `id,question\n${lines.join("\n")}\n`);
  const run = (...args: readonly string[]) =>
    abeval(["run", path("questions.yaml"), "--prices", path("prices.yaml"), "--state-dir", path("state"), ...args], {
      env: provider.environment,
    });
  const check = (env: Record<string, string>, ...args: readonly string[]) =>
    abeval(["run", path("questions.yaml"), ...args], { env });
  return {
    ...{ provider, run, check, prices: path("prices.yaml") },
    [Symbol.asyncDispose]: async () => {
      await provider[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

test("a newcomer's table of 8 questions runs whole under --max-cost .5, though one reply could cost a quarter of that", async () => {
  await using asked = await questions(8);
  const { stdout, stderr, status } = await asked.run("--max-cost", ".5", "--parallel", "4");
  expect(status, stderr).toBe(0);
  const series = JSON.parse(stdout) as Series;
  expect(series).toMatchObject({ state: "completed", stop: "exhausted", counts: { trials: 8, ties: 8 } });
  expect(series.cost_usd.total).toBeCloseTo(8 * TRIAL_USD, 9);
  expect(TRIAL_USD).toBeCloseTo(0.0146, 4);
  expect(asked.provider.requests).toHaveLength(8 * 4);
});

test("a limit below the likely cost of one round is refused with that cost, and nothing is spent", async () => {
  await using asked = await questions(8);
  const { stderr, status } = await asked.run("--max-cost", ".02");
  expect(status).toBe(2);
  const [, likely = ""] =
    /max_cost_usd \(--max-cost\): 0\.02 is below the likely cost of one round of 8 rows, about (\d\.\d+) USD; nothing was spent/.exec(
      stderr,
    ) ?? [];
  expect(Number(likely), stderr).toBeGreaterThan(4 * TRIAL_USD);
  expect(Number(likely)).toBeLessThan(16 * TRIAL_USD);
  expect(asked.provider.requests).toHaveLength(0);
});

test("a limit that is met in the middle ends the series with what it has, and costs no arm anything", async () => {
  await using asked = await questions(8);
  const { stdout, stderr, status } = await asked.run("--max-cost", ".35", "--trials", "10");
  expect(status, stderr).toBe(0);
  const series = JSON.parse(stdout) as Series;
  expect(series).toMatchObject({ state: "completed", stop: "budget", failure: null });
  expect(series.counts.ties).toBeGreaterThan(0);
  expect(series.counts.ties).toBeLessThan(80);
  expect(series.cost_usd.total).toBeLessThanOrEqual(0.35);
  expect(series.missing_by).toEqual({ a: 0, b: 0, both: 0, judge: 0 });
  expect(series.statement).toContain("Stopped by the cost limit");
});

test("a single run whose next call does not fit says so in words", async () => {
  await using asked = await questions(1);
  // Its likely cost is a tenth of what one reply may cost.
  const { stderr, status } = await asked.run("--input", "q1", "--max-cost", ".05");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /the cost limit of \$0\.0500 does not pay for the next call: \$0 are spent, and it may cost up to \$0\.12\d\d; raise the limit \(--max-cost\), or lower max_output_tokens/,
  );
  expect(asked.provider.requests).toHaveLength(0);
});

test("--check tells what a provider's list makes likely first, then the bound", async () => {
  await using asked = await questions(8);
  const listed = ["--model", "anthropic/claude-sonnet-4-5", "--judge-model", "anthropic/claude-sonnet-4-5"];
  const env = { ANTHROPIC_API_KEY: "sk-not-a-key" };
  const { stdout, stderr } = await asked.check(env, "--check", "--json", ...listed);
  const [report] = JSON.parse(stdout) as [DoctorReport];
  const { likely_usd = null, bound_usd = null } = report.estimate ?? {};
  expect(likely_usd, stderr).toBeGreaterThan(TRIAL_USD / 2);
  expect(likely_usd).toBeLessThan(2 * TRIAL_USD);
  expect(bound_usd).toBeGreaterThan(1);
  const told = await asked.check(env, "--check", ...listed);
  expect(told.stdout + told.stderr).toMatch(
    /A run of it is likely to cost about 0\.0\d+ USD, and at most \d\.\d\d USD \([\d,]+ to [\d,]+ tokens\)\./,
  );
  expect(asked.provider.requests).toHaveLength(0);
});

/** USD of a round of one question: three runs, and a judge who is asked twice of each of two pairs. */
const ROW_USD = ((3 * ARM.in + 4 * JUDGE.in) * 3 + (3 * ARM.out + 4 * JUDGE.out) * 15) / 1e6;

test("--check tells what a contest may cost, arm by arm, as the refusal of a limit does", async () => {
  await using asked = await questions(4, CONTEST);
  const env = asked.provider.environment;
  const check = async (...args: readonly string[]) => {
    const { stdout, stderr } = await asked.check(env, "--check", "--prices", asked.prices, ...args);
    return stdout + stderr;
  };
  const json = await asked.check(env, "--check", "--json", "--prices", asked.prices, "--trials", "1");
  const [report] = JSON.parse(json.stdout) as [DoctorReport];
  const { likely_usd = null, bound_usd = null, contest } = report.estimate?.series ?? {};
  expect(contest).toMatchObject({ mode: "against", control: "current", pairs: 2 });
  expect(contest?.arms.map(({ arm_id, trials }) => [arm_id, trials])).toEqual(
    ["current", "candidate", "brief"].map((arm) => [arm, 4]),
  );
  const judging = report.estimate?.round?.judging;
  const sum = (of: "likely_usd" | "bound_usd") =>
    (contest?.arms ?? []).reduce((usd, arm) => usd + (arm[of] ?? Number.NaN), 2 * 4 * (judging?.[of] ?? Number.NaN));
  expect([likely_usd, bound_usd]).toEqual([expect.closeTo(sum("likely_usd"), 9), expect.closeTo(sum("bound_usd"), 9)]);
  for (const mode of [[], ["--best"]]) {
    const told = await check("--trials", "1", ...mode);
    const [, round = ""] = /1 trial of each of 4 tasks\) cost about (\d\.\d+) USD, and at most/.exec(told) ?? [];
    const { stderr } = await asked.run("--max-cost", ".001", ...mode);
    const [, likely = ""] = /likely cost of one round of 4 rows, about (\d\.\d+) USD/.exec(stderr) ?? [];
    expect(Number(round), told).toBeCloseTo(Number(likely), 2);
    expect(told).toMatch(
      /Of that the runs of each arm: current about 0\.0\d+ USD, at most .*; brief about 0\.0\d+ USD/,
    );
  }
  expect(asked.provider.requests).toHaveLength(0);
});

test("a contest's limit holds before each call, and ends it with the rounds that it paid for", async () => {
  await using asked = await questions(4, CONTEST);
  const { stdout, stderr, status } = await asked.run("--max-cost", ".4", "--trials", "10", "--keep-running");
  expect(status, stderr).toBe(0);
  const contest = JSON.parse(stdout) as Contest;
  expect(contest).toMatchObject({ state: "completed", stop: "budget", failure: null });
  expect(contest.cost_usd.total).toBeLessThanOrEqual(0.4);
  expect(contest.cost_usd.total).toBeGreaterThan(2 * ROW_USD);
  // Whoever has run more is at most a row ahead.
  const ran = contest.contest.arms.map(({ trials }) => trials);
  expect(Math.max(...ran) - Math.min(...ran)).toBeLessThanOrEqual(1);
  expect(Math.min(...ran)).toBeGreaterThan(0);
});
