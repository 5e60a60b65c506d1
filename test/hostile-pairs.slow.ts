import { expect, test } from "bun:test";
import { IMAGE_LIMITS } from "../src/arms/image/unpacking/image-tally.ts";
import { ImageTree } from "../src/arms/image/unpacking/image-tree.ts";
import { fitHere } from "../src/comparison/evidence/counted-schema.ts";
import { readResults } from "../src/comparison/table/read-results.ts";
import { applyingPatch, PatchEffort } from "../src/domain/apply-patch.ts";
import { atOnce, type FilePatch, readPatch } from "../src/domain/patch.ts";
import { findHere } from "../src/runtime/pattern.ts";
import { cpuRatio, LINEAR } from "./cpu-ratio.ts";
import { attempt } from "./hostile-imports.ts";
import { temporaryDirectory } from "./temporary.ts";

/** Where the words of an author and an arm meet, so that the cost is a product. */
interface Pair<Author, Arm> {
  readonly reads: string;
  /** The size of the arm's part. */
  readonly n: number;
  readonly author: Author;
  readonly arm: (n: number) => Arm;
  readonly read: (author: Author, arm: Arm) => unknown;
}

const pair = <Author, Arm>({ reads, n, author, arm, read }: Pair<Author, Arm>) => ({
  reads,
  growth: { n, input: arm, read: (input: Arm) => read(author, input) },
});

const schema = (text: object) => ({ $defs: { node: { ...text } }, $ref: "#/$defs/node" });
const node = { $ref: "#/$defs/node" };
const fit = (author: Readonly<Record<string, unknown>>, value: unknown) => fitHere({ schema: author, value });
const find = (source: string, text: string) => findHere({ source, text });

const list = (n: number) => Array.from({ length: n }, (_, at) => ({ at }));
/** Levels are what is repeated: a schema that tries two references at each would double the time. */
const deep = (n: number): unknown => Array.from({ length: n }).reduce((child) => ({ child }), {});
const bugs = (n: number) => "bug ".repeat(n);

const apply = (files: readonly FilePatch[], text: string) =>
  files.map((file) => attempt(() => atOnce(applyingPatch(text, file, new PatchEffort())), ""));

/** A file behind links that each lead along forty directories, and hard links to it. */
async function linkAll(links: number, entries: number): Promise<void> {
  using place = temporaryDirectory();
  const tree = new ImageTree(place.path, null, IMAGE_LIMITS);
  const attributes = { mode: 0o755, modified: undefined };
  tree.directory("d", attributes);
  tree.file("target", 0, attributes).close();
  for (let n = 0; n < links; n += 1) tree.symbolicLink(`l${n}`, "d/../".repeat(20) + (n === 0 ? "" : `l${n - 1}`));
  for (let n = 0; n < entries; n += 1) {
    await tree.turn(`h${n}`);
    tree.hardLink(`h${n}`, `l${links - 1}/target`);
  }
}

const rows = (columns: number, count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      ...{ scenario: `s${n >> 1}`, arm: n % 2 ? "a" : "b", passed: true },
      ...Object.fromEntries(Array.from({ length: columns }, (_, at) => [`k${at}`, n % 3])),
    }),
  ).join("\n");

/** One row for each reader of a pair, with the worst that both sides have thought of. */
const PAIRS = [
  pair({
    reads: "a schema that tries each level twice, and nested objects",
    n: 16,
    author: schema({ oneOf: [{ properties: { child: node } }, { required: ["x"], properties: { child: node } }] }),
    arm: deep,
    read: fit,
  }),
  pair({
    reads: "a schema that refers to itself in several ways, and nested objects",
    n: 16,
    author: schema({
      properties: { child: { anyOf: [{ allOf: [node], maxProperties: 0 }, node] } },
      additionalProperties: node,
    }),
    arm: deep,
    read: fit,
  }),
  pair({
    reads: "a schema without equal items, and a list",
    n: 4_000,
    author: { uniqueItems: true },
    arm: list,
    read: fit,
  }),
  pair({
    reads: "a schema with many kinds, and a list",
    n: 2_000,
    author: { items: { anyOf: Array.from({ length: 40 }, (_, at) => ({ required: [`k${at}`] })) } },
    arm: list,
    read: fit,
  }),
  pair({
    reads: "a schema with a pattern, and a text",
    n: 1_000,
    author: { pattern: "^(a+)+$|(bug\\s?)*[^b]{0,100}$" },
    arm: bugs,
    read: fit,
  }),
  pair({
    reads: "a pattern that may begin anywhere, and a text",
    n: 1_000,
    author: "(?i)\\bbug\\b[\\s\\S]{0,100}\\bfix(ed)?\\b",
    arm: bugs,
    read: find,
  }),
  pair({
    reads: "a pattern of nested repeats, and a text",
    n: 4_000,
    author: "(bug|b|u|g\\s)*$x",
    arm: bugs,
    read: find,
  }),
  pair({
    reads: "a hunk of equal lines, and a file of them",
    n: 20_000,
    author: readPatch(`--- a\n+++ a\n@@ -1,4000 +1,4000 @@\n${" x\n".repeat(3_999)}-y\n+z\n`),
    arm: (n) => "x\n".repeat(n),
    read: apply,
  }),
  pair({
    reads: "many hunks that each stand elsewhere, and a file",
    n: 4_000,
    author: readPatch(
      `--- a\n+++ a\n${Array.from({ length: 20 }, (_, at) => `@@ -${at % 2 ? 1 : 3_000} +1 @@\n-${at}\n+x\n`).join("")}`,
    ),
    arm: (n) => Array.from({ length: n }, (_, at) => `${at}\n`).join(""),
    read: apply,
  }),
  pair({ reads: "links along links, and the entries behind them", n: 5, author: 6, arm: (n) => n, read: linkAll }),
  pair({
    reads: "columns, and the rows that have them",
    n: 40,
    author: 100,
    arm: (n) => rows(100, n),
    read: (_, text) => readResults(text, "jsonl"),
  }),
];

for (const { reads, growth } of PAIRS)
  test(`the time grows in proportion: ${reads}`, async () => {
    expect(await cpuRatio(growth as Parameters<typeof cpuRatio>[0])).toBeLessThan(LINEAR);
  });
