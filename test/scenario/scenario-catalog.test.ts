import { describe, expect, test } from "bun:test";
import { mkdir, rm, symlink } from "node:fs/promises";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { failureOf, SHORT, scenarioFolder } from "./scenario-folder.ts";

const named = (name: string) => SHORT.replace("name: short", `name: ${name}\ntitle: T ${name}\ntags: [x]`);
const ROW = {
  description: "",
  tags: ["x"],
  arms: [
    { id: "plain", title: "plain", model: "openai/gpt-x" },
    { id: "loud", title: "loud", model: "openai/gpt-x" },
  ],
  error: null,
};
const broken = (name: string, error: string) => ({ name, title: name, description: "", tags: [], arms: [], error });

test("lists YAML files by name and nothing else", async () => {
  await using folder = await scenarioFolder({
    "b.yaml": named("b"),
    "a.yml": named("a"),
    "a-b.yaml": named("a-b"),
    "README.md": "# text",
    "scenario.schema.json": "{}",
    ".hidden.yaml": "broken",
    "sub.yaml/x.yaml": "broken",
  });
  expect(await openCatalog(folder.directory).list()).toEqual([
    { ...ROW, name: "a", title: "T a" },
    { ...ROW, name: "a-b", title: "T a-b" },
    { ...ROW, name: "b", title: "T b" },
  ]);
});

test("broken files have rows of their own, and no message tells where the directory lies", async () => {
  await using outside = await scenarioFolder({ "link.yaml": named("link") });
  await using folder = await scenarioFolder({
    "scenarios/good.yaml": named("good"),
    "scenarios/bad.yaml": named("bad").replace("openai/gpt-x", "gpt"),
    "scenarios/twice.yaml": named("twice"),
    "scenarios/twice.yml": named("twice"),
    "scenarios/misnamed.yaml": named("other"),
  });
  await symlink(outside.path("link.yaml"), folder.path("scenarios/link.yaml"));
  await symlink("gone", folder.path("scenarios/gone.yaml"));
  await symlink("loop.yaml", folder.path("scenarios/loop.yaml"));
  await symlink("good.yaml/below", folder.path("scenarios/nowhere.yaml"));
  await symlink("n".repeat(300), folder.path("scenarios/long.yaml"));
  expect(await openCatalog(folder.path("scenarios")).list()).toEqual([
    broken("bad", 'scenarios/bad.yaml:8:12 arms[0].model: expected <provider>/<model>, got "gpt"'),
    broken("gone", "scenarios/gone.yaml: the file does not exist"),
    { ...ROW, name: "good", title: "T good" },
    broken("link", "scenarios/link.yaml: the file leads out of the scenarios directory through a link"),
    broken("long", "scenarios/long.yaml: the file is too long a path"),
    broken("loop", "scenarios/loop.yaml: the file is a link that leads in a circle"),
    broken(
      "misnamed",
      'scenarios/misnamed.yaml:1:7 name: is "other" but the file\'s name begins with "misnamed"; they must be equal',
    ),
    broken("nowhere", "scenarios/nowhere.yaml: the file does not exist"),
    broken("twice", "scenarios/twice.yaml: twice.yml exists too; keep one of them"),
  ]);
});

describe("get", () => {
  test("gives the scenario with the directory that its files start from", async () => {
    await using folder = await scenarioFolder({ "b.yaml": named("b") });
    const { definition, directory, digest } = await openCatalog(folder.directory).get("b");
    expect([definition.title, directory, digest.length]).toEqual(["T b", folder.directory, 64]);
  });

  test.each(["../b", "b.yaml", "", "B", "b\0", "sub/../b", "%2e%2e/b", "."])(
    "%j is unknown: a name is looked up, never a path",
    async (name) => {
      await using folder = await scenarioFolder({ "b.yaml": named("b"), "sub/c.yaml": named("c") });
      const failure = await failureOf(openCatalog(folder.directory).get(name));
      expect(failure.code).toBe("unknown_scenario");
    },
  );

  test("suggests the name that was meant", async () => {
    await using folder = await scenarioFolder({ "pager.yaml": named("pager"), "other.yaml": named("other") });
    const failure = await failureOf(openCatalog(folder.directory).get("pagre"));
    expect(failure.message).toBe('there is no scenario "pagre"; did you mean "pager"?');
  });

  test("a broken scenario is an invalid one, not an unknown one", async () => {
    await using folder = await scenarioFolder({ "b.yaml": "name: b", "c.yaml": named("c"), "c.yml": named("c") });
    const catalog = openCatalog(folder.directory);
    const codes = await Promise.all(["b", "c"].map(async (name) => (await failureOf(catalog.get(name))).code));
    expect(codes).toEqual(["invalid_scenario", "invalid_scenario"]);
  });
});

describe("what is kept in memory follows the disk:", () => {
  const withFixture = named("b").replace("Say hello.", "Say hello.\n  fixture: fix");

  test("an unchanged scenario is the same object again", async () => {
    await using folder = await scenarioFolder({ "b.yaml": withFixture, "fix/a.txt": "a" });
    const catalog = openCatalog(folder.directory);
    await catalog.get("b");
    const second = await catalog.get("b");
    expect(await catalog.get("b")).toBe(second);
  });

  test("a changed file is read again, by the list too", async () => {
    await using folder = await scenarioFolder({ "b.yaml": named("b") });
    const catalog = openCatalog(folder.directory);
    await catalog.list();
    await catalog.get("b");
    await folder.write("b.yaml", named("b").replace("T b", "T c"));
    expect((await catalog.get("b")).definition.title).toBe("T c");
    expect((await catalog.list()).map(({ title }) => title)).toEqual(["T c"]);
  });

  test("a changed fixture changes the digest", async () => {
    await using folder = await scenarioFolder({ "b.yaml": withFixture, "fix/deep/a.txt": "a" });
    const catalog = openCatalog(folder.directory);
    const [, before] = [await catalog.get("b"), await catalog.get("b")];
    await folder.write("fix/deep/a.txt", "b");
    const after = await catalog.get("b");
    expect(after.digest).not.toBe(before.digest);
    await folder.write("fix/deep/a.txt", "a");
    expect((await catalog.get("b")).digest).toBe(before.digest);
  });

  test("a missing fixture is an error until it is there, in the list too", async () => {
    await using folder = await scenarioFolder({ "b.yaml": withFixture });
    const catalog = openCatalog(folder.directory);
    const errors = async () => (await catalog.list()).map(({ error }) => error);
    const missing = `${folder.directory.slice(5)}/b.yaml:6:12 task.fixture: fix does not exist`;
    expect([await errors(), await errors()]).toEqual([[missing], [missing]]);
    await mkdir(folder.path("fix"));
    expect(await errors()).toEqual([null]);
    await rm(folder.path("fix"), { recursive: true });
    expect((await failureOf(catalog.get("b"))).message).toBe(missing);
  });

  test("added and removed files are noticed", async () => {
    await using folder = await scenarioFolder({ "b.yaml": named("b") });
    const catalog = openCatalog(folder.directory);
    await catalog.list();
    await folder.write("a.yaml", named("a"));
    await rm(folder.path("b.yaml"));
    expect((await catalog.list()).map(({ name }) => name)).toEqual(["a"]);
    expect((await failureOf(catalog.get("b"))).code).toBe("unknown_scenario");
  });

  test("a change of the file that a link leads to is seen, by the list too", async () => {
    await using folder = await scenarioFolder({ "b.txt": named("b") });
    await symlink("b.txt", folder.path("b.yaml"));
    const catalog = openCatalog(folder.directory);
    for (const title of ["T c", "T d"]) {
      await catalog.get("b");
      await catalog.list();
      await folder.write("b.txt", named("b").replace("T b", title));
      expect((await catalog.list()).map((row) => row.title)).toEqual([title]);
      expect((await catalog.get("b")).definition.title).toBe(title);
    }
  });

  test("a second file of the same name makes the scenario broken until one is removed", async () => {
    await using folder = await scenarioFolder({ "b.yaml": named("b") });
    const catalog = openCatalog(folder.directory);
    const seen = async () => [
      await catalog.get("b").then(
        ({ definition }) => definition.title,
        ({ message }) => message,
      ),
      ...(await catalog.list()).map(({ error, title }) => error ?? title),
    ];
    expect([await seen(), await seen()]).toEqual([
      ["T b", "T b"],
      ["T b", "T b"],
    ]);
    await folder.write("b.yml", named("b").replace("T b", "T c"));
    const both = `${folder.directory.slice(5)}/b.yaml: b.yml exists too; keep one of them`;
    expect([await seen(), await seen()]).toEqual([
      [both, both],
      [both, both],
    ]);
    await rm(folder.path("b.yaml"));
    expect([await seen(), await seen()]).toEqual([
      ["T c", "T c"],
      ["T c", "T c"],
    ]);
  });
});

test("a directory that is not there is one clear failure", async () => {
  await using folder = await scenarioFolder();
  const failure = await failureOf(openCatalog(folder.path("gone")).list());
  expect([failure.code, failure.message]).toEqual(["invalid_scenario", "the scenarios directory gone does not exist"]);
});
