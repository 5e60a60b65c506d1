import { expect, test } from "bun:test";
import { basename, dirname, join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020";
import { parse } from "yaml";
import { scenarioJsonSchema } from "../../release/scenario-schema.ts";
import { loadScenarioFile } from "../../src/comparison/scenario/load-scenario.ts";
import { EXAMPLES, SCENARIOS } from "../harness.ts";

const FILE = join(SCENARIOS, "scenario.schema.json");

test("the schema that editors read is the one that files are checked with", async () => {
  expect(await Bun.file(FILE).text()).toBe(scenarioJsonSchema());
});

test("every named part is defined once, and every reference leads to one", () => {
  const schema = scenarioJsonSchema();
  const referenced = [...schema.matchAll(/"\$ref": "#\/\$defs\/(\w+)"/g)].map((match) => match[1]);
  const document = JSON.parse(schema);
  expect(Object.keys(document.$defs).sort()).toEqual([...new Set(referenced)].sort() as string[]);
  expect(document.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
  expect(schema).not.toContain('"$id"');
});

test("every field that an author can write is described", () => {
  const undescribed: string[] = [];
  JSON.parse(scenarioJsonSchema(), (_, value) => {
    for (const [key, field] of Object.entries<Record<string, unknown>>(value?.properties ?? {})) {
      if (field["description"] === undefined && field["$ref"] === undefined) undescribed.push(key);
    }
    return value;
  });
  expect(undescribed).toEqual([]);
});

/** Paths of the YAML files below the bundled directories that `pattern` finds, at least one in each. */
const bundledFiles = (pattern: string): string[] =>
  [SCENARIOS, EXAMPLES].flatMap((directory) => {
    const names = [...new Bun.Glob(pattern).scanSync(directory)];
    expect(names).not.toBeEmpty();
    return names.map((name) => join(directory, name));
  });

test("the bundled scenarios load, and tell editors where the schema is", async () => {
  for (const file of bundledFiles("*.yaml")) {
    const [first = ""] = (await Bun.file(file).text()).split("\n");
    const schema = /^# yaml-language-server: \$schema=(\S+)$/.exec(first)?.[1] ?? "";
    expect(join(dirname(file), schema)).toBe(FILE);
    expect((await loadScenarioFile(file)).definition.name).toBe(basename(file, ".yaml"));
  }
});

test("editors find nothing wrong in a bundled scenario, also where they take the key `0:` for a number", async () => {
  const { $defs, ...root } = JSON.parse(scenarioJsonSchema());
  // The YAML language server knows such a key by a pattern alone.
  const { properties: _, ...anchors } = $defs.AnchorsFile;
  const validate = new Ajv2020({ strict: false }).compile({ ...root, $defs: { ...$defs, AnchorsFile: anchors } });
  let withAnchors = 0;
  for (const file of bundledFiles("**/*.yaml")) {
    const text = await Bun.file(file).text();
    if (!text.startsWith("# yaml-language-server:")) continue;
    if (text.includes("anchors:")) withAnchors++;
    validate(parse(text));
    expect([file, validate.errors]).toEqual([file, null]);
  }
  expect(withAnchors).toBeGreaterThan(0);
});
