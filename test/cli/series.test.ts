import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import { parseArguments } from "../../src/doors/cli/flags/parse-arguments.ts";
import { RUN } from "../../src/doors/cli/flags/run-flags.ts";
import { runSeries } from "../../src/doors/cli/run-series.ts";
import { abeval, type Finished, PROGRAM, startAbeval } from "../abeval.ts";
import type { SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { LINUX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { fill, MOUNTS, smallDisk } from "../store/storage-faults.ts";
import { temporaryDirectory } from "../temporary.ts";
import { COIN } from "./coin.ts";

const DICE = COIN.replace("name: coin", "name: dice");

/** `writes` passes whenever the provider answers. */
const MODEL = `name: greet
task: {prompt: Say hello., probe: {checks: [{run: test -f hello.txt, required: true}]}}
arms:
  - {id: writes, model: openai/m, system_prompt: Write it.}
  - {id: talks, model: openai/m, system_prompt: Talk.}
rubric: {criteria: [{measure: probe_score}], judge: {model: builtin/evidence}}
`;

/** Arms whose work differs, and a judge over HTTP. */
const JUDGED = `name: judged
task: {prompt: Say hello.}
arms:
  - {id: one, model: scripted/one, script: [{calls: [{write_file: {path: hello.txt, content: hi}}]}, {say: Done.}]}
  - {id: two, model: scripted/two, script: [{calls: [{write_file: {path: hello.txt, content: good day}}]}, {say: Done.}]}
rubric: {criteria: [{question: Is it kind?}], judge: {model: openai/judge}}
`;

const FILES = {
  ...{ "coin.yaml": COIN, "dice.yaml": DICE, "greet.yaml": MODEL, "judged.yaml": JUDGED },
  "free.yaml": COIN.replace("name: coin", "name: free").replaceAll("required: true", "required: false"),
  "asks.yaml": COIN.replace("name: coin", "name: asks\nmeasure: preferred\ncontrol: talks"),
  "other.yaml": COIN.replace("name: coin", "name: other").replace("id: talks", "id: speaks"),
};

/** A directory with the scenarios, where commands run. */
function openDirectory() {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(directory.path, name), text);
  const run = (args: string, env: Readonly<Record<string, string>> = {}) =>
    abeval(commandOf(args), { cwd: directory.path, env });
  const start = (args: string, env: Readonly<Record<string, string>>) =>
    startAbeval(commandOf(args), { cwd: directory.path, env });
  return { ...directory, run, start, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

const commandOf = (args: string) => ["run", ...args.split(" "), "--sandbox", "none"];

const seriesIn = ({ stdout, stderr }: Pick<Finished, "stdout" | "stderr">): Series => {
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
};

/** Without ids and times, and what only a state directory knows. */
function comparable({ trials, arms, efficiency: { wall_ms: _ms, ...efficiency }, ledger: _ledger, ...series }: Series) {
  const {
    series_id: _id,
    created_at: _created,
    finished_at: _finished,
    limits: _limits,
    changes: _changes,
    ...rest
  } = series;
  return {
    ...{ ...rest, efficiency },
    arms: [arms.a, arms.b].map(({ wall_ms_median: _, ...arm }) => arm),
    trials: trials.map(({ session_id: _, arms_ms: _arms_ms, ...trial }) => trial),
  };
}

const REFUSED: readonly (readonly [args: string, words: string])[] = [
  ["coin.yaml --trials 0", '--trials: expected a whole number from 1 to 1000, got "0"'],
  ["coin.yaml --trials 1001", '--trials: expected a whole number from 1 to 1000, got "1001"'],
  ["coin.yaml --parallel 4", "--parallel needs more than one run: give --trials, --stop-when-sure or several files"],
  ["coin.yaml --margin 0.1", "--margin needs more than one run"],
  ["coin.yaml --trials 2.5", '--trials: expected a whole number from 1 to 1000, got "2.5"'],
  ["coin.yaml --parallel 17", '--parallel: expected a whole number from 1 to 16, got "17"'],
  ["coin.yaml --trials 2 --not-worse-by 0", '--not-worse-by: expected points from 1 to 50, such as 10, got "0"'],
  ["coin.yaml --trials 2 --not-worse-by 60", '--not-worse-by: expected points from 1 to 50, such as 10, got "60"'],
  ["coin.yaml --trials 2 --not-worse-by abc", '--not-worse-by: expected points from 1 to 50, such as 10, got "abc"'],
  ["coin.yaml --trials 2 --control nobody", 'control: there is no arm "nobody"; the arms are'],
  ["coin.yaml --trials 2 --measure mood", '--measure: expected solved, score or preferred, got "mood"'],
  [
    "coin.yaml --trials 2 --measure score",
    "measure (--measure): score: coin.yaml has no check that gives a number, so that there is no score",
  ],
  ["coin.yaml free.yaml --measure solved", "measure (--measure): solved: free.yaml has no required check"],
  ["coin.yaml --measure solved", "--measure needs more than one run"],
  ["coin.yaml --not-worse-by 10", "--not-worse-by needs more than one run"],
  ["coin.yaml --margin 0", '--margin: expected a number between 0 and 0.5, such as 0.15, got "0"'],
  ["coin.yaml --margin 0.5", '--margin: expected a number between 0 and 0.5, such as 0.15, got "0.5"'],
  ["coin.yaml --stop-when-sure --trials 3", "3 in all are too few for any claim; plan 9 or more"],
  ["coin.yaml dice.yaml --stop-when-sure --trials 3", "plan 5 or more of each scenario"],
  [
    "coin.yaml other.yaml",
    "other.yaml: its arms are tries and speaks, those of coin.yaml are tries and talks; scenarios of one series need the same arm ids",
  ],
  ["coin.yaml dice.yaml coin.yaml", 'coin.yaml: "coin" is in the series already'],
  ["coin.yaml --continue series-20260101T000000000Z-00000000", "nothing is kept in state"],
  ["coin.yaml --aa tries", "--aa shows nothing in one run: give --trials or --stop-when-sure"],
  ["coin.yaml --aa tries --margin 0.2", "--aa shows nothing in one run: give --trials or --stop-when-sure"],
  ["coin.yaml --aa nope --trials 2", 'there is no arm "nope"; its arms: tries, talks'],
  ["coin.yaml dice.yaml --aa tries", "--aa takes one scenario file"],
  ["coin.yaml nope.yaml", "nope.yaml: the file does not exist"],
];

/** Of whole commands: modes exclude one another. */
const MODES: readonly (readonly [args: string, words: string])[] = [
  ["coin.yaml --parallel 3 --check", "--parallel does not go with --check"],
  ["new.yaml --trials 3 --new --from HEAD", "--trials does not go with --new"],
  ["greet.yaml --trials 2 --max-cost 3", "openai/m has no price, and max_cost_usd (--max-cost) needs one"],
];

/** What the command throws, which its caller tells. */
const refusalOf = (args: string): Promise<unknown> =>
  parseArguments(RUN, args.split(" "))
    .then(runSeries)
    .catch((error: unknown) => error);

test.each(REFUSED)("refused before anything is spent: %s", async (args, words) => {
  using directory = openDirectory();
  const before = readdirSync(directory.path);
  const inside = args.replaceAll(/\w+\.yaml/g, (name) => join(directory.path, name));
  const error = await refusalOf(`${inside} --quiet --sandbox none --state-dir ${join(directory.path, "state")}`);
  expect(error).toBeInstanceOf(Error);
  expect(String(error).replaceAll(`${directory.path}/`, "")).toContain(words);
  expect(readdirSync(directory.path)).toEqual(before);
});

test("a refusal is exit status 2, with words and without a state directory", async () => {
  using directory = openDirectory();
  const before = readdirSync(directory.path);
  const finished = await Promise.all(
    MODES.map(([args]) => directory.run(`${args} --state-dir state`, { OPENAI_API_KEY: "key" })),
  );
  for (const [index, { status, stdout, stderr }] of finished.entries()) {
    expect(stderr).toContain(MODES[index]?.[1] ?? "");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  }
  expect(readdirSync(directory.path)).toEqual(before);
});

test("a series is the same in memory and in a state directory, one trial at a time and four at once", async () => {
  using directory = openDirectory();
  const args = "coin.yaml dice.yaml --trials 2 --seed 3 --no-color";
  const [memory, kept, parallel] = await Promise.all(
    ["", " --state-dir state", " --parallel 4"].map((more) => directory.run(args + more)),
  );
  if (!memory || !kept || !parallel) throw new Error("three runs");
  expect([memory, kept, parallel].map(({ status }) => status)).toEqual([0, 0, 0]);
  const expected = comparable(seriesIn(memory));
  expect(expected).toMatchObject({ state: "completed", stop: "exhausted", rounds: 2, counts: { trials: 4 } });
  expect(comparable(seriesIn(kept))).toEqual(expected);
  expect(comparable(seriesIn(parallel))).toEqual(expected);
  expect(memory.stderr).toMatch(/^trial 1 {2}coin {2}(tries won|tie)/m);
  expect(memory.stderr).toMatch(/^round 2 of 2 .* e +[\d.]+ of 20$/m);
  expect(memory.stderr).not.toContain("--continue");
  // Its arms differ in their scripts alone.
  expect(kept.stderr).toContain("next    Change one arm: a series of two equal arms shows only chance.\n");
});

test("several files without --trials are a series of one trial each, with its reports", async () => {
  using directory = openDirectory();
  const finished = await directory.run("coin.yaml dice.yaml --quiet --out s.json --junit s.xml --markdown s.md");
  expect({ ...finished, stdout: "" }).toEqual({ status: 0, stdout: "", stderr: "" });
  const series = seriesIn(finished);
  expect(series).toMatchObject({
    rounds: 1,
    limits: { trials: 1 },
    trials: [{ scenario: "coin" }, { scenario: "dice" }],
  });
  const written = (name: string) => readFileSync(join(directory.path, name), "utf8");
  expect(written("s.json")).toBe(finished.stdout);
  expect(written("s.xml")).toContain('<testsuite name="abeval dice" tests="1"');
  expect(written("s.md")).toContain("## abeval: coin, dice\n");
});

/** Answers as the arms of `greet`; no two runs are alike. Whatever `holds` promises is waited for. */
const greeting =
  (holds: (request: SeenRequest) => Promise<void> | undefined = () => undefined) =>
  async (request: SeenRequest) => {
    await holds(request);
    const isFirst = request.messages.every(({ role }) => role !== "assistant");
    if (!isFirst || request.system.includes("Talk")) return { text: `Done, ${request.index}.` };
    return { text: "I write it.", calls: [{ name: "write_file", input: { path: "hello.txt", content: "hi" } }] };
  };

/** Holds the model's answers from the third trial on: each asks three times. */
function heldFromThirdTrial() {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holds = ({ index }: SeenRequest) => {
    if (index < 6) return undefined;
    reached.resolve();
    return released.promise;
  };
  return { holds, reached: reached.promise, release: () => released.resolve() };
}

test("Ctrl-C stops the trial in flight, and what there is is told", async () => {
  using directory = openDirectory();
  const held = heldFromThirdTrial();
  await using provider = await startFakeProvider({ reply: greeting(held.holds) });
  const child = directory.start("greet.yaml --trials 5", provider.environment);
  await held.reached;
  child.kill("SIGINT");
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  held.release();
  expect(await child.exited).toBe(130);
  expect(seriesIn({ stdout, stderr })).toMatchObject({
    ...{ state: "cancelled", stop: "cancelled", counts: { trials: 2, cancelled: 1 } },
    trials: [{ state: "completed" }, { state: "completed" }, { state: "cancelled" }],
  });
  expect(stderr).toMatch(/^trial 3 {2}cancelled$/m);
  expect(stderr).toContain("\n  so      Not known yet: the gate stays shut");
});

test.each([
  [["SIGTERM"]],
  [["SIGHUP"]],
  // A terminal that goes away, and whoever ends its session.
  [["SIGHUP", "SIGTERM", "SIGHUP"]],
] as const)(
  "%j stops the trial in flight, too, and nobody chose that: it runs again when the series goes on",
  async (signals) => {
    using directory = openDirectory();
    const held = heldFromThirdTrial();
    await using provider = await startFakeProvider({ reply: greeting(held.holds) });
    const child = directory.start("greet.yaml --trials 3 --state-dir state", provider.environment);
    await held.reached;
    for (const signal of signals) child.kill(signal);
    const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    held.release();
    expect(await child.exited).toBe(130);
    const { series_id, ...stopped } = seriesIn({ stdout, stderr });
    expect(stopped).toMatchObject({
      ...{ state: "interrupted", counts: { trials: 2, failed: 1, cancelled: 0 } },
      trials: [{ state: "completed" }, { state: "completed" }, { state: "interrupted" }],
    });
    const goesOn = await directory.run(`greet.yaml --continue ${series_id} --state-dir state`, provider.environment);
    expect(seriesIn(goesOn)).toMatchObject({ state: "completed", rounds: 3, counts: { trials: 3, failed: 1 } });
  },
);

testNeeding(LINUX)("a series that was begun with nohup goes on when its terminal goes away", async () => {
  using directory = openDirectory();
  const held = heldFromThirdTrial();
  await using provider = await startFakeProvider({ reply: greeting(held.holds) });
  const child = startAbeval(["run", "greet.yaml", "--trials", "3", "--sandbox", "none"], {
    ...{ cwd: directory.path, env: provider.environment },
    program: ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", ...PROGRAM],
  });
  await held.reached;
  child.kill("SIGHUP");
  held.release();
  const stdout = await new Response(child.stdout).text();
  expect([await child.exited, (JSON.parse(stdout) as Series).state]).toEqual([0, "completed"]);
});

testNeeding(MOUNTS)("a series that a full disk ends is told as far as it came", async () => {
  using directory = openDirectory();
  const state = join(directory.path, "state");
  mkdirSync(state);
  using _disk = smallDisk(state);
  const held = heldFromThirdTrial();
  await using provider = await startFakeProvider({ reply: greeting(held.holds) });
  const child = directory.start("greet.yaml --trials 5 --state-dir state", provider.environment);
  await held.reached;
  fill(join(state, "filler"));
  held.release();
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(1);
  expect(seriesIn({ stdout, stderr })).toMatchObject({ state: "failed", counts: { trials: 2, wins: 2, failed: 1 } });
  expect(stderr).toMatch(/abeval: .*(full|no space)/i);
});

describe("a series whose process was killed", () => {
  test("belongs to it while it runs, and then goes on to the report of an unbroken one", async () => {
    using directory = openDirectory();
    const held = heldFromThirdTrial();
    await using stuck = await startFakeProvider({ reply: greeting(held.holds) });
    const child = directory.start("greet.yaml --trials 11 --state-dir state", stuck.environment);
    await held.reached;
    const series_id = await seriesIdIn(child.stderr);
    const other = await directory.run(`greet.yaml --continue ${series_id} --state-dir state`, stuck.environment);
    expect(other).toMatchObject({ status: 2, stdout: "" });
    expect(other.stderr).toContain(`${series_id} is still running`);
    child.kill("SIGKILL");
    await child.exited;
    held.release();
    await using provider = await startFakeProvider({ reply: greeting() });
    const [resumed, unbroken] = await Promise.all([
      directory.run(`greet.yaml --continue ${series_id} --state-dir state`, provider.environment),
      directory.run("greet.yaml --trials 11 --state-dir unbroken", provider.environment),
    ]);
    expect([resumed.status, unbroken.status]).toEqual([0, 0]);
    const [after, whole] = [seriesIn(resumed), seriesIn(unbroken)];
    const places = after.trials.map(({ trial, round, state }) => `${trial} of round ${round} ${state}`);
    expect(places.slice(1, 4)).toEqual([
      "2 of round 2 completed",
      "3 of round 3 interrupted",
      "4 of round 3 completed",
    ]);
    expect(after).toMatchObject({
      ...{ series_id, state: "completed", stop: "exhausted", conclusion: whole.conclusion },
      headline: { ...whole.headline, worst_case_e: expect.any(Number), fragile: expect.any(Boolean) },
      counts: { ...whole.counts, failed: 1 },
    });
    expect(whole.headline.claim).toMatchObject({ side: "a", at_trial: 9 });
    expect(after.statement).toContain("1 trial gave no result");
    expect(after.statement.slice(0, 60)).toBe(whole.statement.slice(0, 60));
    expect(resumed.stderr).toContain(`${series_id}: 11 trials, 3 so far`);
  });
});

async function seriesIdIn(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stderr) {
    text += Buffer.from(chunk).toString();
    const [found] = /series-\w+-\w+/.exec(text) ?? [];
    if (found) return found;
  }
  throw new Error(text);
}

test("a finished series tells its report again, and goes on with more trials, not with another plan", async () => {
  using directory = openDirectory();
  const finished = await directory.run("coin.yaml --trials 3 --state-dir state");
  const { series_id, ...series } = seriesIn(finished);
  const goOn = (more: string) => directory.run(`${more} --continue ${series_id} --state-dir state`);
  const again = await goOn("coin.yaml");
  expect(again.status).toBe(0);
  expect(seriesIn(again)).toEqual({ ...series, series_id, finished_at: expect.any(String) });
  const longer = seriesIn(await goOn("coin.yaml --trials 5"));
  expect(longer).toMatchObject({ limits: { trials: 5 }, changes: [{ limits: { trials: 3 } }], counts: { trials: 5 } });
  expect(longer.trials.slice(0, 3).map(({ session_id }) => session_id)).toEqual(
    series.trials.map(({ session_id }) => session_id),
  );
  const { status, stdout, stderr } = await goOn(
    "coin.yaml --margin 0.2 --measure preferred --not-worse-by 20 --seed other",
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`${series_id} has another plan (margin, measure, seed, not_worse_by)`);
});

test("a scenario file says what its series measures and compares with; a flag goes before it", async () => {
  using directory = openDirectory();
  const asked = seriesIn(await directory.run("asks.yaml --trials 1 --seed 1"));
  expect([asked.plan?.measure, asked.result?.measure, asked.control]).toEqual(["preferred", "preferred", "talks"]);
  const chosen = seriesIn(await directory.run("asks.yaml --trials 1 --seed 1 --measure solved --control tries"));
  expect([chosen.plan?.measure, chosen.result?.measure, chosen.control]).toEqual(["solved", "solved", "tries"]);
  expect(chosen.plan?.scenarios).toEqual(asked.plan?.scenarios ?? []);
  const plain = seriesIn(await directory.run("coin.yaml --trials 1"));
  expect([plain.plan?.measure, plain.control]).toEqual(["solved", "tries"]);
});

describe("the exit status of --aa", () => {
  test("is 0 when neither of two equal arms is preferred", async () => {
    using directory = openDirectory();
    const finished = await directory.run("coin.yaml --aa tries --trials 2 --seed 1");
    expect(finished.status).toBe(0);
    expect(seriesIn(finished)).toMatchObject({ conclusion: "undecided", plan: { arms: ["tries", "tries.again"] } });
  });

  test("is 4 when one is", async () => {
    using directory = openDirectory();
    // One of the few seeds that let one of two equal arms win nine times, and the other not once.
    const finished = await directory.run("coin.yaml --aa tries --stop-when-sure --seed 14694");
    expect(finished.status).toBe(4);
    expect(seriesIn(finished)).toMatchObject({ conclusion: "a_preferred", counts: { wins: 9, losses: 0 } });
    expect(finished.stderr).toEndWith(
      "abeval: one of two equal arms is preferred: the judge or the set-up favours it\n",
    );
  });
});

test("a judge that is unusable in more than half of the trials is exit status 3", async () => {
  using directory = openDirectory();
  await using provider = await startFakeProvider({ reply: { text: "Both are nice." } });
  const finished = await directory.run("judged.yaml --trials 2", provider.environment);
  expect(finished.status).toBe(3);
  expect(seriesIn(finished)).toMatchObject({ state: "completed", counts: { trials: 0, invalid: 2 } });
  expect(finished.stderr).toMatch(/^trial 2 {2}invalid: \S+/m);
});

test("a key that is refused in mid-series is exit status 1, and says why", async () => {
  using directory = openDirectory();
  const reply = greeting();
  await using provider = await startFakeProvider({
    reply: async (request) =>
      request.index < 6 ? await reply(request) : { status: 401, body: { error: "no such key" } },
  });
  const finished = await directory.run("greet.yaml --trials 5 --junit s.xml", provider.environment);
  expect(finished.status).toBe(1);
  expect(seriesIn(finished)).toMatchObject({ state: "failed", stop: "failed", counts: { trials: 2 } });
  expect(existsSync(join(directory.path, "s.xml"))).toBe(true);
  expect(finished.stderr).toContain("401");
});
