import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdir, rename, rm, symlink } from "node:fs/promises";
import type { ScenarioFile } from "../../src/comparison/scenario/authored/scenario-file.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { abeval } from "../abeval.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT, NODE, PYTHON } from "../machine.ts";
import { describeNeeding, testNeeding } from "../needs.ts";
import { scenarioFolder } from "../scenario/scenario-folder.ts";

type Repository = Awaited<ReturnType<typeof gitRepository>>;

const create = ({ directory }: { readonly directory: string }, from: string, file = "evals/fix.yaml") =>
  abeval(["run", "--new", file, `--from=${from}`, "--sandbox", "none", "--quiet"], { cwd: directory });

const readFixed = async ({ path }: Repository) =>
  Bun.YAML.parse(await Bun.file(path("evals/fix.yaml")).text()) as ScenarioFile;

const SHOP = {
  "shop/pager.py": "def pages(total, size):\n    return total // size\n",
  "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
  "tests/test_pager.py":
    "import unittest\nfrom shop.pager import pages\n\nclass PagerTest(unittest.TestCase):\n    def test_full(self):\n        self.assertEqual(pages(20, 10), 2)\n",
};
const SHOP_FIX = "def pages(total, size):\n    return -(-total // size)\n";
const SHOP_TEST = "\n    def test_rest(self):\n        self.assertEqual(pages(21, 10), 3)\n";

const script = (runner: string, assertion: string) => ({
  before: { "pager.mjs": "export const pages = (total, size) => Math.floor(total / size);\n", "package.json": "{}\n" },
  test: `${runner}\nimport { pages } from "./pager.mjs";\ntest("the rest counts", () => ${assertion});\n`,
  fix: "export const pages = (total, size) => Math.ceil(total / size);\n",
});

describeNeeding(GIT)("a scenario made of a commit", () => {
  testNeeding(PYTHON)("of a Python repository is ready and has the measured results", async () => {
    await using repository = await gitRepository(SHOP);
    const parent = repository.git("rev-parse", "HEAD");
    await Bun.write(repository.path("shop/pager.py"), SHOP_FIX);
    await Bun.write(repository.path("tests/test_pager.py"), SHOP["tests/test_pager.py"] + SHOP_TEST);
    await Bun.write(
      repository.path("tests/test_start.py"),
      "import unittest\nimport shop.pager\n\nclass Starts(unittest.TestCase):\n    def test_it(self):\n        pass\n",
    );
    repository.commit("Count the last page\n\nOrders were missing.\n\nSigned-off-by: Ada <ada@example.org>");

    const { status, stdout, stderr } = await create(repository, "HEAD");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("evals/fix.yaml: ready");
    const { task, policies } = await readFixed(repository);
    expect(task).toEqual({
      prompt: "Count the last page\n\nOrders were missing.\n",
      fixture: { git: parent },
      probe: {
        dir: "fix/probe",
        checks: [
          { id: "test-pager", run: "python3 -m unittest tests/test_pager.py", before: "fail", required: true },
          { id: "test-start", run: "python3 -m unittest tests/test_start.py", before: "pass" },
        ],
      },
      reference_fix: { patch: "fix/reference.patch" },
    });
    expect(policies).toEqual({ paths: { protected: ["pyproject.toml"] } });
    expect(readdirSync(repository.path("evals")).sort()).toEqual(["fix", "fix.yaml"]);
    expect(await Bun.file(repository.path("evals/fix/reference.patch")).text()).not.toContain("test_pager");
  });

  /** Writes the fix and its test, makes the scenario, and gives the checks of it. */
  async function madeOf({ before, fix, test: hidden }: ReturnType<typeof script>) {
    await using repository = await gitRepository(before);
    await Bun.write(repository.path("pager.mjs"), fix);
    await Bun.write(repository.path("pager.test.mjs"), hidden);
    const { status } = await create(repository, repository.commit("Count the last page").slice(0, 10));
    return { status, checks: (await readFixed(repository)).task.probe?.checks };
  }

  testNeeding(NODE)("of a Node repository is ready", async () => {
    const imports = 'import { test } from "node:test";\nimport { equal } from "node:assert";';
    expect(await madeOf(script(imports, "equal(pages(21, 10), 3)"))).toEqual({
      status: 0,
      checks: [{ id: "pager-test", run: "node --test pager.test.mjs", before: "fail", required: true }],
    });
  });

  test("of a Bun repository is ready", async () => {
    expect(await madeOf(script('import { expect, test } from "bun:test";', "expect(pages(21, 10)).toBe(3)"))).toEqual({
      status: 0,
      checks: [{ id: "pager-test", run: "bun test pager.test.mjs", before: "fail", required: true }],
    });
  });

  test("with tests of an unknown runner has a placeholder, which the check names", async () => {
    await using repository = await gitRepository({ "lib.rb": "1\n", "package.json": '{"private": true}' });
    await Bun.write(repository.path("lib.rb"), "2\n");
    await Bun.write(repository.path("spec/lib_spec.rb"), "describe 'lib'\n");
    repository.commit("Two");
    const { status, stdout } = await create(repository, "HEAD");
    expect(status).toBe(2);
    expect(stdout).toContain("it printed: write the command that runs the hidden tests here");
    expect(stdout).toContain("Written: evals/fix.yaml. Next:\n  1. check lib-spec runs nothing: write the command");
    const file = await Bun.file(repository.path("evals/fix.yaml")).text();
    expect(file).toContain("      # Not `required`: nothing has run yet;");
    expect(file).not.toContain("before: fail");
  });

  testNeeding(PYTHON)("with tests whose program is missing names the check and the program", async () => {
    await using repository = await gitRepository({ "lib.py": "1\n" });
    await Bun.write(repository.path("lib.py"), "2\n");
    await Bun.write(repository.path("tests/test_m.py"), "import absent_runner_x\nimport unittest\n");
    repository.commit("Two");
    const { status, stdout } = await create(repository, "HEAD");
    expect(status).toBe(2);
    expect(stdout).toContain("-> absent_runner_x is not installed; install it in `setup`\n");
    expect(stdout).toContain(
      "  1. check test-m cannot run: absent_runner_x is not installed; install it in `setup`, then add `required: true`\n",
    );
    expect((await readFixed(repository)).task.probe?.checks).toEqual([
      { id: "test-m", run: "python3 -m unittest tests/test_m.py" },
    ]);
  });

  test("whose setup fails says what failed, and nothing of the checks", async () => {
    await using repository = await gitRepository({
      "pager.mjs": "export const a = 1;\n",
      "package.json": '{"dependencies": {"semver": "7.6.3"}}',
      "bun.lock": "{ broken",
    });
    await Bun.write(repository.path("pager.mjs"), "export const a = 2;\n");
    await Bun.write(
      repository.path("pager.test.mjs"),
      'import { expect, test } from "bun:test";\nimport { a } from "./pager.mjs";\ntest("a", () => expect(a).toBe(2));\n',
    );
    repository.commit("Two");
    const { status, stdout } = await create(repository, "HEAD");
    expect(status).toBe(2);
    const failed = "No check was tried: task.setup[0] `bun install --frozen-lockfile` failed (exit code 1): ";
    expect(stdout).toContain(`  1. ${failed}`);
    expect(stdout).not.toContain("with the fix, too");
    const file = await Bun.file(repository.path("evals/fix.yaml")).text();
    expect(file).toContain(`  # ${failed}`);
    expect(file).toContain("      # Not `required`: nothing was tried here;");
    expect((await readFixed(repository)).task).toMatchObject({
      setup: ["bun install --frozen-lockfile"],
      probe: { checks: [{ id: "pager-test", run: "bun test pager.test.mjs" }] },
    });
  });

  test("whose tests need a package that no lock file names says which", async () => {
    await using repository = await gitRepository({ "lib.mjs": "1;\n" });
    await Bun.write(repository.path("lib.mjs"), "2;\n");
    await Bun.write(
      repository.path("lib.test.mjs"),
      'import { test } from "bun:test";\nimport "absent-package-x";\ntest("a", () => {});\n',
    );
    repository.commit("Two");
    const { stdout } = await create(repository, "HEAD");
    expect(stdout).toContain(
      "  1. check lib-test cannot run: absent-package-x is not installed; install it in `setup`",
    );
    expect(await Bun.file(repository.path("evals/fix.yaml")).text()).not.toContain("with the fix, too");
  });

  test("whose check fails with the fix, too, says how", async () => {
    const imports = 'import { expect, test } from "bun:test";';
    await using repository = await gitRepository(script(imports, "").before);
    await Bun.write(repository.path("pager.mjs"), script(imports, "").fix);
    await Bun.write(repository.path("pager.test.mjs"), script(imports, "expect(pages(21, 10)).toBe(4)").test);
    repository.commit("Count the last page");
    const { stdout } = await create(repository, "HEAD");
    expect(stdout).toContain("check pager-test fails with the fix, too (exit code 1, expected 0): fix the check");
  });

  test("whose tests name a file that the fix adds has a note that the prompt must name it", async () => {
    await using repository = await gitRepository({ "shop/pages.mjs": "export const a = 1;\n" });
    await rename(repository.path("shop/pages.mjs"), repository.path("shop/paging.mjs"));
    await Bun.write(repository.path("shop/other.mjs"), "1;\n");
    await Bun.write(
      repository.path("a.test.mjs"),
      'import { expect, test } from "bun:test";\nimport { a } from "./shop/paging.mjs";\ntest("a", () => expect(a).toBe(1));\n',
    );
    repository.commit("Rename");
    const { status, stdout } = await create(repository, "HEAD");
    expect(status).toBe(0);
    expect(stdout).toContain("  1. the fix adds shop/paging.mjs, which the tests may name: say so in the prompt\n");
    expect(stdout).not.toContain("the fix adds shop/other.mjs");
  });

  test("without tests has no probe, and says so", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    await Bun.write(repository.path("a.txt"), "2\n");
    repository.commit("Two");
    const { status, stdout } = await create(repository, "HEAD");
    expect(status).toBe(0);
    expect(stdout).toContain("the commit has no tests, so no check judges the arms: write a probe");
    expect(await Bun.file(repository.path("evals/fix.yaml")).text()).toContain("# The commit has no tests");
    expect((await readFixed(repository)).task.probe).toBeUndefined();
  });

  test("leaves out the directory of the scenarios where the commit has others", async () => {
    const {
      before,
      fix,
      test: hidden,
    } = script('import { expect, test } from "bun:test";', "expect(pages(3, 2)).toBe(2)");
    await using repository = await gitRepository({ ...before, "evals/old.yaml": "task:\narms:\nrubric:\n" });
    const parent = repository.git("rev-parse", "HEAD");
    await Bun.write(repository.path("pager.mjs"), fix);
    await Bun.write(repository.path("pager.test.mjs"), hidden);
    repository.commit("Count the last page");
    expect(await create(repository, "HEAD")).toMatchObject({ status: 0, stderr: "" });
    expect((await readFixed(repository)).task.fixture).toEqual({ git: parent, exclude: ["evals"] });
  });

  test("follows renamed and removed files", async () => {
    await using repository = await gitRepository({
      "old.txt": "one\ntwo\nthree\n",
      "gone.txt": "bye\n",
      "kept.txt": "x\n",
    });
    await rename(repository.path("old.txt"), repository.path("new.txt"));
    await rm(repository.path("gone.txt"));
    repository.commit("Move");
    expect((await create(repository, "HEAD")).stdout).toContain(
      "ok    Reference applies to the fixture: every hunk fits",
    );
    const { definition } = await loadScenarioFile(repository.path("evals/fix.yaml"));
    expect(definition.task.reference_fix?.patch.match(/^(---|\+\+\+) .*/gm)).toEqual([
      "--- a/gone.txt",
      "+++ /dev/null",
      "--- /dev/null",
      "+++ b/new.txt",
      "--- a/old.txt",
      "+++ /dev/null",
    ]);
  });

  test("keeps a hidden file that is no text, byte by byte", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    const bytes = new Uint8Array([0, 255, 13, 10, 1]);
    await Bun.write(repository.path("a.txt"), "2\n");
    await Bun.write(repository.path("tests/data.bin"), bytes);
    repository.commit("Two");
    await create(repository, "HEAD");
    expect(await Bun.file(repository.path("evals/fix/probe/tests/data.bin")).bytes()).toEqual(bytes);
  });

  test("of what is no fix is refused with its reason, and nothing is written", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    await Bun.write(repository.path("a.bin"), new Uint8Array([0, 1, 2]));
    repository.commit("binary");
    await Bun.write(repository.path("tests/a.txt"), "1\n");
    repository.commit("tests");
    repository.git("checkout", "--quiet", "-b", "side", "HEAD~1");
    repository.commit("side");
    repository.git("checkout", "--quiet", "-b", "merge", "main");
    repository.git("merge", "--quiet", "--no-ff", "-m", "merge", "side");
    repository.git("checkout", "--quiet", "main");
    const refusals: readonly (readonly [from: string, said: RegExp])[] = [
      ["HEAD~2", /--from HEAD~2: is the first commit/],
      ["merge", /--from merge: is a merge; name the commit that has the fix/],
      ["mian", /--from mian: names no commit of the repository; did you mean "main"\?/],
      ["HEAD", /changes tests only/],
      ["HEAD~1", /changes a binary file that is no test/],
      ["--output=x", /--from --output=x: begins with a dash/],
    ];
    for (const [from, said] of refusals) {
      const { status, stdout, stderr } = await create(repository, from);
      expect({ from, status, stdout }).toEqual({ from, status: 2, stdout: "" });
      expect(stderr).toMatch(said);
    }
    expect(readdirSync(repository.directory).sort()).toEqual([".git", "a.bin", "a.txt", "tests"]);
  });

  test("a commit whose parent a shallow clone lacks is refused, and says how to get it", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    await Bun.write(repository.path("a.txt"), "2\n");
    const parent = repository.git("rev-parse", "HEAD");
    repository.commit("Two");
    repository.git("clone", "--quiet", "--depth", "1", `file://${repository.directory}`, "clone");
    const { status, stdout, stderr } = await create({ directory: repository.path("clone") }, "HEAD");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toStartWith(
      `abeval: --from HEAD: has the parent ${parent}, which names no commit of the repository; this clone is shallow, so it may be missing: git fetch --unshallow\n`,
    );
    expect(readdirSync(repository.path("clone")).sort()).toEqual([".git", "a.txt"]);
  });

  test("a commit whose parent cannot be a fixture is refused, and nothing is written", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    repository.git("update-index", "--add", "--cacheinfo", `160000,${repository.git("rev-parse", "HEAD")},below`);
    repository.git("commit", "--quiet", "--message", "submodule");
    await Bun.write(repository.path("a.txt"), "2\n");
    repository.git("commit", "--quiet", "--message", "Two", "a.txt");
    const { status, stdout, stderr } = await create(repository, "HEAD");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(
      /^abeval: evals\/fix\.yaml: cannot be made: task\.fixture\.git: "\w+" holds the submodule below/,
    );
    expect(readdirSync(repository.directory).sort()).toEqual([".git", "a.txt"]);
  });

  test("a link that leads nowhere is not written through", async () => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    await Bun.write(repository.path("a.txt"), "2\n");
    repository.commit("Two");
    await mkdir(repository.path("evals"));
    await symlink("../elsewhere.yaml", repository.path("evals/fix.yaml"));
    const { status, stderr } = await create(repository, "HEAD");
    expect(status).toBe(2);
    expect(stderr).toContain("evals/fix.yaml: cannot be written (EEXIST)");
    expect(readdirSync(repository.directory).sort()).toEqual([".git", "a.txt", "evals"]);
    expect(readdirSync(repository.path("evals"))).toEqual(["fix.yaml"]);
  });

  test.each(["evals/fix.yaml", "evals/fix/note.txt"])("takes the place of nothing: %s", async (there) => {
    await using repository = await gitRepository({ "a.txt": "1\n" });
    await Bun.write(repository.path("a.txt"), "2\n");
    repository.commit("Two");
    await Bun.write(repository.path(there), "mine\n");
    const { status, stderr } = await create(repository, "HEAD");
    expect(status).toBe(2);
    expect(stderr).toContain("exists, and nothing is overwritten");
    expect(await Bun.file(repository.path(there)).text()).toBe("mine\n");
  });
});

test("outside a repository nothing is written", async () => {
  await using folder = await scenarioFolder({ "a.txt": "1\n" });
  const { status, stderr } = await create(folder, "HEAD");
  expect(status).toBe(2);
  expect(stderr).toContain(
    "--from HEAD: is no file or directory here, and no commit: there is no git repository around the scenario file",
  );
  expect(readdirSync(folder.directory)).toEqual(["a.txt"]);
});

test.each([
  [["run", "--new", "x.yaml"], /--new needs --from <commit>/],
  [["run", "x.yaml", "--from", "HEAD"], /--from goes with --new/],
  [["run", "--new", "x.yaml", "--from", "HEAD", "--model", "a/b"], /--model does not go with --new/],
  [["run", "--new", "x.yaml", "--from", "HEAD", "--json"], /--json does not go with --new, which .* as text/],
  [
    ["run", "--new", "--check", "x.yaml", "--from", "HEAD"],
    /--check does not go with --new, which checks what it writes/,
  ],
  [["run", "--check", "x.yaml", "--from", "HEAD"], /--from goes with --new, which writes a scenario/],
  [["run", "--new", "x.txt", "--from", "HEAD"], /must end in \.yaml or \.yml/],
  [["run", "--new", "a b.yaml", "--from", "HEAD"], /"a b" is no name of a scenario/],
])("abeval %p is refused", async (args, said) => {
  const { status, stdout, stderr } = await abeval(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(said);
});
