import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import { Contest } from "../../src/domain/contest.ts";
import type { Series } from "../../src/domain/series.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { abeval } from "../abeval.ts";
import { temporaryDirectory } from "../temporary.ts";

/** A wins every scenario but one, which both pass. */
const TABLE = [
  "scenario,trial,arm,passed",
  ...Array.from({ length: 10 }, (_, index) => `task-${index},1,new,true\ntask-${index},1,old,${index === 0}`),
  "task-0,1,third,false",
].join("\n");

function openTable(text = TABLE) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory.path, "results.csv"), text);
  const run = (args: string) => abeval(["run", ...args.split(" ")], { cwd: directory.path });
  return { path: directory.path, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

test("--results prints the series of a table, writes every report, and keeps nothing", async () => {
  using table = openTable();
  const reports = "--out o.json --html o.html --markdown o.md --junit o.xml";
  const { stdout, stderr, status } = await table.run(`--results results.csv --arms new,old ${reports}`);
  expect(status, stderr).toBe(0);
  const series: Series = JSON.parse(stdout);
  expect(series).toMatchObject({
    ...{ kind: "results", conclusion: "a_preferred", gate: { new: "better", old: null } },
    counts: { trials: 10, wins: 9, ties: 1 },
  });
  expect(stderr).toMatch(/^new solved \d+ of 10, old \d+ of 10: /m);
  expect(stderr).toContain("results_imported");
  const read = (name: string) => Bun.file(join(table.path, name)).text();
  expect(JSON.parse(await read("o.json"))).toEqual(series);
  expect(await read("o.html")).toContain("Imported results");
  expect(await read("o.md")).toContain("| trial | scenario | outcome | counts | cost | results |");
  expect(await read("o.xml")).toContain("new won (1 : 0)");
  expect(existsSync(join(table.path, "sessions.db"))).toBe(false);
  // The same table says the same, to the byte.
  expect((await table.run("--results results.csv --arms new,old --quiet")).stdout).toBe(stdout);
});

test("--results with --state-dir stores a table once, and never among the runs of a comparison", async () => {
  using table = openTable();
  const args = "--results results.csv --arms new,old --quiet --state-dir state";
  const first = await table.run(args);
  expect(first.status, first.stderr).toBe(0);
  const series: Series = JSON.parse(first.stdout);
  expect(series.created_at).toBeString();
  expect((await table.run(args)).stdout).toBe(first.stdout);
  const plain: Series = JSON.parse((await table.run("--results results.csv --arms new,old --quiet")).stdout);
  expect(series.ledger).toEqual({ comparisons: 1, claims: 1, by_chance: 0.05 });
  expect({ ...series, created_at: null, finished_at: null, ledger: null } as Series).toEqual(plain);
  using store = sqliteStore(join(table.path, "state"), systemClock, systemEntropy);
  expect((await store.series.list()).map(({ series_id }) => series_id)).toEqual([series.series_id]);
  expect(await store.trials({ comparison: "" })).toEqual([]);
  const refused = await table.run(`--bless ${series.series_id} --out b.jsonl --state-dir state`);
  expect([refused.status, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("results of runs made elsewhere");
});

test("--results of three arms is a contest in every form", async () => {
  using table = openTable();
  const reports = "--html o.html --markdown o.md --junit o.xml";
  const { stdout, stderr, status } = await table.run(`--results results.csv --arms new old third ${reports}`);
  expect(status, stderr).toBe(0);
  const contest: Contest = JSON.parse(stdout);
  expect([...Value.Errors(Contest, contest)]).toEqual([]);
  expect(contest).toMatchObject({ kind: "contest", gate: { old: null, new: "not_worse" } });
  expect(contest.gate_reasons?.["old"]).toEqual({ because: "control", needs: null });
  const first = "Against old: new is not worse by 10 points or more";
  expect(stderr).toContain(first);
  const read = (name: string) => Bun.file(join(table.path, name)).text();
  expect(await read("o.html")).toContain(`<h1>Against old: `);
  expect(await read("o.md")).toContain("| arm | answer | rank | solved | points against old |");
  const junit = await read("o.xml");
  expect(junit).toContain('name="gate of new" time="0.000"><system-out>');
  expect(junit).toContain('name="gate of third" time="0.000"><failure ');
  expect(junit).not.toContain('name="gate of old"');
  const best = await table.run("--results results.csv --best --quiet");
  expect(best.status, best.stderr).toBe(0);
  expect(JSON.parse(best.stdout).contest).toMatchObject({ mode: "best", control: null });
});

test.each([
  ["--results results.csv --arms new old nobody", 'results.csv:1: no row has the arm "nobody"; the arms are'],
  ["--results results.csv --arms new,old,new", 'results.csv:1: the arm "new" is named twice; name each once'],
  ["--results results.csv --control nobody", 'results.csv:1: --control: no arm is "nobody"; the arms are'],
  ["--results results.txt", "results.txt: a table of results ends in .csv or .jsonl"],
  ["--results none.csv", "none.csv: does not exist"],
  ["--results results.csv more.csv", "--results takes one table; leave out more.csv"],
  ["--results results.csv --trials 3", "--trials does not go with --results, which runs no arm"],
  ["--results results.csv --arms new,old --tie-margin 1", "--tie-margin: expected a number from 0 to below 1"],
  ["--results results.csv --arms new,old --out results.csv", "is the table, which a report would overwrite"],
  ["results.csv --arms new,old", "--arms goes with --results"],
] as const)("%s is refused", async (args, said) => {
  using table = openTable();
  const { stdout, stderr, status } = await table.run(args);
  expect(stderr).toContain(said);
  expect([status, stdout]).toEqual([2, ""]);
});
