import { expect, test } from "bun:test";
import { comparabilityDigest } from "../../src/comparison/scenario/digest.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { unpackMaterials } from "../../src/comparison/scenario/materials-cache.ts";
import { packMaterials } from "../../src/comparison/scenario/pack.ts";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, SHORT, scenarioFolder } from "./scenario-folder.ts";

/** A scenario whose fixture is these lines. */
const withFixture = (lines: readonly string[]) =>
  SHORT.replace("  prompt: Say hello.\n", ["  prompt: Say hello.", "  fixture:", ...lines, ""].join("\n"));

async function loadedWith(...lines: readonly string[]) {
  await using folder = await scenarioFolder({
    "short.yaml": withFixture(lines),
    "repo/a.txt": "a\n",
    "data/d.txt": "d\n",
  });
  return await loadScenarioFile(folder.path("short.yaml"));
}

const refusal = async (...lines: readonly string[]) =>
  (await failureOf(loadedWith(...lines))).message.replace(/^\S*short\.yaml:/, "");

test("a fixture says where it is mounted and what stands beside it; absent, nothing of it is stored", async () => {
  const { definition } = await loadedWith("    dir: repo", "    at: /app", "    also:", "      /data: data");
  expect(definition.task.fixture).toMatchObject({ dir: "repo", at: "/app", also: { "/data": { dir: "data" } } });
  const plain = (await loadedWith("    dir: repo")).definition;
  expect(Object.keys(plain.task.fixture ?? {})).toEqual(["dir", "files", "digest"]);
});

test("a fixture says whether it is a repository; without it nothing of that is stored", async () => {
  const fixture = async (...lines: readonly string[]) => (await loadedWith(...lines)).definition.task.fixture;
  expect(await fixture("    dir: repo", "    repository: true")).toMatchObject({ dir: "repo", repository: true });
  expect(await fixture("    repository: true")).toMatchObject({ dir: null, files: {}, repository: true });
  expect(await fixture("    dir: repo", "    repository: false")).not.toHaveProperty("repository");
  expect(await refusal("    dir: repo", "    repository: main")).toContain("expected true or false");
});

test("a workspace may be empty where it is mounted elsewhere", async () => {
  const { definition } = await loadedWith("    at: /app");
  expect(definition.task.fixture).toMatchObject({ dir: null, files: {}, at: "/app" });
});

test("where it is mounted belongs to what is compared, as do the bytes beside it", async () => {
  const fixtures = [
    ["    dir: repo"],
    ["    dir: repo", "    at: /app"],
    ["    dir: repo", "    also: {/data: data}"],
    ["    dir: repo", "    also: {/data: repo}"],
    ["    dir: repo", "    also: {/data: {private: true}}"],
    ["    dir: repo", "    repository: true"],
    ["    dir: repo", "    env: {A: x}"],
    ["    dir: repo", "    env: {A: y}"],
    ["    dir: repo", "    at: /app", "    repository: true"],
  ];
  const digests = await Promise.all(
    fixtures.map(async (lines) => comparabilityDigest((await loadedWith(...lines)).definition)),
  );
  expect(new Set(digests).size).toBe(fixtures.length);
});

test("what stands beside a workspace travels with the scenario's files", async () => {
  await using folder = await scenarioFolder({
    "short.yaml": withFixture(["    at: /app", "    also: {/data: data, /logs: {private: true}}"]),
    "data/d.txt": "d\n",
  });
  const loaded = await loadScenarioFile(folder.path("short.yaml"));
  using to = temporaryDirectory();
  await unpackMaterials(loaded.definition, packMaterials(loaded), to.path);
  expect(await Bun.file(`${to.path}/files/data/d.txt`).text()).toBe("d\n");
});

test.each([
  ["app", "must be absolute"],
  ["/", "must not be the root"],
  ["/app/", "must not contain empty, `.` or `..` steps, nor end in a slash"],
  ["/app/../etc", "must not contain empty, `.` or `..` steps, nor end in a slash"],
  ["/proc", "would cover /proc, which the sandbox needs"],
  ["/dev/shm", "would cover /dev, which the sandbox needs"],
  ["/usr/src/app", "would cover /usr, which the sandbox needs"],
  ["/home/agent/work", "would cover /home/agent, which the sandbox needs"],
  ["/opt", "must name a directory below /opt"],
  ["/opt/mcp", "would cover /opt/mcp, which the sandbox needs"],
  ["/tmp/x", "would cover /tmp, which the sandbox needs"],
  ["/a\\b", "must use forward slashes only, and no control characters"],
  [`/${"a".repeat(200)}`, "is longer than 200 characters"],
])("a workspace cannot be mounted at %s", async (at, why) => {
  const said = await refusal("    dir: repo", `    at: '${at}'`);
  expect(said).toStartWith("6:9 task.fixture.at: ");
  expect(said).toEndWith(why);
});

test("what lies beside it is refused at its own line where it covers something, or is no directory", async () => {
  const at = ["    dir: repo", "    at: /app"];
  expect(await refusal(...at, "    also:", "      /app/data: data")).toBe(
    '8:7 task.fixture.also["/app/data"]: "/app/data" and /app cover each other; mount them apart',
  );
  expect(await refusal(...at, "    also:", "      /data: data", "      /data/x: data")).toContain(
    '9:7 task.fixture.also["/data/x"]: "/data/x" and /data cover each other',
  );
  expect(await refusal(...at, "    also:", "      /etc/x: data")).toContain("would cover /etc");
  expect(await refusal(...at, "    also:", "      /data: nowhere")).toContain("8:14 ");
  expect(await refusal(...at, "    also:", "      /data: ../data")).toContain("not inside the scenarios directory");
  expect(await refusal(...at, "    also:", "      /data: data", "      /data: data")).toContain("9:7");
});

test("a fixture has variables; without any nothing of them is stored", async () => {
  const fixture = async (...lines: readonly string[]) => (await loadedWith(...lines)).definition.task.fixture;
  expect(await fixture("    env: {MODE: fast, _b1: ''}")).toMatchObject({ dir: null, env: { MODE: "fast", _b1: "" } });
  expect(await fixture("    dir: repo", "    env: {}")).toEqual(await fixture("    dir: repo"));
  const [forth, back] = await Promise.all(
    ["    env: {A: x, B: y}", "    env: {B: y, A: x}"].map(async (line) =>
      comparabilityDigest((await loadedWith(line)).definition),
    ),
  );
  expect(forth).toBe(back);
});

test.each([
  ["1A: x", ".1A: is no name of a variable: expected letters, digits and _", 11],
  ["LD_PRELOAD: /a.so", ".LD_PRELOAD: is set by abeval; leave it out", 11],
  ["PATH: /a", ".PATH: is set by abeval; leave it out", 11],
  ["ABEVAL_EVIDENCE: /a", ".ABEVAL_EVIDENCE: is set by abeval; leave it out", 11],
  ["API_KEY: x", ".API_KEY: looks like a key; leave it out: no command is given one", 11],
  [`A: ${"é".repeat(2_049)}`, ".A: has 4098 bytes; at most 4096 are possible", 14],
  ['A: "\\0"', ".A: contains a NUL character", 14],
  ["A: 5", ".A: expected text, got 5", 14],
])("a fixture cannot have the variable %s", async (variable, why, column) => {
  expect(await refusal("    dir: repo", `    env: {${variable}}`)).toBe(`6:${column} task.fixture.env${why}`);
});

test("a fixture has at most 100 variables", async () => {
  const many = (count: number) =>
    `    env: {${Array.from({ length: count }, (_, index) => `A${index}: x`).join(", ")}}`;
  expect((await loadedWith(many(100))).definition.task.fixture?.env).toHaveProperty("A99");
  expect(await refusal(many(101))).toStartWith("5:10 task.fixture.env: ");
});
