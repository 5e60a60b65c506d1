import { expect, test } from "bun:test";
import { fitHere } from "../src/comparison/evidence/counted-schema.ts";
import { findHere } from "../src/runtime/pattern.ts";
import { cpuRatio, LINEAR } from "./cpu-ratio.ts";

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
];

for (const { reads, growth } of PAIRS)
  test(`the time grows in proportion: ${reads}`, async () => {
    expect(await cpuRatio(growth as Parameters<typeof cpuRatio>[0])).toBeLessThan(LINEAR);
  });
