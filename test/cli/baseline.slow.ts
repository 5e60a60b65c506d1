import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Series } from "../../src/domain/series.ts";
import { abeval } from "../abeval.ts";
import { scored, scoredScenario } from "../baseline/scored.ts";
import { temporaryDirectory } from "../temporary.ts";

const OLD = scored("old", [1, 2, 3]);

/** A directory with a stored series of two trials. */
async function openBlessable() {
  const directory = temporaryDirectory();
  const write = (name: string, text: string) => writeFileSync(join(directory.path, name), text);
  const run = (args: string) => abeval(["run", ...args.split(" ")], { cwd: directory.path });
  write("scored.yaml", scoredScenario([OLD, scored("new", [2])]));
  const { stdout, stderr } = await run("scored.yaml --trials 2 --seed s --state-dir state --quiet");
  expect(stderr).toBe("");
  const { series_id }: Series = JSON.parse(stdout);
  write("scored.yaml", scoredScenario([OLD, scored("new", [4, 5, 6])]));
  return { series_id, path: directory.path, write, run, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

test("--bless writes a file with which a pull request runs one arm, in a directory that has nothing else", async () => {
  using blessable = await openBlessable();
  const { series_id, path, run } = blessable;
  const blessed = await run(`--bless ${series_id} --state-dir state --out base.jsonl`);
  expect([blessed.status, blessed.stdout]).toEqual([0, ""]);
  expect(blessed.stderr).toContain(`base.jsonl: the runs of ${series_id}; compare with --baseline base.jsonl`);
  expect(blessed.stderr).not.toContain("prefers an arm");
  const { stdout, stderr, status } = await run("scored.yaml --trials 3 --seed t --baseline base.jsonl");
  expect(status, stderr).toBe(0);
  const series: Series = JSON.parse(stdout);
  expect(series.plan?.baseline).toMatchObject({ series_id, side: "a", runs: 2 });
  expect(series.counts).toMatchObject({ trials: 3, failed: 0 });
  expect(stderr).toContain(`2 stored runs of ${series_id}`);
  expect(stderr).toContain("both arms run from trial 3 on");
  // By its id it is the same, where it is stored.
  const stored = await run(`scored.yaml --trials 2 --seed t --baseline ${series_id} --state-dir state --quiet`);
  expect((JSON.parse(stored.stdout) as Series).plan?.baseline?.digest).toBe(series.plan?.baseline?.digest);
  expect(existsSync(join(path, "base.jsonl.part"))).toBe(false);
});

test("--bless says that nothing will be concluded on a series that prefers an arm", async () => {
  using blessable = await openBlessable();
  const { run } = blessable;
  const { series_id, conclusion }: Series = JSON.parse(
    (await run("scored.yaml --trials 12 --seed p --state-dir state --quiet")).stdout,
  );
  expect(conclusion).toBe("b_preferred");
  const { status, stderr } = await run(`--bless ${series_id} --state-dir state --out base.jsonl`);
  expect(status).toBe(0);
  expect(stderr).toContain("This series prefers an arm, so nothing will be concluded on its runs");
});

test("what is no baseline, or does not fit, is refused with words and without a series", async () => {
  using blessable = await openBlessable();
  const { series_id, path, write, run } = blessable;
  await run(`--bless ${series_id} --state-dir state --out base.jsonl --quiet`);
  const text = await Bun.file(join(path, "base.jsonl")).text();
  write("edited.jsonl", text.replaceAll("step 1;", "step 2;"));
  write("cut.jsonl", text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1));
  write("no.jsonl", "{}\n");
  const other = scoredScenario([scored("else", [1]), scored("new", [9])]);
  write("other.yaml", other.replace(`"name":"scored"`, `"name":"other"`));
  const unknown = `series-20200101T000000000Z-00000000`;
  const refused = async (args: string) => {
    const { status, stdout, stderr } = await run(args);
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };
  const with_ = (baseline: string, more = "--trials 2 --quiet") =>
    refused(`scored.yaml --baseline ${baseline} ${more}`);
  expect(await with_("edited.jsonl")).toContain("was edited: its digest is that of other lines");
  expect(await with_("cut.jsonl")).toContain("is not whole: its last line is missing");
  expect(await with_("no.jsonl")).toContain("no.jsonl:1: is no such line");
  expect(await with_("none.jsonl")).toContain("none.jsonl: does not exist");
  expect(await with_(unknown)).toContain("give the --state-dir or --database-url that holds it");
  expect(await with_("base.jsonl", "--quiet")).toContain("--baseline goes with --trials: one trial shows nothing");
  expect(await with_("base.jsonl", "--aa old --trials 8")).toContain("--baseline does not go with --aa");
  expect(await with_("base.jsonl", "--trials 2 --record tape")).toContain("--baseline does not go with recordings");
  expect(await refused("other.yaml --trials 2 --quiet --baseline base.jsonl")).toContain(
    "has no runs of other; it has scored",
  );
  expect(await refused(`--bless ${unknown} --state-dir state --out no.out`)).toContain("there is no series");
  expect(await refused(`--bless ${series_id} --state-dir state`)).toContain("--bless needs --out <file>");
  expect(await refused(`--bless ${series_id} --out no.out`)).toContain("give the --state-dir or --database-url");
  expect(await refused(`--bless ${series_id} two --state-dir state --out no.out`)).toContain("takes one series id");
  expect(await refused(`--bless ${series_id} --trials 2 --out no.out`)).toContain("does not go with --bless");
  expect(existsSync(join(path, "no.out"))).toBe(false);
});
