import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { abeval, startAbeval } from "../abeval.ts";
import { type ScenarioFolder, scenarioFolder } from "../scenario/scenario-folder.ts";
import { exercise } from "../task-sets.ts";

const create = ({ directory }: ScenarioFolder, target = "evals", from = "set") =>
  abeval(["run", "--new", target, `--from=${from}`, "--sandbox", "none", "--quiet"], { cwd: directory });

const readScenario = async ({ path }: ScenarioFolder, file: string) =>
  Bun.YAML.parse(await Bun.file(path(file)).text()) as ScenarioFile;

const conversionOf = async ({ path }: ScenarioFolder) => await Bun.file(path("evals/conversion.json")).json();

describe("a set of tasks", () => {
  test("becomes a directory of scenarios, with a table of what was made and refused, and why", async () => {
    await using folder = await scenarioFolder({
      ...exercise("set/add"),
      ...exercise("set/sub", { solution: "export const add = (a, b) => a - b;\n" }),
      ...exercise("set/mul", { config: { files: { test: ["mul.spec.js"] } } }),
      ...exercise("set/div", { config: { files: { test: ["gone.spec.js"], solution: ["div.js"] } } }),
      "set/README.md": "no task\n",
    });
    const { status, stdout, stderr } = await create(folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("4 tasks of set\n     1  made\n     1    with a reference fix that passes its checks\n");
    expect(stdout).toContain("     1    its own solution does not pass its checks (sub: sub-spec: exit code 1");
    expect(stdout).toContain("     1    names no file of the solution (mul)\n");
    expect(await conversionOf(folder)).toEqual({
      made: [{ task: "add", scenario: "add.yaml", reference: "passed" }],
      refused: [
        { task: "div", reason: 'names "gone.spec.js", which is not there' },
        { task: "mul", reason: "names no file of the solution" },
        { task: "sub", reason: "its own solution does not pass its checks: sub-spec: exit code 1, expected 0" },
      ],
    });
    expect(readdirSync(folder.path("evals")).sort()).toEqual(["add", "add.yaml", "conversion.json"]);
    expect(readdirSync(folder.directory).sort()).toEqual(["evals", "set"]);
  });

  test("of which a task's name holds the end of a line is told in one line for each task", async () => {
    await using folder = await scenarioFolder({ "set/a\nb/.meta/config.json": "[1", "set/c/.meta/config.json": "[1" });
    const { stderr } = await abeval(["run", "--new", "evals", "--from=set", "--sandbox", "none"], {
      cwd: folder.directory,
    });
    const told = stderr.split("\n").filter((line) => line !== "" && / of 2 {2}/.test(line) === false);
    expect(told).toEqual([]);
    expect(stderr).toContain(" of 2  a b  refused: ");
  });

  test("whose tasks are called alike has names with the directory above", async () => {
    await using folder = await scenarioFolder({ ...exercise("set/easy/add"), ...exercise("set/hard/add") });
    expect((await create(folder)).status).toBe(0);
    expect((await conversionOf(folder)).made.map(({ scenario }: { scenario: string }) => scenario)).toEqual([
      "easy-add.yaml",
      "hard-add.yaml",
    ]);
  });

  test("of which no task can be made leaves nothing behind", async () => {
    await using folder = await scenarioFolder({ "set/a/.meta/config.json": "[1", "set/b/.meta/config.json": "[1]" });
    const { status, stdout } = await create(folder, "new/evals");
    expect(status).toBe(2);
    expect(stdout).toContain("     1    .meta/config.json has no valid JSON (a)\n");
    expect(stdout).toContain("Nothing was written: no task can become a scenario here.");
    expect(readdirSync(folder.directory)).toEqual(["set"]);
  });

  test("that is stopped leaves what it made, and the same command goes on", async () => {
    await using folder = await scenarioFolder({ ...exercise("set/add"), ...exercise("set/wait") });
    const spec = await Bun.file(folder.path("set/wait/wait.spec.js")).text();
    await Bun.write(
      folder.path("set/wait/wait.spec.js"),
      `await new Promise(() => setInterval(() => {}, 1e6));\n${spec}`,
    );
    const args = ["run", "--new", "evals", "--from=set", "--sandbox", "none"];
    const stopped = startAbeval(args, { cwd: folder.directory });
    let told = "";
    for await (const piece of stopped.stderr) {
      told += new TextDecoder().decode(piece);
      if (told.includes("1 of 2  add  made\n")) stopped.kill("SIGINT");
    }
    expect(await stopped.exited).toBe(130);
    expect(told).toBe("1 of 2  add  made\nabeval: 1 task left to try; the same command continues\n");
    const made = [{ task: "add", scenario: "add.yaml", reference: "passed" }];
    expect(await conversionOf(folder)).toEqual({ made, refused: [], unfinished: { from: "set", waiting: 1 } });
    expect(readdirSync(folder.path("evals")).sort()).toEqual(["add", "add.yaml", "conversion.json"]);
    expect(readdirSync(folder.directory).sort()).toEqual(["evals", "set"]);

    const other = await create(folder, "evals", "set/add/..");
    expect(other).toMatchObject({ status: 2, stdout: "" });
    expect(other.stderr).toContain("evals: holds a part of set; continue with --from set, or name another directory");

    await Bun.write(folder.path("set/wait/wait.spec.js"), spec);
    await Bun.write(folder.path("evals/wait/probe/left"), "of a process that was killed\n");
    const { status, stderr } = await abeval(args, { cwd: folder.directory });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "2 of 2  wait  made\n" });
    expect(await conversionOf(folder)).toEqual({
      made: [...made, { task: "wait", scenario: "wait.yaml", reference: "passed" }],
      refused: [],
    });
    expect(readdirSync(folder.path("evals/wait/probe"))).toEqual(["wait.spec.js"]);
    expect((await create(folder)).stderr).toContain("evals: the directory exists and is not empty");
  });

  test("of one task becomes a file or a directory, as its name asks; so does a task alone", async () => {
    await using folder = await scenarioFolder(exercise("set/add"));
    for (const [from, one, several] of [
      ["set", "a.yaml", "a"],
      ["set/add", "b.yaml", "b-set"],
    ] as const) {
      expect((await create(folder, one, from)).status).toBe(0);
      expect((await create(folder, `sets/${several}`, from)).status).toBe(0);
      expect((await readScenario(folder, one)).name).toBe(one.replace(".yaml", ""));
      expect(readdirSync(folder.path(`sets/${several}`)).sort()).toEqual(["add", "add.yaml", "conversion.json"]);
    }
  });

  test.each([
    ["a directory that is not empty", "full", "set", /full: the directory exists and is not empty/],
    ["a file", "full/a.txt", "set", /full\/a\.txt: is a file/],
    ["one file for a set", "one.yaml", "set", /is a set of 2 tasks; give --new a directory in place of one\.yaml/],
    [
      "an archive of tasks",
      "evals",
      "full/a.tar.gz",
      /--from full\/a\.tar\.gz: is an archive; unpack it, and name its directory/,
    ],
    ["a directory without tasks", "evals", "full", /--from full: holds no task of a known form; a task has one of/],
  ])("is refused for %s", async (_what, target, from, said) => {
    await using folder = await scenarioFolder({
      ...exercise("set/add"),
      ...exercise("set/sub"),
      "full/a.txt": "mine\n",
      "full/a.tar.gz": "",
    });
    const { status, stdout, stderr } = await create(folder, target, from);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(said);
    expect(readdirSync(folder.directory).sort()).toEqual(["full", "set"]);
  });

  test("runs as one series when its directory is named, and its files are checked together", async () => {
    await using folder = await scenarioFolder({ ...exercise("set/add"), ...exercise("set/mul") });
    await create(folder);
    const run = await abeval(["run", "evals", "--sandbox", "none", "--quiet"], { cwd: folder.directory });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(run.stdout)).toMatchObject({
      state: "completed",
      scenarios: [{ scenario: "add" }, { scenario: "mul" }],
    });
    const check = await abeval(["run", "--check", "evals", "--sandbox", "none", "--quiet"], { cwd: folder.directory });
    expect(check.stdout).toContain("2 of 2 ready\n");
    const none = await abeval(["run", "set", "--quiet"], { cwd: folder.directory });
    expect(none).toMatchObject({ status: 2, stdout: "" });
    expect(none.stderr).toContain("set: the directory has no scenario files, which end in .yaml");
  });
});

describe("an exercise", () => {
  test("has its stub as fixture, its tests hidden and unskipped, and its example as reference", async () => {
    await using folder = await scenarioFolder(exercise("set/add"));
    const { status, stdout } = await create(folder, "evals/sum.yaml", "set/add");
    expect(status).toBe(0);
    expect(stdout).toContain("evals/sum.yaml: ready");
    const { task, tags } = await readScenario(folder, "evals/sum.yaml");
    expect({ task, tags }).toEqual({
      tags: ["exercism"],
      task: {
        prompt: "Add two numbers.\n\nWrite the solution in `add.js`. Keep the names that stand there.\n",
        fixture: "sum/fixture",
        probe: {
          dir: "sum/probe",
          checks: [{ id: "add-spec", run: "bun test ./add.spec.js", before: "fail", required: true }],
        },
        reference_fix: { dir: "sum/reference" },
      },
    });
    expect(readdirSync(folder.path("evals/sum/fixture"))).toEqual(["add.js"]);
    expect(await Bun.file(folder.path("evals/sum/probe/add.spec.js")).text()).toContain('\ntest("negative"');
  });

  test.each([
    ["a link", async ({ path }: ScenarioFolder) => await symlink("/etc/passwd", path("set/add/data"))],
    [
      "a linked description",
      async ({ path }: ScenarioFolder) => {
        await Bun.write(path("secret.md"), "secret\n");
        await mkdir(path("set/add/.docs2"));
        await symlink(path("secret.md"), path("set/add/.docs/introduction.md"));
      },
    ],
  ])("with %s is refused, and nothing is written", async (_what, harm) => {
    await using folder = await scenarioFolder(exercise("set/add"));
    await harm(folder);
    const { status, stdout, stderr } = await create(folder, "evals/add.yaml", "set/add");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/--from set\/add: holds the link ".*"; links are not taken over/);
    expect(readdirSync(folder.directory)).not.toContain("evals");
  });

  test("whose solution lies outside of it is refused, and nothing is written there", async () => {
    const config = { files: { solution: ["../../../escaped.js"], test: ["add.spec.js"], example: [".meta/proof.js"] } };
    await using folder = await scenarioFolder(exercise("set/add", { config }));
    const { status, stderr } = await create(folder, "evals/add.yaml", "set/add");
    expect(status).toBe(2);
    expect(stderr).toContain("names a file outside of its own directory");
    expect(readdirSync(folder.directory)).not.toContain("escaped.js");
    expect(readdirSync(folder.directory)).not.toContain("evals");
  });

  test("with a description that is a bomb is refused in no time", async () => {
    await using folder = await scenarioFolder({ "set/a/.meta/config.json": `{"files": ${"[".repeat(100_000)}` });
    expect((await create(folder)).stdout).toContain("100002 values, at most 20000 are read (a)");
  });
});
