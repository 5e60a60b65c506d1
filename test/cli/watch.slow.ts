import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import type { WatchReport } from "../../src/domain/watch.ts";
import { abeval } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { temporaryDirectory } from "../temporary.ts";

const ROWS = Array.from({ length: 6 }, (_, row) => ({ id: `row-${row}`, word: `word${row}` }));

/** The candidate is a model, the baseline a script that never says the word. */
const SCENARIO = JSON.stringify({
  name: "words",
  task: {
    prompt: "Say {{word}}.",
    deliverable: "answer",
    probe: { checks: [{ id: "said", answer_contains: "{{word}}", required: true, before: "fail" }] },
  },
  inputs: ROWS,
  arms: [
    { id: "baseline", model: "scripted/silent", tools: [], script: [{ say: "No." }] },
    { id: "candidate", model: "openai/gpt-x", tools: [] },
  ],
  rubric: { criteria: [{ measure: "probe_score" }], judge: { model: "builtin/evidence" } },
});

/** A provider that says every word until it is told to serve another model, and a stored reference. */
async function openWatched(trials = 4) {
  const state = { good: true };
  const provider = await startFakeProvider({
    reply: () =>
      state.good
        ? { text: ROWS.map(({ word }) => word).join(" "), model: "gpt-x-may" }
        : { text: "Sorry.", model: "gpt-x-june" },
  });
  const directory = temporaryDirectory();
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    abeval(args, { cwd: directory.path, env: { ...provider.environment, ...env } });
  writeFileSync(join(directory.path, "words.yaml"), SCENARIO);
  const args = ["run", "words.yaml", "--trials", String(trials), "--parallel", "4", "--state-dir", "kept", "--quiet"];
  const { stdout, stderr } = await run(args);
  expect(stderr).toBe("");
  const { series_id }: Series = JSON.parse(stdout);
  const watch = (more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
    run(["watch", series_id, "--state-dir", "kept", ...more], env);
  return {
    ...{ state, provider, series_id, run, watch, path: directory.path },
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

const reportIn = (stdout: string): WatchReport => JSON.parse(stdout);

test("one arm runs a night, quiet nights end with 0, and a fall with 5 and the model that replies now", async () => {
  await using watched = await openWatched();
  const { state, provider, series_id, watch, path } = watched;
  const asked = provider.requests.length;
  const quiet = await watch();
  expect([quiet.status, provider.requests.length - asked]).toEqual([0, ROWS.length]);
  const first = reportIn(quiet.stdout);
  expect(first).toMatchObject({
    ...{ reference: series_id, arm: "candidate", night: 1, nights: 1, alarm: false, missing: 0, tasks: 6, trials: 6 },
    detectors: [{ by: "solved", reference: 1, tonight: 1 }],
  });
  expect(quiet.stderr).toContain("6 tasks a night, held to 4 rounds of 100%: a fall to 0 is told in");
  expect(quiet.stderr).toContain(`Quiet: candidate solved 100% tonight, 100% in ${series_id}`);
  // What it knows is in the store: each night is another process.
  state.good = false;
  const falls = [await watch(["--quiet"]), await watch(["--quiet"])];
  const told = reportIn(falls.at(-1)?.stdout ?? "");
  expect(falls.map(({ status, stderr }) => [status, stderr])).toEqual([
    [expect.any(Number), ""],
    [5, ""],
  ]);
  expect(told).toMatchObject({
    ...{ night: 3, nights: 3, alarm: true },
    changed: [{ what: "model_served", from: ["gpt-x-may"], to: ["gpt-x-june"] }],
  });
  expect(told.statement).toContain("Another model replied: gpt-x-june, where it was gpt-x-may in the reference.");
  // Nights are no trials of the comparison, and no series on its runs.
  using database = new Database(join(path, "kept", "sessions.db"), { readonly: true });
  const rows = database.query("SELECT series FROM series").all() as { series: string }[];
  expect(rows.map(({ series }) => JSON.parse(series).watch?.night ?? 0).sort()).toEqual([0, 1, 2, 3]);
  expect(rows.every(({ series }) => JSON.parse(series).series_before === undefined)).toBe(true);
});

test("what cannot be watched is refused with words, before a provider is asked", async () => {
  await using watched = await openWatched(2);
  const { provider, series_id, run, watch, path } = watched;
  const night = reportIn((await watch(["--one-in", "20", "--quiet"])).stdout).series_id;
  const asked = provider.requests.length;
  const refused = async (args: readonly string[], env = {}) => {
    const { status, stdout, stderr } = await run(["watch", ...args], env);
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };
  const here = ["--state-dir", "kept"];
  const gone = "series-20200101T000000000Z-00000000";
  expect(await refused([gone, ...here])).toContain("a reference that was deleted cannot be watched: run a new one");
  expect(await refused([series_id, ...here, "--arm", "candidat"])).toContain(`has no arm "candidat"; did you mean`);
  expect(await refused([series_id, ...here, "--arm", "baseline"])).toContain("has too few runs of baseline");
  expect(await refused([night, ...here])).toContain(`is a night of a watch: name its reference, ${series_id}`);
  expect(await refused([series_id])).toContain("a watch needs --state-dir or --database-url");
  expect(await refused([series_id, "--state-dir", "none"])).toContain("no sessions are kept there");
  expect(await refused([series_id, ...here, "--one-in", "3"])).toContain("--one-in: expected a whole number from 20");
  const continued = await run(["run", "words.yaml", "--trials", "2", "--continue", night, ...here]);
  expect([continued.status, continued.stderr]).toEqual([2, expect.stringContaining("is a night of a watch")]);
  setState(path, series_id, { state: "running" });
  expect(await refused([series_id, ...here])).toContain("is still running: watch it when it has ended");
  expect(provider.requests.length).toBe(asked);
});

/** As another process that lives would leave it. */
function setState(path: string, series_id: string, changes: object): void {
  using database = new Database(join(path, "kept", "sessions.db"));
  const row = database.query("SELECT series FROM series WHERE series_id = ?").get(series_id) as { series: string };
  const series = JSON.stringify({ ...JSON.parse(row.series), ...changes });
  database.query("UPDATE series SET series = ? WHERE series_id = ?").run(series, series_id);
}

test("a scenario with files of its own is read from --scenarios-dir, and refused when it changed", async () => {
  await using watched = await openWatched(2);
  const { run, path } = watched;
  const withFiles = (more: object) =>
    JSON.stringify({
      ...JSON.parse(SCENARIO),
      task: { ...JSON.parse(SCENARIO).task, fixture: "material", ...more },
      inputs: undefined,
      name: "filed",
    }).replaceAll("{{word}}", "word1");
  await Bun.write(join(path, "here", "material", "a.txt"), "a");
  const write = (more = {}) => writeFileSync(join(path, "here", "filed.yaml"), withFiles(more));
  write();
  const asked = ["run", "here/filed.yaml", "--trials", "9", "--parallel", "4", "--state-dir", "kept", "--quiet"];
  const { series_id }: Series = JSON.parse((await run(asked)).stdout);
  const again = (...more: string[]) => run(["watch", series_id, "--state-dir", "kept", "--one-in", "20", ...more]);
  expect((await again("--scenarios-dir", "here")).status).toBe(0);
  const lost = await again();
  expect([lost.status, lost.stderr]).toEqual([2, expect.stringContaining("filed has files that are not in the store")]);
  write({ prompt: "Say word1 at once." });
  const changed = await again("--scenarios-dir", "here");
  expect(changed.status).toBe(2);
  expect(changed.stderr).toContain("an arm, the task or the rubric changed, and that is another comparison");
});

test("--notify changes no status, names no address, and takes https alone", async () => {
  await using watched = await openWatched();
  const { watch, path } = watched;
  const secret = "T0000-very-secret-part";
  const dead = `https://127.0.0.1:1/${secret}`;
  const told = await watch(["--notify", dead]);
  expect(told.status).toBe(0);
  expect(told.stderr).toContain("--notify: the message did not arrive (no connection, ");
  const byVariable = await watch([], { ABEVAL_NOTIFY_URL: dead });
  expect([byVariable.status, byVariable.stderr]).toEqual([0, expect.stringContaining("did not arrive")]);
  const plain = await watch(["--notify", `http://127.0.0.1:1/${secret}`]);
  expect([plain.status, plain.stdout]).toEqual([2, ""]);
  expect(plain.stderr).toContain("--notify: expected an address that begins with https://");
  const kept = await Bun.$`grep -rl ${secret} ${path}`.nothrow().text();
  expect([told, byVariable, plain].map(({ stdout, stderr }) => (stdout + stderr).includes(secret))).toEqual([
    false,
    false,
    false,
  ]);
  expect(kept).toBe("");
});
