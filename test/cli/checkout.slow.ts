import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import type { Series } from "../../src/domain/series.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import type { RunArguments } from "../../src/doors/cli/flags/run-flags.ts";
import { checkoutInputs } from "../../src/doors/cli/services/checkout-inputs.ts";
import { abeval } from "../abeval.ts";
import { scored, scoredScenario } from "../baseline/scored.ts";
import { gitRepository } from "../git-repository.ts";
import { temporaryDirectory } from "../temporary.ts";

const SHUT = { because: "inputs_from_checkout", needs: null } as const;

const WORSE = { because: "worse", needs: null } as const;

const TABLE = ["scenario,trial,arm,passed", ...rows(12)].join("\n");

function rows(trials: number): string[] {
  return Array.from({ length: trials }, (_, at) => [`t${at + 1},1,old,false`, `t${at + 1},1,new,true`]).flat();
}

async function checkout(files: Readonly<Record<string, string>>) {
  const repository = await gitRepository(files);
  const run = async <T extends Verdict | Series>(args: string, env: Readonly<Record<string, string>> = {}) => {
    const finished = await abeval(["run", ...args.split(" "), "--quiet"], { cwd: repository.directory, env });
    return { ...finished, read: () => JSON.parse(finished.stdout || "null") as T };
  };
  return { ...repository, run };
}

test("results that a change can edit open no gate, unless the base has the same or their digest is pinned", async () => {
  await using repository = await checkout({ "results.csv": TABLE });
  const { run, write } = repository;
  const open = { new: "better", old: null } as const;
  const same = (await run<Series>("--results results.csv --arms old,new --base main")).read();
  expect([same.gate, same.gate_reasons, same.inputs_from_checkout]).toEqual([open, { old: WORSE }, undefined]);
  await write("results.csv", `${TABLE}\n`);
  const edited = (await run<Series>("--results results.csv --arms old,new --base main")).read();
  expect(edited).toMatchObject({
    gate: { new: null, old: null },
    gate_reasons: { new: SHUT, old: SHUT },
    inputs_from_checkout: [{ input: "results", path: "results.csv" }],
  });
  expect(edited.flags).toContain("inputs_from_checkout");
  expect(edited.conclusion).toBe("b_preferred");
  const pinned = await run<Series>(`--results results.csv@sha256:${sha256(`${TABLE}\n`)} --arms old,new --base main`);
  expect(pinned.read()).toMatchObject({
    gate: open,
    inputs_from_checkout: [{ input: "results", path: "results.csv", pinned: true }],
  });
  const other = await run(`--results results.csv@sha256:${sha256(TABLE)} --arms old,new`);
  expect([other.status, other.stderr]).toEqual([2, expect.stringContaining("is pinned")]);
});

test("in a pipeline without a base everything in the work tree counts, and elsewhere nothing does", async () => {
  await using repository = await checkout({ "results.csv": TABLE });
  const args = "--results results.csv --arms old,new";
  for (const CI of ["true", "1"])
    expect((await repository.run<Series>(args, { CI })).read().gate).toEqual({ new: null, old: null });
  for (const CI of ["", "false", "0"])
    expect((await repository.run<Series>(args, { CI })).read().gate).toEqual({ new: "better", old: null });
});

test("a link in the checkout counts as edited, whatever it leads to", async () => {
  await using outside = await checkout({ "results.csv": TABLE });
  await using repository = await checkout({ "real.csv": TABLE });
  symlinkSync(repository.path("real.csv"), repository.path("link.csv"));
  symlinkSync(outside.directory, repository.path("way"));
  // Git LFS keeps the files of a change there as they are.
  await repository.write(".git/lfs/objects/made-up", TABLE);
  symlinkSync(repository.path(".git/lfs/objects/made-up"), repository.path("kept.csv"));
  for (const file of ["link.csv", "way/results.csv", "kept.csv"]) {
    const { gate, inputs_from_checkout } = (
      await repository.run<Series>(`--results ${file} --arms old,new --base main`)
    ).read();
    expect(gate).toEqual({ new: null, old: null });
    expect(inputs_from_checkout).toHaveLength(1);
  }
});

test("a scenario that differs from the base is named and shuts nothing; a recorded answer in it does", async () => {
  const arms = [scored("old", [1]), scored("new", [3])];
  await using repository = await checkout({ "scored.yaml": scoredScenario(arms) });
  const { run, write } = repository;
  expect((await run<Verdict>("scored.yaml --base main")).read().inputs_from_checkout).toBeUndefined();
  await write("scored.yaml", scoredScenario([scored("old", [1]), scored("new", [5])]));
  const edited = (await run<Verdict>("scored.yaml --single --base main")).read();
  expect(edited).toMatchObject({
    gate: { old: null, new: "better" },
    inputs_from_checkout: [{ input: "scenario", path: "scored.yaml" }],
  });
  expect(edited.gate_reasons).toEqual({ old: WORSE });
  expect(edited.flags).toContain("inputs_from_checkout");
  const told = { id: "new", ran: { answer: { text: "step 1; step 2; step 3;" } } };
  await write("scored.yaml", scoredScenario([scored("old", [1]), told]));
  const imported = (await run<Verdict>("scored.yaml --base main")).read();
  expect(imported).toMatchObject({
    winner: "new",
    gate: { old: null, new: null },
    gate_reasons: { old: SHUT, new: SHUT },
    inputs_from_checkout: [
      { input: "log", path: "scored.yaml" },
      { input: "scenario", path: "scored.yaml" },
    ],
  });
});

test("files of a commit that differ from the base are named, however the scenario reads them, and shut nothing", async () => {
  const scenario = (fixture: object) => {
    const file = JSON.parse(scoredScenario([scored("old", [1]), scored("new", [3])]));
    return JSON.stringify({ ...file, task: { ...file.task, fixture } });
  };
  await using repository = await checkout({
    "scored.yaml": scenario({ git: "HEAD", path: "app" }),
    "app/a.txt": "1\n",
    "lib/a.txt": "1\n",
  });
  const { run, commit, write, git } = repository;
  const named = async (args: string, env = {}) => {
    const ran = await run<Verdict | Series>(`scored.yaml ${args}`.trim(), env);
    expect(ran.stderr).toBe("");
    const { gate, inputs_from_checkout } = ran.read();
    return [gate["new"], inputs_from_checkout?.map(({ input, path }) => `${input} ${path}`)];
  };
  git("checkout", "--quiet", "-b", "change");
  await write("lib/a.txt", "2\n");
  commit("beside");
  expect(await named("--single --base main")).toEqual(["better", undefined]);
  await write("app/a.txt", "2\n");
  const change = commit("fixture");
  expect(await named("--single --base main")).toEqual(["better", ["scenario git:HEAD:app"]]);
  expect((await named("--base main --trials 2"))[1]).toEqual(["scenario git:HEAD:app"]);
  expect((await named("", { CI: "1" }))[1]).toContain("scenario git:HEAD:app");
  await write("scored.yaml", scenario({ git: change, exclude: ["*.yaml"] }));
  expect((await named("--base main"))[1]).toEqual(["scenario scored.yaml", `scenario git:${change}:.`]);
  await write("scored.yaml", scenario({ git: "main", path: "app" }));
  expect((await named("--base main"))[1]).toEqual(["scenario scored.yaml"]);
});

test.each([
  ["nowhere", "--base nowhere: names no commit of the repository"],
  ["HEAD~3", "--base HEAD~3: names no commit of the repository"],
  ["main:results.csv", "is no name of a commit"],
  ["--help", "--base"],
])("a base that is no commit (%s) is refused, and nothing runs", async (base, words) => {
  await using repository = await checkout({ "results.csv": TABLE });
  const { status, stdout, stderr } = await repository.run(`--results results.csv --arms old,new --base=${base}`);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
});

test("programs of agents and servers that a change could have edited are named as part of the scenario", async () => {
  await using repository = await checkout({ "agents/a/run.sh": "true\n" });
  using elsewhere = temporaryDirectory();
  const named = (agents_dir: string) =>
    checkoutInputs(
      { value: (flag: string) => (flag === "agents-dir" ? agents_dir : undefined) } as Pick<RunArguments, "value">,
      { in_ci: true, replayed_from: undefined },
      {},
    );
  const inputs = await named(repository.path("agents"));
  expect(inputs).toMatchObject([{ input: "scenario", path: expect.stringMatching(/agents$/) }]);
  expect((await named(elsewhere.path)) ?? []).toEqual([]);
});

test("a forged baseline in a pull request opens no gate, and that of the base does", async () => {
  const old = scored("old", [1, 2, 3]);
  await using repository = await checkout({ "scored.yaml": scoredScenario([old, scored("new", [2])]) });
  const { run, commit, git } = repository;
  await run("scored.yaml --trials 12 --seed s --state-dir .state --out series.json");
  const { series_id } = (await Bun.file(repository.path("series.json")).json()) as Series;
  await run(`--bless ${series_id} --state-dir .state --out base.jsonl`);
  await repository.write("scored.yaml", scoredScenario([old, scored("new", [4, 5, 6])]));
  git("add", "base.jsonl", "scored.yaml");
  commit("base");
  const ask = (named: string) => run<Series>(`scored.yaml --trials 12 --seed t --base main --baseline ${named}`);
  expect((await ask("base.jsonl")).read().gate).toEqual({ old: null, new: "better" });
  git("checkout", "--quiet", "-b", "change");
  const text = await Bun.file(repository.path("base.jsonl")).text();
  // A forger who knows the format gives the file another age, and the digest of that.
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .join("\n")
    .replace(/"at":"20/, '"at":"21');
  await repository.write("base.jsonl", `${lines}\n${JSON.stringify({ type: "end", digest: sha256(`${lines}\n`) })}\n`);
  commit("forge");
  for (const named of ["base.jsonl", "git:change:base.jsonl", "git:HEAD:base.jsonl"])
    expect((await ask(named)).read()).toMatchObject({
      gate: { old: null, new: null },
      gate_reasons: { new: SHUT },
      conclusion: "b_preferred",
    });
  expect((await ask("git:main:base.jsonl")).read().gate).toEqual({ old: null, new: "better" });
  // Checks that a change says were looked at are no longer looked at.
  await repository.write("state/checked-baselines/made-up", "");
  const beside = async () => (await ask("git:main:base.jsonl --state-dir state")).read();
  expect((await beside()).gate).toEqual({ old: null, new: "better" });
  commit("say that they were checked");
  expect(await beside()).toMatchObject({
    gate: { old: null, new: null },
    inputs_from_checkout: expect.arrayContaining([{ input: "state_dir", path: "state/checked-baselines" }]),
  });
});

test("answers that stand in the rows of another file shut the gate when that file differs from the base", async () => {
  const told = { id: "new", ran: { answer: { text: "{{said}}" } } };
  const rows = (said: string) => ["id,said", ...Array.from({ length: 6 }, (_, at) => `row-${at},${said}`)].join("\n");
  const scenario = scoredScenario([scored("old", [1]), told], { inputs_file: "rows.csv" });
  await using repository = await checkout({ "scored.yaml": scenario, "rows.csv": rows("nothing") });
  await repository.write("rows.csv", rows("step 1; step 2;"));
  for (const args of ["--input row-1", "--trials 1"])
    expect((await repository.run<Verdict | Series>(`scored.yaml ${args} --base main`)).read()).toMatchObject({
      gate: { old: null, new: null },
      gate_reasons: { new: SHUT },
      inputs_from_checkout: [
        { input: "log", path: "rows.csv" },
        { input: "scenario", path: "rows.csv" },
      ],
    });
});

test("pages beside a committed database count as part of it", async () => {
  const scenario = scoredScenario([scored("old", [1, 2]), scored("new", [3])]);
  await using repository = await checkout({ "scored.yaml": scenario });
  const { run, commit, path } = repository;
  await run("scored.yaml --trials 2 --seed s --state-dir state --out series.json");
  const { series_id } = (await Bun.file(path("series.json")).json()) as Series;
  commit("base");
  const ask = `scored.yaml --trials 2 --seed t --base main --state-dir state --baseline ${series_id}`;
  using database = new Database(path("state/sessions.db"));
  database.run("CREATE TABLE made_up (x)");
  expect(Bun.file(path("state/sessions.db-wal")).size).toBeGreaterThan(0);
  expect((await run<Series>(ask)).read()).toMatchObject({
    gate: { old: null, new: null },
    inputs_from_checkout: expect.arrayContaining([{ input: "state_dir", path: "state/sessions.db-wal" }]),
  });
});

test("a database that a change committed shuts the gate of every run beside it, and one that the job made does not", async () => {
  const scenario = scoredScenario([scored("old", [1]), scored("new", [3])]);
  await using repository = await checkout({ "scored.yaml": scenario });
  const { run, commit } = repository;
  const gates = async () => {
    const { gate, inputs_from_checkout } = (
      await run<Verdict>("scored.yaml --single --base main --state-dir state")
    ).read();
    return [gate["new"], inputs_from_checkout?.map(({ input }) => input)];
  };
  expect(await gates()).toEqual(["better", undefined]);
  expect(await gates()).toEqual(["better", undefined]);
  repository.git("checkout", "--quiet", "-b", "change");
  commit("with its state");
  expect(await gates()).toEqual([null, ["state_dir"]]);
});

test("in a pipeline a base that is itself checked out opens nothing", async () => {
  await using repository = await checkout({ "results.csv": TABLE });
  const args = "--results results.csv --arms old,new --base HEAD";
  expect((await repository.run<Series>(args)).read().gate).toEqual({ new: "better", old: null });
  expect((await repository.run<Series>(args, { CI: "1" })).read().gate).toEqual({ new: null, old: null });
});

test("a tag with the name of a branch elsewhere is neither a base nor where a baseline is read", async () => {
  await using repository = await checkout({ "results.csv": TABLE });
  const { git, run } = repository;
  git("update-ref", "refs/remotes/origin/release", "HEAD");
  git("tag", "release");
  const words = "is ambiguous: write the full name";
  const based = await run("--results results.csv --arms old,new --base release");
  expect([based.status, based.stderr]).toEqual([2, expect.stringContaining(words)]);
  await repository.write("scored.yaml", scoredScenario([scored("old", [1]), scored("new", [3])]));
  const stored = await run("scored.yaml --trials 2 --baseline git:release:results.csv");
  expect([stored.status, stored.stderr]).toEqual([2, expect.stringContaining(words)]);
  const whole = await run<Series>("--results results.csv --arms old,new --base refs/tags/release");
  expect(whole.read().gate).toEqual({ new: "better", old: null });
});
