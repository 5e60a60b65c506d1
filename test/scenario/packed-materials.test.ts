import { describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { fixtureSource } from "../../src/comparison/scenario/fixture-source.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { digestOf, probeSource } from "../../src/comparison/scenario/materials.ts";
import { MaterialsCache, unpackMaterials } from "../../src/comparison/scenario/materials-cache.ts";
import { materialsDigest, packedHeader, packMaterials } from "../../src/comparison/scenario/pack.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { FileSet } from "../../src/domain/task.ts";
import { gitRepository } from "../git-repository.ts";
import { GIT } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, SHORT, scenarioFolder } from "./scenario-folder.ts";

const yaml = (fixture: string, more = "") =>
  SHORT.replace("name: short", "name: one").replace(
    "prompt: Say hello.",
    `prompt: Say hello.\n  fixture: ${fixture}${more}`,
  );

const PROBE = `
  probe:
    dir: checks/deep
    files: { inline.txt: in the definition }
    checks: [{ run: "true" }]`;

const FILES = {
  "app/a.txt": "a",
  "app/deep/b.bin": new Uint8Array(300_000).fill(10),
  "app/ü.txt": "",
  "checks/deep/check.sh": "#!/bin/sh\n",
};

async function packedScenario(files: Readonly<Record<string, string | Uint8Array>> = FILES) {
  const folder = await scenarioFolder({ ...files, "one.yaml": yaml("{ dir: app }", PROBE) });
  await symlink("deep/b.bin", folder.path("app/link"));
  await chmod(folder.path("checks/deep/check.sh"), 0o755);
  return { ...folder, load: () => loadScenarioFile(folder.path("one.yaml")) };
}

const packed = async (loaded: LoadedScenario) => Buffer.concat(await Array.fromAsync(packMaterials(loaded)));

/** In pieces that end anywhere. */
async function* stream(bytes: Uint8Array, size = 1_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("what a scenario refers to", () => {
  test("is the same where it is unpacked, and only the text of the definition leads there", async () => {
    await using folder = await packedScenario();
    const loaded = await folder.load();
    using home = temporaryDirectory();
    const { bytes: _bytes, ...place } = await unpackMaterials(
      loaded.definition,
      stream(await packed(loaded)),
      home.path,
    );
    const elsewhere = { ...loaded, ...place };
    for (const source of [fixtureSource, probeSource]) {
      expect(source(elsewhere).dir).toStartWith(home.path);
      expect(await digestOf(source(elsewhere))).toBe(await digestOf(source(loaded)));
    }
    expect(await readFile(`${place.directory}/app/link`)).toEqual(Buffer.from(FILES["app/deep/b.bin"]));
  });

  test("is packed to the same bytes in another place, whatever else lies there", async () => {
    await using one = await packedScenario();
    await using other = await packedScenario({ "other/c.txt": "c", ...FILES });
    const [loaded, moved] = [await one.load(), await other.load()];
    expect(await packed(moved)).toEqual(await packed(loaded));
    expect(materialsDigest(moved.definition)).toBe(materialsDigest(loaded.definition));
  });

  test("has another name when a byte differs", async () => {
    await using one = await packedScenario();
    await using other = await packedScenario({ ...FILES, "app/a.txt": "b" });
    const [loaded, changed] = [await one.load(), await other.load()];
    expect(materialsDigest(changed.definition)).not.toBe(materialsDigest(loaded.definition));
  });

  test("may be nothing", async () => {
    await using folder = await scenarioFolder({ "short.yaml": SHORT });
    const loaded = await loadScenarioFile(folder.path("short.yaml"));
    using home = temporaryDirectory();
    const cache = new MaterialsCache(home.path);
    await using place = await cache.open(loaded.definition, () => packMaterials(loaded));
    expect(await readdir(place.directory)).toEqual([]);
  });

  test.each<[string, string | Uint8Array]>([
    ["a file of the same size", "b"],
    ["a longer file", "ab"],
    ["a shorter file", ""],
  ])("is not packed when it has changed since it was read: %s", async (_, content) => {
    await using folder = await packedScenario();
    const loaded = await folder.load();
    await folder.write("app/a.txt", content);
    const failure = await failureOf(packed(loaded));
    expect(failure.code).toBe("workspace_failed");
    expect(failure.message).toMatch(
      /one\.yaml: what it refers to has changed since the scenario was read; start again$/,
    );
  });
});

testNeeding(GIT)("a git tree is unpacked as files, and the worker needs no repository", async () => {
  await using repository = await gitRepository({ "app/main.py": "print()\n", "app/run": "#!/bin/sh\n" });
  await symlink("main.py", repository.path("app/link"));
  await chmod(repository.path("app/run"), 0o755);
  repository.commit("more");
  await repository.write("one.yaml", yaml("{ git: HEAD, path: app, files: { extra.txt: more } }"));
  const loaded = await loadScenarioFile(repository.path("one.yaml"));
  using home = temporaryDirectory();
  const place = await unpackMaterials(loaded.definition, stream(await packed(loaded)), home.path);
  const source = fixtureSource({ ...loaded, ...place });
  expect(source.fill).toBeUndefined();
  expect(await digestOf(source)).toBe(loaded.definition.task.fixture?.digest ?? "");
});

describe("a stored archive is refused", () => {
  const file = (path: string, content = "", kind: "file" | "executable" | "link" = "file") =>
    Buffer.concat([packedHeader({ path, kind, bytes: content.length }), Buffer.from(content)]);
  const END = packedHeader(null);
  const header = (line: unknown) => Buffer.from(`${JSON.stringify(line)}\n`);

  async function refusal(...archive: readonly Uint8Array[]): Promise<string> {
    await using folder = await packedScenario();
    const { definition } = await folder.load();
    using home = temporaryDirectory();
    const into = `${home.path}/into`;
    await mkdir(into);
    const failure = await failureOf(unpackMaterials(definition, stream(Buffer.concat(archive)), into));
    expect(failure.code).toBe("workspace_failed");
    expect(await readdir(home.path)).toEqual(["into"]);
    return failure.message.replace("what was stored of the scenario's files ", "");
  }

  test.each<[string, Uint8Array[], RegExp]>([
    ["that was cut between two files", [file("files/app/a.txt", "a")], /^is not whole$/],
    ["that was cut in a file", [file("files/app/a.txt", "abcdef").subarray(0, -1)], /^is not whole$/],
    ["that is no archive", [Buffer.from("PK\u0003\u0004\n")], /^is damaged$/],
    ["without an end of its first line", [Buffer.alloc(1_000_000, "x")], /^is not whole$/],
    ["with a negative size", [header({ path: "files/a", kind: "file", bytes: -1 }), END], /^is damaged$/],
    ["with an unknown kind", [header({ path: "files/a", kind: "device", bytes: 0 }), END], /^is damaged$/],
    ["with a path that climbs", [file("files/../../x", "x"), END], /a path must not contain `..`$/],
    ["with an absolute path", [file("/etc/x", "x"), END], /a path must be relative$/],
    ["with a path beside the files", [file("trees2/x", "x"), END], /^holds trees2\/x$/],
    ["with a path of many steps", [file(`files/${"a/".repeat(3_000)}b`), END], /a path is too long$/],
    ["with a path twice", [file("files/x"), file("files/x"), END], /^holds files\/x twice$/],
    [
      "with a link that is a directory too",
      [file("files/l", "app", "link"), file("files/l/x"), END],
      /below a file or/,
    ],
    ["with a link that climbs", [file("files/app/l", "../../../x", "link"), END], /a link that leads out of it/],
    [
      "with a link to an absolute path",
      [file("files/app/l", "/etc/passwd", "link"), END],
      /a link that leads out of it/,
    ],
    ["with a link that is a book", [file("files/l", "a".repeat(5_000), "link"), END], /a link that is too long$/],
    ["of more bytes than may be", [packedHeader({ path: "files/a", kind: "file", bytes: 1e12 })], /more than 256 MB$/],
    ["of other files", [file("files/app/a.txt", "other"), END], /^is not what the scenario was checked with$/],
    ["of no files", [END], /^is not what the scenario was checked with$/],
  ])("%s", async (_, archive, why) => {
    expect(await refusal(...archive)).toMatch(why);
  });

  test("of more files than may be", async () => {
    const many = Array.from({ length: 20_001 }, (_, index) => file(`files/l${index}`, "x", "link"));
    expect(await refusal(...many, END)).toBe("holds more than 20000 files");
  });

  test("for a definition that names a directory above", async () => {
    await using folder = await packedScenario();
    const { definition } = await folder.load();
    const fixture: FileSet = { dir: "../../etc", files: {}, digest: "" };
    using home = temporaryDirectory();
    const climbing = { ...definition, task: { ...definition.task, fixture } };
    const failure = await failureOf(unpackMaterials(climbing, stream(END), home.path));
    expect(failure.message).toBe("the scenario names files/../../etc: a path must not contain `..`");
  });
});

describe("unpacked files", () => {
  /** Scenarios of `count` bytes each that differ in one of them, and how often each was asked for. */
  async function scenarios(count: number) {
    const folders = await Promise.all(
      ["x", "y"].map((byte) => packedScenario({ "app/a.txt": byte.repeat(count), "checks/deep/check.sh": "" })),
    );
    for (const folder of folders) await folder.write("app/deep/b.bin", "");
    const loaded = await Promise.all(folders.map((folder) => folder.load()));
    const asked: number[] = loaded.map(() => 0);
    const read = (index: number) => () => {
      asked[index] = (asked[index] ?? 0) + 1;
      return packMaterials(loaded[index] as LoadedScenario);
    };
    const open = (cache: MaterialsCache, index: number) =>
      cache.open((loaded[index] as LoadedScenario).definition, read(index));
    const dispose = async () => {
      for (const folder of folders) await folder[Symbol.asyncDispose]();
    };
    return { asked, open, loaded, [Symbol.asyncDispose]: dispose };
  }

  test("are read once for all who use them at the same time, and stay while there is room", async () => {
    await using source = await scenarios(100);
    using home = temporaryDirectory();
    const cache = new MaterialsCache(home.path);
    const both = await Promise.all([source.open(cache, 0), source.open(cache, 0)]);
    expect(both[0]?.directory).toBe(both[1]?.directory ?? "");
    for (const place of both) await place[Symbol.asyncDispose]();
    await using _again = await source.open(cache, 0);
    expect(source.asked).toEqual([1, 0]);
  });

  test("go when there is no room, but not while they are used", async () => {
    await using source = await scenarios(100);
    using home = temporaryDirectory();
    const cache = new MaterialsCache(home.path, 150);
    const first = await source.open(cache, 0);
    const second = await source.open(cache, 1);
    expect(await readdir(home.path)).toHaveLength(2);
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    expect(await readdir(home.path)).toHaveLength(1);
    await using _second = await source.open(cache, 1);
    await using _first = await source.open(cache, 0);
    expect(source.asked).toEqual([2, 1]);
  });

  test("are asked for again after they could not be read, and leave nothing", async () => {
    await using source = await scenarios(100);
    using home = temporaryDirectory();
    const cache = new MaterialsCache(home.path);
    const { definition } = source.loaded[0] as LoadedScenario;
    const gone = () =>
      (async function* (): AsyncGenerator<Uint8Array> {
        yield packedHeader({ path: "files/app/a.txt", kind: "file", bytes: 100 });
        throw new Failure("storage_failed", "it is gone");
      })();
    expect((await failureOf(cache.open(definition, gone))).message).toBe("it is gone");
    expect(await readdir(home.path)).toEqual([]);
    await using place = await source.open(cache, 0);
    expect(await readFile(`${place.directory}/app/a.txt`, "utf8")).toBe("x".repeat(100));
  });
});

testNeeding(GIT)("a part of a commit and of a directory travels without what is left out", async () => {
  await using repository = await gitRepository({ ...FILES, "evals/secret.txt": "secret\n" });
  const path = repository.path("evals/one.yaml");
  await Bun.write(path, yaml("{ git: HEAD, exclude: [evals, app/deep] }"));
  await Bun.write(repository.path("one.yaml"), yaml("{ dir: app, exclude: [deep] }", PROBE));
  for (const [file, left] of [
    [path, ["app/a.txt", "app/ü.txt", "checks/deep/check.sh"]],
    [repository.path("one.yaml"), ["a.txt", "ü.txt"]],
  ] as const) {
    const loaded = await loadScenarioFile(file);
    using home = temporaryDirectory();
    const place = await unpackMaterials(loaded.definition, stream(await packed(loaded)), home.path);
    const { dir } = fixtureSource({ ...loaded, ...place });
    const entries = await readdir(dir ?? "", { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ parentPath, name }) => `${parentPath}/${name}`.slice(`${dir}/`.length)).sort()).toEqual([
      ...left,
    ]);
  }
});
