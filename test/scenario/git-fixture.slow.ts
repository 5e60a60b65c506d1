import { expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fixtureSource } from "../../src/comparison/scenario/fixture-source.ts";
import { loadScenarioFile, readScenario } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { orThrow } from "../../src/domain/failure.ts";
import { gitIn, gitRepository } from "../git-repository.ts";
import { runOnce, testServices } from "../harness.ts";
import { GIT } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, scenarioFolder } from "./scenario-folder.ts";

const yaml = (fixture: unknown, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    name: "one",
    task: { prompt: "Do it.", fixture, ...more },
    arms: [
      { id: "a", model: "scripted/a", system_prompt: "A", script: [{ say: "hi" }] },
      { id: "b", model: "scripted/b", system_prompt: "B", script: [{ say: "hi" }] },
    ],
    rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
  });

const APP = { "app/main.py": "print('hello')\n", "app/deep/data.txt": "1\r\n2\n", "README.md": "read me\n" };

/** What the workspace of an arm would hold, by path; links as `-> target`. */
async function written(loaded: LoadedScenario): Promise<Record<string, string>> {
  using to = temporaryDirectory();
  await fixtureSource(loaded).fill?.(to.path);
  const found: Record<string, string> = {};
  for (const entry of await readdir(to.path, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(to.path.length + 1);
    if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(path)}`;
    else if (entry.isFile()) found[name] = await readFile(path, "utf8");
  }
  return found;
}

/** The one line that a file with this fixture is refused with. */
async function refusal(repository: { path(name: string): string }, fixture: unknown): Promise<string> {
  await Bun.write(repository.path("evals/one.yaml"), yaml(fixture));
  const { message } = await failureOf(loadScenarioFile(repository.path("evals/one.yaml")));
  return message.replace(/^\S*one\.yaml:/, "");
}

describeNeeding(GIT)("a git fixture", () => {
  test("is the tree of a commit and has the digest of a directory with the same files", async () => {
    await using repository = await gitRepository(APP);
    await symlink("main.py", repository.path("app/link"));
    await chmod(repository.path("app/main.py"), 0o755);
    repository.commit("link");
    await Bun.write(
      repository.path("evals/one.yaml"),
      yaml({ git: "HEAD", path: "app", files: { "extra.txt": "more" } }),
    );
    const loaded = await loadScenarioFile(repository.path("evals/one.yaml"));
    const tree = repository.git("rev-parse", "HEAD:app");

    await using copied = await scenarioFolder({ "one.yaml": yaml({ dir: "app", files: { "extra.txt": "more" } }) });
    await Bun.$`cp -a ${repository.path("app")} ${copied.directory}`;
    const same = await loadScenarioFile(copied.path("one.yaml"));
    const digest = same.definition.task.fixture?.digest ?? "";
    expect(loaded.definition.task.fixture).toEqual({
      dir: null,
      git: { tree },
      files: { "extra.txt": "more" },
      digest,
    });
    expect(await written(loaded)).toEqual({
      "main.py": "print('hello')\n",
      "deep/data.txt": "1\r\n2\n",
      link: "-> main.py",
    });
  });

  test("gives both arms its files and nothing of the repository's history", async () => {
    await using repository = await gitRepository(APP);
    const check = {
      id: "files",
      run: "test -x main.py && test ! -e .git && cat main.py deep/data.txt",
      output_matches: "hello",
    };
    await chmod(repository.path("app/main.py"), 0o755);
    repository.commit("executable");
    await Bun.write(
      repository.path("evals/one.yaml"),
      yaml({ git: "main", path: "app" }, { probe: { checks: [check] } }),
    );
    const loaded = await loadScenarioFile(repository.path("evals/one.yaml"));
    const { outcome } = await runOnce(testServices({}, { sandbox: "none" }), loaded);
    expect(outcome.arms.map(({ probe }) => probe?.passed)).toEqual([1, 1]);
    expect(outcome.definition?.task.fixture?.git).toEqual({ tree: repository.git("rev-parse", "main:app") });
  });

  test("nothing that the repository configures changes a byte or starts a program", async () => {
    await using repository = await gitRepository(APP);
    await Bun.write(repository.path(".git/info/attributes"), "* filter=evil text eol=crlf ident\n");
    const canary = repository.path("canary");
    const evil = `touch ${canary}; cat`;
    for (const key of ["core.fsmonitor", "filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "core.pager"])
      repository.git("config", key, evil);
    repository.git("config", "core.hooksPath", repository.path("hooks"));
    repository.git("config", "alias.cat-file", `!${evil}`);
    const replaced = repository.git("rev-parse", "HEAD:app/main.py");
    repository.git("replace", "-f", replaced, repository.git("rev-parse", "HEAD:README.md"));
    await rm(canary, { force: true });
    await Bun.write(repository.path("evals/one.yaml"), yaml({ git: "main", path: "app" }));
    expect(await written(await loadScenarioFile(repository.path("evals/one.yaml")))).toEqual({
      "main.py": "print('hello')\n",
      "deep/data.txt": "1\r\n2\n",
    });
    expect(await Bun.file(canary).exists()).toBe(false);
  });

  test("a partial clone is not completed behind the author's back", async () => {
    await using origin = await gitRepository(APP);
    origin.git("config", "uploadpack.allowFilter", "true");
    await using folder = await scenarioFolder();
    gitIn(folder.directory, [
      "clone",
      "--quiet",
      "--no-checkout",
      "--filter=blob:none",
      `file://${origin.directory}`,
      "clone",
    ]);
    const canary = folder.path("canary");
    gitIn(folder.path("clone"), ["config", "remote.origin.uploadpack", `touch ${canary}; git-upload-pack`]);
    const said = await refusal({ path: (name) => folder.path(`clone/${name}`) }, { git: "main" });
    expect(said).toStartWith("1:");
    // Without GIT_NO_LAZY_FETCH git tries to fetch, and complains of the transport that it may not use.
    expect(said).toMatch(/task\.fixture\.git: "main" .*could not fetch [0-9a-f]{40} from promisor remote$/);
    expect(await Bun.file(canary).exists()).toBe(false);
  });

  test.each([
    [{ git: "mian" }, /^1:\d+ task\.fixture\.git: "mian" names no commit of the repository; did you mean "main"\?$/],
    [{ git: "deadbeef".repeat(5) }, /names no commit of the repository$/],
    [{ git: "--upload-pack=x" }, /begins with a dash; give a branch, a tag or a hash/],
    [{ git: "main:app" }, /is no name of a commit/],
    [{ git: "main@{1}" }, /is no name of a commit/],
    [{ git: "x\ny" }, /is no name of a commit/],
    [{ git: "both" }, /"both" is ambiguous: write the full name/],
    [{ git: "main", path: "../elsewhere" }, /has a path that must not contain `..`/],
    [{ git: "main", path: "/etc" }, /has a path that must be relative/],
    [{ git: "main", path: "ap" }, /has no ap; paths start at the top of the repository/],
    [{ git: "main", path: "README.md" }, /has README.md, which is no directory/],
    [{ git: "main", path: "sub" }, /holds the submodule below, whose files are not in the repository/],
    [{ git: "main", path: "lfs" }, /holds big.bin, which is a pointer of Git LFS/],
    [{ git: "main", path: "links" }, /holds out, a link that leads out of it \(to \.\.\/\.\.\/etc\/passwd\)/],
    [{ git: "main", dir: "app" }, /`dir` is given too; keep one/],
    [{ path: "app" }, /task\.fixture\.path: belongs to `git`/],
    [{ gti: "main" }, /unknown key; did you mean "git"\?/],
  ])("%j is refused with its place", async (fixture, said) => {
    await using repository = await gitRepository({
      ...APP,
      "lfs/big.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n",
    });
    await mkdir(repository.path("links"));
    await symlink("../../etc/passwd", repository.path("links/out"));
    repository.commit("link");
    const head = repository.git("rev-parse", "HEAD");
    repository.git("update-index", "--add", "--cacheinfo", `160000,${head},sub/below`);
    repository.git("commit", "--quiet", "--message", "submodule");
    repository.git("branch", "both");
    repository.git("tag", "both", "HEAD~1");
    expect(await refusal(repository, fixture)).toMatch(said);
  });

  test.each([
    ["..", /a path must not contain `\.\.`/],
    [".GIT", /the history of a repository has no place in a workspace/],
  ])("a tree made by hand with %p in it is refused", async (name, said) => {
    await using repository = await gitRepository(APP);
    const blob = repository.git("rev-parse", "HEAD:README.md");
    const inner = `100644 x\0${Buffer.from(blob, "hex").toString("latin1")}`;
    const write = (content: string) =>
      Bun.spawnSync(["git", "hash-object", "-t", "tree", "--literally", "-w", "--stdin"], {
        cwd: repository.directory,
        stdin: Buffer.from(content, "latin1"),
      })
        .stdout.toString()
        .trim();
    const below = write(inner);
    const tree = write(`40000 ${name}\0${Buffer.from(below, "hex").toString("latin1")}`);
    expect(await refusal(repository, { git: tree })).toMatch(said);
  });

  test("a shallow clone says what to fetch", async () => {
    await using origin = await gitRepository(APP);
    const first = origin.git("rev-parse", "HEAD");
    origin.commit("second");
    await using folder = await scenarioFolder();
    gitIn(folder.directory, ["clone", "--quiet", "--depth=1", `file://${origin.directory}`, "clone"]);
    const clone = { path: (name: string) => folder.path(`clone/${name}`) };
    expect(await refusal(clone, { git: first })).toMatch(
      /this clone is shallow, so it may be missing: git fetch --unshallow/,
    );
  });

  test("the innermost repository is used, and without one the fixture is refused", async () => {
    await using outer = await gitRepository(APP);
    await mkdir(outer.path("evals"));
    gitIn(outer.path("evals"), ["init", "--quiet"]);
    expect(await refusal(outer, { git: "main" })).toMatch(/names no commit of the repository/);
    await using alone = await scenarioFolder();
    expect(await refusal(alone, { git: "main" })).toMatch(/needs a git repository around the scenario file/);
  });

  test("a worktree reads the objects that it shares", async () => {
    await using repository = await gitRepository(APP);
    await using elsewhere = await scenarioFolder();
    repository.git("worktree", "add", "--quiet", "-b", "side", elsewhere.path("tree"));
    await Bun.write(elsewhere.path("tree/evals/one.yaml"), yaml({ git: "side", path: "app" }));
    const { definition } = await loadScenarioFile(elsewhere.path("tree/evals/one.yaml"));
    expect(definition.task.fixture?.git?.tree).toBe(repository.git("rev-parse", "main:app"));
  });

  test("a catalog allows it only when told to, and follows a branch that moves", async () => {
    await using repository = await gitRepository(APP);
    await Bun.write(repository.path("evals/one.yaml"), yaml({ git: "main", path: "app" }));
    const refused = await failureOf(openCatalog(repository.path("evals")).get("one"));
    expect(refused.message).toContain("which is off here; start with --allow-git-fixtures");

    const catalog = openCatalog(repository.path("evals"), { git_fixtures: true });
    const treeNow = async () => (await catalog.get("one")).definition.task.fixture?.git?.tree;
    const first = repository.git("rev-parse", "main:app");
    expect([await treeNow(), await treeNow()]).toEqual([first, first]);
    await Bun.write(repository.path("app/main.py"), "print('bye')\n");
    repository.commit("second");
    expect(await treeNow()).toBe(repository.git("rev-parse", "main:app"));
  });

  test("a catalog runs git again only when a ref moves", async () => {
    await using repository = await gitRepository(APP);
    await Bun.write(repository.path("evals/one.yaml"), yaml({ git: "main", path: "app" }));
    const catalog = openCatalog(repository.path("evals"), { git_fixtures: true });
    // The first reading tells what the second one has to look at.
    await catalog.get("one");
    const { digest } = await catalog.get("one");
    for (const name of await readdir(repository.path(".git/objects")))
      if (name.length === 2) await rm(repository.path(`.git/objects/${name}`), { recursive: true });
    expect((await catalog.get("one")).digest).toBe(digest);
    expect(await catalog.list()).toMatchObject([{ name: "one", error: null }]);
  });

  test("a reference fix given as whole files is compared with it", async () => {
    await using repository = await gitRepository(APP);
    const fixed = { files: { "main.py": "print('hello, world')\n", "new.py": "x = 1\n" } };
    await Bun.write(repository.path("evals/one.yaml"), yaml({ git: "main", path: "app" }, { reference_fix: fixed }));
    const { definition } = await loadScenarioFile(repository.path("evals/one.yaml"));
    expect(definition.task.reference_fix?.patch).toContain("-print('hello')\n+print('hello, world')\n");
    expect(definition.task.reference_fix?.patch).toContain("--- /dev/null\n+++ b/new.py\n");
  });

  test("a system prompt may come from a commit, under the same rule", async () => {
    await using repository = await gitRepository({ "prompts/agent.md": "You are careful.\n" });
    await symlink("agent.md", repository.path("prompts/link.md"));
    repository.commit("link");
    const from = (path: string) =>
      yaml(undefined).replace('"system_prompt":"A"', `"system_prompt_file":{"git":"main","path":"${path}"}`);
    const path = repository.path("evals/one.yaml");
    await Bun.write(path, from("prompts/agent.md"));
    const { definition } = await loadScenarioFile(path);
    expect(definition.arms[0].system_prompt).toBe("You are careful.\n");
    const refused = await failureOf(
      readScenario({ path, file: "one.yaml", git: null }).then(({ result }) => orThrow(result)),
    );
    expect(refused.message).toMatch(
      /one\.yaml:1:\d+ arms\[0\]\.system_prompt_file\.git: "main" needs the git repository/,
    );
    await Bun.write(path, from("prompts/link.md"));
    expect((await failureOf(loadScenarioFile(path))).message).toMatch(/has prompts\/link\.md, which is no file/);
  });
});
