import { describe, expect, test } from "bun:test";
import { chmod, mkdir, rename, symlink } from "node:fs/promises";
import { fixtureSource } from "../../src/comparison/scenario/fixture-source.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { digestOf, listMaterial, probeSource } from "../../src/comparison/scenario/materials.ts";
import { Unusable } from "../../src/comparison/scenario/unusable.ts";
import { SHORT, scenarioFolder } from "./scenario-folder.ts";

describe("the digest of a directory", () => {
  const FILES = { "d/a.txt": "a", "d/b/c.txt": "c" };
  const digest = (folder: { path(path: string): string }, files = {}) => digestOf({ dir: folder.path("d"), files });

  test("is the same for the same files in another place", async () => {
    await using one = await scenarioFolder(FILES);
    await using other = await scenarioFolder(FILES);
    await mkdir(other.path("d/empty"));
    expect(await digest(one)).toBe(await digest(other));
  });

  test.each<[string, (folder: Awaited<ReturnType<typeof scenarioFolder>>) => Promise<unknown>]>([
    ["a byte", (folder) => folder.write("d/a.txt", "b")],
    ["a name", (folder) => rename(folder.path("d/a.txt"), folder.path("d/A.txt"))],
    ["a new empty file", (folder) => folder.write("d/e.txt", "")],
    ["the executable bit", (folder) => chmod(folder.path("d/a.txt"), 0o755)],
    ["a link", (folder) => symlink("a.txt", folder.path("d/l"))],
  ])("changes with %s", async (_, change) => {
    await using folder = await scenarioFolder(FILES);
    const before = await digest(folder);
    await change(folder);
    expect(await digest(folder)).not.toBe(before);
  });

  test("takes a link by its text, wherever it leads", async () => {
    await using folder = await scenarioFolder(FILES);
    await symlink("../../gone", folder.path("d/l"));
    const gone = await digest(folder);
    await using other = await scenarioFolder(FILES);
    await symlink("../../lost", other.path("d/l"));
    expect(await digest(other)).not.toBe(gone);
  });

  test("counts an inline file like one on disk that it hides", async () => {
    await using folder = await scenarioFolder(FILES);
    await using other = await scenarioFolder({ ...FILES, "d/a.txt": "new" });
    expect(await digest(folder, { "a.txt": "new" })).toBe(await digest(other));
  });

  test("differs when bytes move from a name to the contents", async () => {
    await using one = await scenarioFolder({ "d/ab": "c" });
    await using other = await scenarioFolder({ "d/a": "bc" });
    expect(await digest(one)).not.toBe(await digest(other));
  });
});

test("a pipe in a directory is refused by name and never opened", async () => {
  await using folder = await scenarioFolder({ "d/a.txt": "a" });
  Bun.spawnSync(["mkfifo", folder.path("d/pipe")]);
  await expect(listMaterial(folder.path("d"))).rejects.toEqual(
    new Unusable("holds pipe, which is no file, link or directory"),
  );
});

test("sources are absolute and carry the inline files", async () => {
  await using folder = await scenarioFolder({
    "short.yaml": SHORT.replace(
      "Say hello.",
      "Say hello.\n  fixture: {dir: ./fix, files: {a: b}}\n  probe: {files: {t: u}, checks: [a]}",
    ),
    "fix/x": "x",
  });
  const loaded = await loadScenarioFile(folder.path("short.yaml"));
  expect(loaded.definition.task.fixture?.dir).toBe("fix");
  expect(fixtureSource(loaded)).toEqual({ dir: folder.path("fix"), files: { a: "b" } });
  expect(probeSource(loaded)).toEqual({ dir: null, files: { t: "u" } });
});

test("without a fixture the workspace starts empty", async () => {
  await using folder = await scenarioFolder({ "short.yaml": SHORT });
  const loaded = await loadScenarioFile(folder.path("short.yaml"));
  expect([fixtureSource(loaded), probeSource(loaded)]).toEqual([
    { dir: null, files: {} },
    { dir: null, files: {} },
  ]);
});

describe("a reference fix given as whole files", () => {
  const git = (directory: string, ...args: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["git", ...args], { cwd: directory });
    return { exitCode, stderr: stderr.toString() };
  };

  test("is one diff that git applies to the fixture", async () => {
    await using folder = await scenarioFolder({
      "short.yaml": SHORT.replace(
        "Say hello.",
        'Say hello.\n  fixture: {dir: fix, files: {inline.txt: "1\\n2\\n"}}\n  reference_fix: {dir: ref, files: {inline.txt: "1\\n3\\n", no-newline.txt: "b"}}',
      ),
      "fix/src/a.ts": Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join(""),
      "fix/no-newline.txt": "a",
      "fix/same.txt": "same\n",
      "fix/with space.txt": "a\n",
      "fix/ünï.txt": "a\n",
      "ref/src/a.ts": Array.from({ length: 30 }, (_, line) => `line ${line % 20 === 3 ? "new" : line}\n`).join(""),
      "ref/src/new.ts": "new\n",
      "ref/src/empty.ts": "",
      "ref/run.sh": "#!/bin/sh\n",
      "ref/same.txt": "same\n",
      "ref/with space.txt": "b\n",
      "ref/ünï.txt": "b\n",
    });
    await chmod(folder.path("ref/run.sh"), 0o755);
    const loaded = await loadScenarioFile(folder.path("short.yaml"));
    const { dir, files } = fixtureSource(loaded);
    await using work = await scenarioFolder(files);
    Bun.spawnSync(["cp", "-r", `${dir}/.`, work.directory]);
    await folder.write("fix.patch", loaded.definition.task.reference_fix?.patch ?? "");
    expect(git(work.directory, "apply", "--verbose", folder.path("fix.patch")).exitCode).toBe(0);
    const fixed = await digestOf({ dir: work.directory, files: {} });
    const reference = await digestOf({
      dir: folder.path("ref"),
      files: { "inline.txt": "1\n3\n", "no-newline.txt": "b" },
    });
    expect(fixed).toBe(reference);
  });
});
