import { describe, expect, test } from "bun:test";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fixtureSource } from "../../src/comparison/scenario/fixture-source.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { type LoadedScenario, membersOf } from "../../src/comparison/scenario/loaded-scenario.ts";
import { gitRepository } from "../git-repository.ts";
import { runOnce, testServices } from "../harness.ts";
import { GIT } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const CHECK = { run: "sh t.sh" };

function yaml(task: object, arms: object = {}, name = "one") {
  const arm = (id: string) => ({ id, model: `scripted/${id}`, system_prompt: id, script: [{ say: "hi" }], ...arms });
  return JSON.stringify({
    name,
    task: { prompt: "Do it.", ...task },
    arms: [arm("a"), arm("b")],
    rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
  });
}

const hidden = (fixture: unknown, more: object = {}) => ({
  fixture,
  probe: { dir: "hidden", checks: [CHECK] },
  ...more,
});

/** Undefined: nothing. */
const exposedOf = async ({ findExposed }: Pick<LoadedScenario, "findExposed">, agents_dir?: string) => {
  const found = (await findExposed?.(agents_dir)) ?? [];
  return found.length > 0 ? found : undefined;
};
const exposedIn = async (path: string) => await exposedOf(await loadScenarioFile(path));

/** The paths that a workspace would hold. */
async function given(loaded: LoadedScenario): Promise<string[]> {
  using to = temporaryDirectory();
  await fixtureSource(loaded).fill?.(to.path);
  const found = await readdir(to.path, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => !entry.isDirectory());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(to.path.length + 1)).sort();
}

/** The globs of the line that is to be written. */
const globsIn = (mend: string | undefined): string[] =>
  JSON.parse(/exclude: (\[.*?\])$/m.exec(mend ?? "")?.[1] ?? "null");

describeNeeding(GIT)("a fixture of the repository around the scenario", () => {
  const APP = { "app/main.py": "print('hello')\n" };
  const EVALS = { "evals/one.yaml": yaml(hidden({ git: "HEAD" })), "evals/hidden/t.sh": "true\n" };

  test("is refused while it holds the scenario, and runs with the line that is given", async () => {
    await using repository = await gitRepository({ ...APP, ...EVALS });
    const path = repository.path("evals/one.yaml");
    const services = testServices({}, { sandbox: "none" });
    const refused = await failureOf(loadScenarioFile(path).then((loaded) => runOnce(services, loaded)));
    expect(refused.code).toBe("invalid_request");
    expect(refused.message).toBe(
      `${path}: task.fixture shows arms what they are tested with: the scenario file can be read in evals/one.yaml; t.sh can be read in evals/hidden/t.sh\nwrite in task.fixture: exclude: ["evals"]`,
    );
    const look = { run: "test -e app/main.py && test ! -e evals && test ! -e .git" };
    const task = hidden(
      { git: "HEAD", exclude: globsIn(refused.message) },
      { probe: { dir: "hidden", checks: [look] } },
    );
    await Bun.write(path, yaml(task));
    const { outcome } = await runOnce(services, await loadScenarioFile(path));
    expect(outcome.arms.map(({ probe }) => probe?.passed)).toEqual([1, 1]);
  });

  test.each([
    "evals",
    "my evals",
    "évals ✓ 評価",
    "we[i]rd*?",
    "!not",
    "a+(b|c)",
    "{1..3}",
    "{a,b}",
    "quo\"te's: #x",
    ":evals",
    "tools/deep/evals",
    "[[:alpha:]]",
  ])("leaves out %j by the line that is given, and nothing beside it", async (directory) => {
    const beside = { "keep.txt": "1\n", "tools/keep.txt": "1\n", [`${directory}x/keep.txt`]: "1\n" };
    await using repository = await gitRepository({
      ...beside,
      [`${directory}/one.yaml`]: yaml(hidden({ git: "HEAD" })),
      [`${directory}/hidden/t.sh`]: "true\n",
    });
    const path = repository.path(`${directory}/one.yaml`);
    const globs = globsIn((await exposedIn(path))?.[0]?.mend);
    await Bun.write(path, yaml(hidden({ git: "HEAD", exclude: globs })));
    const loaded = await loadScenarioFile(path);
    expect(await exposedOf(loaded)).toBeUndefined();
    expect(await given(loaded)).toEqual(Object.keys(beside).sort());
  });

  test("is found where its top lies around, at and below the scenario", async () => {
    const layout = (fixture: object) => ({ "lib/x.txt": "1\n", "lib/evals/one.yaml": yaml(hidden(fixture)) });
    const mends = async (fixture: object) => {
      await using repository = await gitRepository({ ...layout(fixture), "lib/evals/hidden/t.sh": "true\n" });
      return (await exposedIn(repository.path("lib/evals/one.yaml")))?.map(({ mend }) => mend);
    };
    expect(await mends({ git: "HEAD", path: "lib/" })).toEqual(['write in task.fixture: exclude: ["evals"]']);
    expect(await mends({ git: "HEAD", path: "lib/evals" })).toEqual([
      'write in task.fixture: exclude: ["one.yaml", "hidden"]',
    ]);
    expect(await mends({ git: "HEAD", path: "lib/evals/hidden" })).toEqual(["name files without them in task.fixture"]);
    expect(await mends({ git: "HEAD", exclude: ["lib/*.txt"] })).toEqual([
      'write in task.fixture: exclude: ["lib/*.txt", "lib/evals"]',
    ]);
    expect(await mends({ git: "HEAD", exclude: ["**/evals"] })).toBeUndefined();
  });

  test("beside the scenario exposes nothing, whatever its files are called", async () => {
    await using repository = await gitRepository({
      "app/evals/one.yaml": "greeting: hello\n",
      "evals/one.yaml": yaml(hidden({ git: "HEAD", path: "app" })),
      "evals/hidden/t.sh": "true\n",
    });
    expect(await exposedIn(repository.path("evals/one.yaml"))).toBeUndefined();
  });

  test("from before the scenario exposes only other scenarios in its place", async () => {
    await using repository = await gitRepository({ ...APP, "evals/README.md": "task arms rubric\n" });
    const before = repository.git("rev-parse", "HEAD");
    await Bun.write(repository.path("evals/other.yaml"), yaml({}, {}, "other"));
    const other = repository.commit("other");
    const path = repository.path("evals/one.yaml");
    await Bun.write(repository.path("evals/hidden/t.sh"), "true\n");
    await Bun.write(path, yaml(hidden({ git: before })));
    expect(await exposedIn(path)).toBeUndefined();
    await Bun.write(path, yaml(hidden({ git: other })));
    expect((await exposedIn(path))?.map(({ found }) => found)).toEqual([
      ["another scenario can be read in evals/other.yaml"],
    ]);
  });

  test("whose code lies around the scenario may leave out the files alone", async () => {
    await using repository = await gitRepository({
      "app/main.py": "x\n",
      "app/one.yaml": yaml(hidden({ git: "HEAD" })),
      "app/hidden/t.sh": "true\n",
    });
    const path = repository.path("app/one.yaml");
    expect((await exposedIn(path))?.map(({ mend }) => mend)).toEqual([
      'write in task.fixture: exclude: ["app"]\nor, if arms need other files of app: exclude: ["app/one.yaml", "app/hidden"]',
    ]);
    await Bun.write(path, yaml(hidden({ git: "HEAD", exclude: ["app/hidden", "app/one.yaml"] })));
    const loaded = await loadScenarioFile(path);
    expect(await exposedOf(loaded)).toBeUndefined();
    expect(await given(loaded)).toEqual(["app/main.py"]);
  });

  test("is seen through links to the directory and to the file", async () => {
    await using repository = await gitRepository({ ...APP, ...EVALS });
    await symlink("evals", repository.path("linked"));
    await mkdir(repository.path("two"));
    await symlink("../evals/one.yaml", repository.path("two/one.yaml"));
    await Bun.write(repository.path("two/hidden/t.sh"), "true\n");
    repository.commit("links");
    const told = async (path: string) => (await exposedIn(repository.path(path)))?.flatMap(({ found }) => found);
    const inEvals = ["the scenario file can be read in evals/one.yaml", "t.sh can be read in evals/hidden/t.sh"];
    expect(await told("linked/one.yaml")).toEqual(inEvals);
    expect(await told("two/one.yaml")).toEqual([
      "the scenario file can be read in two/one.yaml",
      "the scenario file can be read in evals/one.yaml",
      "t.sh can be read in two/hidden/t.sh",
    ]);
  });

  test("may leave out a submodule", async () => {
    await using repository = await gitRepository(APP);
    const head = repository.git("rev-parse", "HEAD");
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},sub/below`);
    repository.git("commit", "--quiet", "--message", "submodule");
    const path = repository.path("evals/one.yaml");
    await Bun.write(path, yaml({ fixture: { git: "HEAD", exclude: ["sub"] } }));
    expect(await given(await loadScenarioFile(path))).toEqual(["app/main.py"]);
  });

  test("has the digest of what is left, so that a change of what is left out changes no comparison", async () => {
    await using repository = await gitRepository({ ...APP, ...EVALS });
    const path = repository.path("evals/one.yaml");
    const digestOf = async (fixture: object) => {
      await Bun.write(path, yaml(hidden(fixture)));
      return (await loadScenarioFile(path)).definition.task.fixture?.digest;
    };
    const whole = await digestOf({ git: "HEAD" });
    const left = await digestOf({ git: "HEAD", exclude: ["evals/**"] });
    expect(left).not.toBe(whole);
    expect(left).toBe(
      await digestOf({ git: "HEAD", path: "app", files: {} }).then(() => digestOf({ git: "HEAD", exclude: ["evals"] })),
    );
    await Bun.write(repository.path("evals/more.txt"), "more\n");
    repository.commit("more");
    expect(await digestOf({ git: "HEAD", exclude: ["evals"] })).toBe(left);
  });

  test("gives an arm's own files and an agent's home nothing of the scenario", async () => {
    const agent = { use: "claude-code", install: "x", files: { git: "HEAD", path: "evals" } };
    await using repository = await gitRepository({ ...APP, ...EVALS });
    const path = repository.path("evals/one.yaml");
    const file = JSON.parse(yaml(hidden({ git: "HEAD", path: "app" })));
    const [first, second] = file.arms;
    const agentArm = { id: "b", model: "anthropic/x", agent };
    await Bun.write(
      path,
      JSON.stringify({ ...file, arms: [{ ...first, files: { git: "HEAD", path: "evals" } }, second] }),
    );
    expect((await exposedIn(path))?.map(({ among, mend }) => [among, mend])).toEqual([
      ["arms[0].files", "name files without them in arms[0].files"],
    ]);
    await Bun.write(path, JSON.stringify({ ...file, arms: [first, agentArm] }));
    expect((await exposedIn(path))?.map(({ among }) => among)).toEqual(["arms[1].agent.files"]);
  });
});

describe("a directory as fixture", () => {
  test("may leave out what lies in it, and its workspace does not have it", async () => {
    const look = { run: "test -e main.py && test ! -e hidden && test ! -e deep/notes.md" };
    const task = (fixture: unknown) => ({ fixture, probe: { dir: "app/hidden", checks: [look] } });
    await using folder = await scenarioFolder({
      "one.yaml": yaml(task("app")),
      "app/main.py": "x\n",
      "app/hidden/t.sh": "true\n",
      "app/deep/notes.md": "1\n",
    });
    const path = folder.path("one.yaml");
    expect((await exposedIn(path))?.map(({ mend }) => mend)).toEqual([
      'write in task: fixture: {dir: "app", exclude: ["hidden"]}',
    ]);
    await Bun.write(path, yaml(task({ dir: "app", exclude: ["hidden", "**/*.md"] })));
    const { outcome } = await runOnce(testServices({}, { sandbox: "none" }), await loadScenarioFile(path));
    expect(outcome.arms.map(({ probe }) => probe?.passed)).toEqual([1, 1]);
  });

  test("is looked at for each member with its own files", async () => {
    const file = JSON.parse(yaml({ fixture: "app" }));
    const inputs = [
      { id: "beside", answer: "beside.txt" },
      { id: "within", answer: "app/answer.txt" },
    ];
    const arms = [{ id: "a", ran: { answer: "{{answer}}" } }, file.arms[1]];
    await using folder = await scenarioFolder({
      "one.yaml": JSON.stringify({ ...file, arms, inputs }),
      "beside.txt": "1\n",
      "app/answer.txt": "2\n",
    });
    const { table } = await loadScenarioFile(folder.path("one.yaml"));
    const members = await Promise.all((table?.rows ?? []).map((row) => table?.resolve(row)));
    const exposed = await Promise.all(members.map((member) => exposedOf(member ?? expect.unreachable())));
    expect(exposed.map((found) => found?.map(({ mend }) => mend))).toEqual([
      undefined,
      ['write in task: fixture: {dir: "app", exclude: ["answer.txt"]}'],
    ]);
  });

  test.each([
    ["the reference fix", { reference_fix: { patch: "app/fix.patch" } }, "app/fix.patch"],
    ["the reference answer", { reference_answer: { file: "app/answer.txt" } }, "app/answer.txt"],
  ])("that holds %s is refused", async (what, more, file) => {
    await using folder = await scenarioFolder({
      "one.yaml": yaml({ fixture: "app", ...more }),
      "app/a.txt": "1\n",
      [file]: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n",
    });
    expect((await exposedIn(folder.path("one.yaml")))?.map(({ found }) => found)).toEqual([
      [`${what} can be read in ${file.slice("app/".length)}`],
    ]);
  });

  test("that holds the table of inputs is refused, and so is one that is mounted beside", async () => {
    const files = { "data/rows.csv": "id,city\none,Rome\n", "one.yaml": "" };
    await using folder = await scenarioFolder(files);
    const file = JSON.parse(yaml({ prompt: "Go to {{city}}.", fixture: { also: { "/data": "data" } } }));
    await Bun.write(folder.path("one.yaml"), JSON.stringify({ ...file, inputs_file: "data/rows.csv" }));
    expect(await exposedIn(folder.path("one.yaml"))).toEqual([
      {
        among: "task.fixture.also /data",
        found: ["the table of inputs can be read in rows.csv"],
        mend: "name files without them in task.fixture.also /data",
      },
    ]);
  });

  test("whose history has what is left out says so", async () => {
    await using folder = await scenarioFolder({
      "one.yaml": yaml({ fixture: { dir: "app", exclude: ["hidden"] } }),
      "app/.git/HEAD": "ref: refs/heads/main\n",
    });
    const { message } = await failureOf(loadScenarioFile(folder.path("one.yaml")));
    expect(message).toContain(
      'app holds .git/HEAD: history has what `exclude` leaves out; add "**/.git", or set `repository: true`',
    );
    for (const more of [{ exclude: ["hidden", "**/.git"] }, { exclude: ["hidden"], repository: true }]) {
      await Bun.write(folder.path("one.yaml"), yaml({ fixture: { dir: "app", ...more } }));
      expect(await exposedIn(folder.path("one.yaml"))).toBeUndefined();
    }
  });

  test.each([
    [{ exclude: ["evals"] }, "leaves something out of `dir` or `git`, and there is neither"],
    [{ dir: "app", exclude: ["evals/"] }, 'for everything in a directory write "evals/**"'],
    [{ dir: "app", exclude: ["/evals"] }, "is absolute"],
    [{ dir: "app", exclude: ["a+(b)"] }, "uses a pattern that is not supported"],
  ])("%j is refused with its place", async (fixture, said) => {
    await using folder = await scenarioFolder({ "one.yaml": yaml({ fixture }), "app/a.txt": "1\n" });
    const { message } = await failureOf(loadScenarioFile(folder.path("one.yaml")));
    expect(message).toContain("task.fixture.exclude");
    expect(message).toContain(said);
  });
});

/** Long enough to be no chance. */
const ANSWER = Array.from({ length: 12 }, (_, nth) => `Step ${nth + 1} of "the answer" is due.`).join("\n");

describe("what a file tells by itself", () => {
  const header = (scenario: string) => `{"cassette":1,"abeval":"1.0.0","scenario":"${scenario}","of":"a"}\n`;
  const saved = (scenario: string) =>
    `{"type":"abeval-baseline","version":1}\n{"type":"scenario","scenario":"${scenario}"}\n`;
  const packed = async (gzip: boolean) => {
    const tar = await new Bun.Archive({ "deep/answer.txt": ANSWER }).bytes();
    return gzip ? Bun.gzipSync(tar) : tar;
  };

  const files: readonly (readonly [string | undefined, string, () => string | Promise<Uint8Array>])[] = [
    ["a recording of this scenario", "tapes/x.jsonl", () => header("one")],
    ["a saved series of this scenario", "kept.jsonl", () => saved("one")],
    ["the reference answer", "table.jsonl", () => JSON.stringify({ answer: ANSWER })],
    ["the reference answer", "table.csv", () => `id,answer\n1,"${ANSWER.replaceAll('"', '""')}"\n`],
    ["the reference answer", "notes.md", () => `It is:\n\n${ANSWER}\n`],
    ["the reference answer", "old.tar", () => packed(false)],
    ["the reference answer", "old.tgz", () => packed(true)],
    [undefined, "tape.jsonl", () => header("other")],
    [undefined, "kept.jsonl", () => saved("other")],
    [undefined, "notes.md", () => ANSWER.slice(0, -1)],
    [undefined, "broken.tgz", () => "no archive"],
  ];

  test.each(files)("%s in %s, in a directory, in a commit and in a server's files", async (what, path, write) => {
    const bytes = await write();
    const found = what === undefined ? undefined : [`${what} can be read in ${path}`];
    const task = { reference_answer: ANSWER };
    await using repository = await gitRepository({ "app/a.txt": "1\n", "servers/s/x.txt": "1\n" });
    const file = repository.path("evals/one.yaml");
    const told = async (fixture: object | undefined, arms: object = {}, agents_dir?: string) => {
      await Bun.write(file, yaml({ ...task, ...(fixture && { fixture }) }, arms));
      return (await exposedOf(await loadScenarioFile(file), agents_dir))?.[0]?.found;
    };
    await Bun.write(repository.path(`evals/app/${path}`), bytes);
    expect(await told({ dir: "app" })).toEqual(found);
    await Bun.write(repository.path(`app/${path}`), bytes);
    repository.commit("more");
    expect(await told({ git: "HEAD", path: "app" })).toEqual(found);
    await Bun.write(repository.path(`servers/s/${path}`), bytes);
    const mcp = { s: { install: "s", command: ["x"] } };
    expect(await told(undefined, { mcp }, repository.path("servers"))).toEqual(found);
  });

  test("what is packed is unpacked up to a limit in all: small files with much in them cost no more than one", async () => {
    await using folder = await scenarioFolder({ "one.yaml": yaml({ fixture: "app", reference_answer: ANSWER }) });
    const packed = Bun.gzipSync(Buffer.concat([Buffer.from(ANSWER), new Uint8Array(25_000_000)]));
    for (const name of ["a", "b", "c", "d", "e"]) await Bun.write(folder.path(`app/${name}.txt.gz`), packed);
    const [told] = (await exposedOf(await loadScenarioFile(folder.path("one.yaml")))) ?? [];
    expect(told?.found).toHaveLength(2);
  });

  test("all rows and trials read what arms are given once, and each row finds its own answer wherever it begins", async () => {
    const answerOf = (nth: number) => ANSWER.replaceAll("Step", `Step of ${nth}:`);
    const rows = Array.from({ length: 40 }, (_, nth) => ({ id: `r${nth}`, answer: answerOf(nth) }));
    const file = JSON.parse(yaml({ fixture: "app", reference_answer: "{{answer}}" }));
    // Row 0 stands nowhere; each other one begins one byte further, and its file ends with it.
    const files = rows.slice(1).map(({ answer }, nth) => [`app/${nth + 1}.md`, "x".repeat(nth) + answer] as const);
    await using folder = await scenarioFolder({
      "one.yaml": JSON.stringify({ ...file, inputs: rows }),
      ...Object.fromEntries(files),
    });
    const loaded = await loadScenarioFile(folder.path("one.yaml"));
    const members = await membersOf(loaded);
    const looks = () => Promise.all(members.map(async (member) => (await exposedOf(member))?.[0]?.found));
    const told = rows.map((_, nth) => (nth === 0 ? undefined : [`the reference answer can be read in ${nth}.md`]));
    expect(await looks()).toEqual(told);
    await Bun.write(folder.path("app/tape.jsonl"), header("one"));
    await Bun.write(folder.path("app/0.md"), answerOf(0));
    expect(await looks()).toEqual(told);
    const again = await membersOf(await loadScenarioFile(folder.path("one.yaml")));
    expect((await exposedOf(again[0] ?? expect.unreachable()))?.[0]?.found).toEqual([
      "a recording of this scenario can be read in tape.jsonl",
      "the reference answer can be read in 0.md",
    ]);
  });

  test("an install that holds the scenario is refused, too, and one elsewhere is not", async () => {
    await using folder = await scenarioFolder({
      "servers/s/evals/one.yaml": yaml({}, { mcp: { s: { install: "s", command: ["x"] } } }),
    });
    const loaded = await loadScenarioFile(folder.path("servers/s/evals/one.yaml"));
    expect((await exposedOf(loaded, folder.path("servers")))?.map(({ among, found }) => [among, found])).toEqual(
      [0, 1].map((nth) => [`arms[${nth}].mcp s`, ["the scenario file can be read in evals/one.yaml"]]),
    );
    expect(await exposedOf(loaded, folder.path("elsewhere"))).toBeUndefined();
  });

  test("nobody looks while a scenario is only listed", async () => {
    await using folder = await scenarioFolder({ "one.yaml": yaml({ fixture: "app" }), "app/a.txt": "1\n" });
    const loaded = await loadScenarioFile(folder.path("one.yaml"));
    await Bun.write(folder.path("app/tape.jsonl"), header("one"));
    expect(await exposedOf(loaded)).toHaveLength(1);
  });
});
