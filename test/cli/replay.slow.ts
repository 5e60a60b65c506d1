import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "../../src/domain/verdict.ts";
import { abeval, startAbeval } from "../abeval.ts";
import { FAKE_KEY, type FakeProvider } from "../fake-provider/fake-provider.ts";
import { startTalkProvider } from "../fake-provider/talk.ts";
import { gitIn } from "../git-repository.ts";
import { serve } from "../http/served.ts";
import { jsonPost } from "../http/service.ts";
import { connectProgram } from "../mcp/client.ts";
import { everyByte } from "../recording/spoken.ts";
import { talkText } from "../session/series.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";

/** A scenario of models in a directory of its own, and the command over it. */
function openDirectory() {
  const { path, [Symbol.dispose]: dispose } = temporaryDirectory();
  writeFileSync(join(path, "talk.yaml"), talkText("talk", "gateway"));
  const run = (args: string, env: Readonly<Record<string, string>> = {}) =>
    abeval(["run", "talk.yaml", "--quiet", ...args.split(" ").filter(Boolean)], { cwd: path, env });
  const rewrite = (from: string, to: string) => {
    const file = join(path, "talk.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  };
  return { path, run, rewrite, [Symbol.dispose]: dispose };
}

const startProvider = (): Promise<FakeProvider> => startTalkProvider({ judge: () => "a" });

const keyed = ({ environment }: FakeProvider) => ({ ...environment, GATEWAY_API_KEY: FAKE_KEY });

const verdictIn = ({ stdout }: { readonly stdout: string }): Verdict => JSON.parse(stdout);

/** What a verdict says, apart from its moment. */
const finding = ({ outcome, winner, score_gap, calls, rationale }: Verdict) => ({
  ...{ outcome, winner, score_gap, rationale },
  labels: calls.map(({ order, label }) => [order, label]),
});

async function recordTo(directory: ReturnType<typeof openDirectory>, args = "") {
  await using provider = await startProvider();
  return await directory.run(`--record recordings ${args}`, keyed(provider));
}

test("a run is recorded without its key, and replays with neither key nor provider", async () => {
  using directory = openDirectory();
  const recorded = await recordTo(directory);
  expect(recorded).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(join(directory.path, "recordings/talk")).sort()).toEqual(["a.jsonl", "b.jsonl", "judge.jsonl"]);
  expect(everyByte(join(directory.path, "recordings"))).not.toContain(FAKE_KEY);
  const replayed = await directory.run("--replay recordings --replay-strict");
  expect(replayed).toMatchObject({ status: 0, stderr: "" });
  expect(finding(verdictIn(replayed))).toEqual(finding(verdictIn(recorded)));
  expect(verdictIn(replayed).flags).toContain("replayed");
  const byVariable = await directory.run("", { ABEVAL_CASSETTES: "recordings" });
  expect(finding(verdictIn(byVariable))).toEqual(finding(verdictIn(recorded)));
});

test("a replay costs nothing: under any limit it runs whole", async () => {
  using directory = openDirectory();
  const price = "{in: 3, out: 15}";
  writeFileSync(
    join(directory.path, "prices.yaml"),
    ["a", "b", "judge"].map((model) => `gateway/${model}: ${price}\n`).join(""),
  );
  await recordTo(directory, "--trials 3");
  const limited = "--replay recordings --prices prices.yaml --max-cost .0001";
  const single = await directory.run(limited);
  expect(single.status, single.stderr).toBe(0);
  const series = await directory.run(`${limited} --trials 3`);
  expect(JSON.parse(series.stdout)).toMatchObject({ state: "completed", stop: "exhausted", counts: { trials: 3 } });
});

test("a recording that lies opens no gate while the author of the change can edit it, however it is named", async () => {
  using directory = openDirectory();
  const { path, run } = directory;
  await recordTo(directory);
  const commitAll = (message: string) => {
    gitIn(path, ["add", "--all"]);
    gitIn(path, ["commit", "--quiet", "--message", message]);
  };
  gitIn(path, ["init", "--quiet"]);
  commitAll("base");
  const honest = verdictIn(await run("--single --replay recordings --base main"));
  expect([honest.winner, honest.gate["a"], honest.inputs_from_checkout]).toEqual(["a", "better", undefined]);
  // One byte is enough: what a liar puts there looks like any other answer.
  const file = join(path, "recordings/talk/judge.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace("{", "{ "));
  symlinkSync(join(path, "recordings"), join(path, "elsewhere"));
  const lies = [
    await run("--replay recordings --base main"),
    await run("--base main", { ABEVAL_CASSETTES: "recordings" }),
    await run("--replay elsewhere --base main"),
    await run("--replay recordings", { CI: "true" }),
  ];
  for (const lie of lies)
    expect(verdictIn(lie)).toMatchObject({
      winner: "a",
      gate: { a: null, b: null },
      gate_reasons: { a: { because: "inputs_from_checkout", needs: null } },
      inputs_from_checkout: expect.arrayContaining([{ input: "recording", path: "recordings" }]),
    });
});

test("a server replays over HTTP and over MCP, with neither key nor provider", async () => {
  using directory = openDirectory();
  const recorded = finding(verdictIn(await recordTo(directory)));
  const flags = ["--scenarios-dir", directory.path, "--replay", join(directory.path, "recordings")];
  await using served = await serve(flags);
  const response = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "talk" }));
  const { verdict } = (await response.json()) as { readonly verdict: Verdict };
  expect(finding(verdict)).toEqual(recorded);
  expect(verdict.flags).toContain("replayed");
  await using client = await connectProgram(["mcp", ...flags, "--state-dir", join(directory.path, "state")]);
  const { data } = await client.call("run_scenario", { scenario: "talk", wait_seconds: 50 });
  expect(data).toMatchObject({ finished: true, summary: { state: "completed" } });
  const { outcome, winner, flags: marks } = data.summary.verdict;
  expect({ outcome, winner, marks }).toEqual({
    outcome: recorded.outcome,
    winner: recorded.winner,
    marks: expect.arrayContaining(["replayed"]),
  });
});

test("what a killed recording left replays as far as it goes, and then says that no more was recorded", async () => {
  using directory = openDirectory();
  const hung = Promise.withResolvers<void>();
  await using provider = await startTalkProvider({
    judge: () => "a",
    before: (model) => (model === "b" ? hung.promise : Promise.resolve()),
  });
  const args = ["run", "talk.yaml", "--record", "recordings"];
  const recording = startAbeval(args, { cwd: directory.path, env: keyed(provider) });
  const fileOf = (arm: string) => join(directory.path, `recordings/talk/${arm}.jsonl`);
  await until(() => existsSync(fileOf("a")) && readFileSync(fileOf("a"), "utf8").includes("arm a says 1"));
  await until(() => provider.requests.some(({ model }) => model === "b"));
  recording.kill("SIGKILL");
  await recording.exited;
  hung.resolve();
  const replayed = await directory.run("--replay recordings");
  expect(replayed).toMatchObject({ status: 1, stdout: "" });
  expect(replayed.stderr).toContain('request 1 of arm "b" is not recorded: the recording holds no request');
  expect(await directory.run("--record recordings", keyed(provider))).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("talk/a.jsonl exists already"),
  });
});

test("what does not go together, is missing or is in the way is refused before anything is asked", async () => {
  using directory = openDirectory();
  await using provider = await startProvider();
  const refused = async (args: string, env = {}) => {
    const { status, stdout, stderr } = await directory.run(args, { ...keyed(provider), ...env });
    return [status, stdout, stderr.split("\n")[0]];
  };
  const message = (text: string) => [2, "", expect.stringContaining(text)];
  expect(await refused("--record a --replay b")).toEqual(message("exclude one another"));
  expect(await refused("--record a", { ABEVAL_CASSETTES: "b" })).toEqual(message("exclude one another"));
  expect(await refused("--replay-strict")).toEqual(message("--replay-strict goes with --replay <dir>"));
  expect(await refused("--replay nowhere")).toEqual(message("--replay nowhere: is not a directory"));
  expect(await refused("--replay .")).toEqual(message('there is no recording of arm "a": talk/a.jsonl is missing'));
  expect(await refused("--record talk.yaml")).toEqual(message("--record talk.yaml: is not a directory"));
  expect(provider.requests).toEqual([]);
  expect((await directory.run("--record recordings", keyed(provider))).status).toBe(0);
  const asked = provider.requests.length;
  expect(await refused("--record recordings")).toEqual(message("talk/a.jsonl exists already"));
  expect(provider.requests).toHaveLength(asked);
});

test("a changed prompt, arm or judge is refused by name, and a changed rubric misses at the judge alone", async () => {
  using directory = openDirectory();
  await recordTo(directory);
  const refusal = async (args = "") => (await directory.run(`--replay recordings ${args}`)).stderr;
  expect(await refusal("--model gateway/other")).toContain(
    "changed since it was recorded: model (recorded with gateway/a, now gateway/other)",
  );
  expect(await refusal("--judge-model gateway/other")).toContain("talk/judge.jsonl no longer fits the judge");
  directory.rewrite("Is it well said?", "Is it said well?");
  const missed = await directory.run("--replay recordings");
  expect(missed).toMatchObject({ status: 1, stdout: "" });
  expect(missed.stderr).toContain("request 1 of the judge differs from the recording at ");
  expect(missed.stderr).toContain("replay_mismatch");
  expect(await directory.run("--replay recordings --judge-model builtin/evidence")).toMatchObject({ status: 0 });
  await using provider = await startProvider();
  expect(await directory.run("--replay recordings --live-judge", keyed(provider))).toMatchObject({ status: 0 });
  expect(new Set(provider.requests.map(({ model }) => model))).toEqual(new Set(["judge"]));
  directory.rewrite("Say something of talk.", "Say something else.");
  expect(await refusal()).toContain('talk/a.jsonl no longer fits arm "a": changed since it was recorded: prompt;');
});

test("what was recorded and not asked is told, and fails a strict replay", async () => {
  using directory = openDirectory();
  await recordTo(directory);
  const path = join(directory.path, "recordings/talk/a.jsonl");
  const text = readFileSync(path, "utf8");
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  writeFileSync(path, `${text}${last.replace('"n":1,', '"n":2,')}\n`);
  const strict = await directory.run("--replay recordings --replay-strict");
  expect(strict).toMatchObject({ status: 1, stdout: "" });
  expect(strict.stderr).toContain("talk/a.jsonl: 1 of 2 recorded requests were not asked");
});

test("each trial of a series has its recording, and one recorded run replays as copies", async () => {
  using directory = openDirectory();
  const recorded = await recordTo(directory, "--trials 3");
  expect(recorded.status).toBe(0);
  expect(readdirSync(join(directory.path, "recordings/talk")).sort()).toEqual(["trial-1", "trial-2", "trial-3"]);
  const replayed = await directory.run("--replay recordings --trials 3");
  const seriesIn = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout);
  expect(seriesIn(replayed)).toMatchObject({ state: "completed", counts: seriesIn(recorded).counts });
  const more = await directory.run("--replay recordings --trials 4");
  expect(more.status).toBe(1);
  expect(more.stderr).toContain("talk/trial-4/a.jsonl is missing");
});

test("what is no trial replays the first recording that fits it: that of its row", async () => {
  using directory = openDirectory();
  directory.rewrite("Say something of talk.", '"Say {{word}}."');
  directory.rewrite("task:", "inputs: [{id: one, word: un}, {id: two, word: zwei}]\ntask:");
  expect((await recordTo(directory, "--trials 1")).status).toBe(0);
  for (const row of ["one", "two"])
    expect(await directory.run(`--input ${row} --replay recordings`)).toMatchObject({ status: 0, stderr: "" });
  const checked = await directory.run("--check --sandbox none --replay recordings");
  expect(checked.stdout).not.toContain("no longer fits");
  directory.rewrite("Say {{word}}.", "Tell {{word}}.");
  expect((await directory.run("--input two --replay recordings")).stderr).toContain(
    'talk/trial-1/a.jsonl no longer fits arm "a": changed since it was recorded: prompt',
  );
});

test("a recorded suite replays each scenario, and a check finds the recordings of a series", async () => {
  using directory = openDirectory();
  writeFileSync(join(directory.path, "chat.yaml"), talkText("chat", "gateway"));
  const recorded = await recordTo(directory, "chat.yaml --trials 1");
  const trials = ["chat", "talk"].flatMap((id) => readdirSync(join(directory.path, "recordings", id)));
  expect(trials.sort()).toEqual(["trial-1", "trial-2"]);
  const replayed = await directory.run("chat.yaml --replay recordings --trials 1");
  expect(replayed).toMatchObject({ status: recorded.status, stderr: "" });
  const checked = await directory.run("chat.yaml --check --sandbox none --replay recordings");
  expect(checked.stdout).not.toContain("is missing below");
  expect(checked.status).toBe(0);
});

test("a check says whether the recordings fit", async () => {
  using directory = openDirectory();
  await recordTo(directory);
  const rowOf = async (args: string) => {
    const { stdout } = await directory.run(`--check --json --sandbox none ${args}`);
    return JSON.parse(stdout)[0].checks.filter(({ id }: { id: string }) =>
      ["replay.tapes", "models.judge"].includes(id),
    );
  };
  expect(await rowOf("--replay recordings")).toMatchObject([
    { id: "replay.tapes", status: "pass", detail: "they fit: a, b, judge" },
    { id: "models.judge", status: "pass" },
  ]);
  directory.rewrite("Say something", "Tell something");
  expect(await rowOf("--replay recordings")).toMatchObject([
    { id: "replay.tapes", status: "fail", detail: expect.stringContaining("prompt") },
    { id: "models.judge", status: "skip" },
  ]);
  expect(existsSync(join(directory.path, "recordings/talk/judge.jsonl"))).toBe(true);
});
