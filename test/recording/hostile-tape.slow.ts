import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Exchange } from "../../src/arms/recording/lines.ts";
import { hashOf, keyOf } from "../../src/arms/recording/matching/asked.ts";
import { normaliser } from "../../src/arms/recording/matching/normalise.ts";
import { readRecording } from "../../src/arms/recording/read-recording.ts";
import { renewed } from "../../src/arms/recording/replay.ts";
import { differing } from "../../src/arms/recording/roles.ts";
import { Failure } from "../../src/domain/failure.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";
import { temporaryDirectory } from "../temporary.ts";
import { failureOf, HEADER } from "./spoken.ts";

const text = '{"role":"user"}';
const PART = { part: hashOf(text), text };

function exchange(n: number, changes: Partial<Exchange> = {}): Exchange {
  const asked = { method: "POST", path: "/messages", parts: [["messages[0]", PART.part]] as [string, string][] };
  return { n, ...asked, key: keyOf(asked), status: 200, type: "", ms: 1, body: "{}", ...changes };
}

const fileOf = (...lines: readonly unknown[]) =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

/** What is said of a file, by what puts it there; undefined when it is taken for a recording. */
async function refusalOf(put: (path: string) => void): Promise<string | undefined> {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  put(path);
  const failure = await failureOf(readRecording(path, "small/one.jsonl"));
  if (failure === undefined) return undefined;
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code: "invalid_request" });
  return (failure as Failure).message;
}

test("what an attacker could write passes as a recording where nothing is wrong with it", async () => {
  expect(
    await refusalOf((path) => writeFileSync(path, fileOf(HEADER, PART, exchange(1), exchange(2)))),
  ).toBeUndefined();
});

const deep = `${"[".repeat(300)}${"]".repeat(300)}`;
const half = JSON.stringify({ part: hashOf("\ud800"), text: "\ud800" });

const WRONG: readonly (readonly [what: string, file: string | Uint8Array, why: string])[] = [
  ["compressed", gzipSync(fileOf(HEADER)), "is no recording as it is: unpack it, it is gzip"],
  ["of another version", fileOf({ ...HEADER, cassette: 9 }), "has version 9 of the format"],
  ["without its header", fileOf(PART, exchange(1)), "is no recording of abeval: its first line is no header"],
  [
    "in the wrong order",
    fileOf(HEADER, exchange(1), PART),
    "line 2 was changed: a part of its request is missing before it",
  ],
  ["with two headers", fileOf(HEADER, HEADER), "line 2 is not one of a recording"],
  [
    "with a number twice",
    fileOf(HEADER, PART, exchange(1), exchange(1)),
    "line 4 was moved, repeated or follows a lost one: it has number 1, and 2 comes next",
  ],
  ["without its first request", fileOf(HEADER, PART, exchange(2)), "it has number 2, and 1 comes next"],
  [
    "with a field missing",
    fileOf(HEADER, PART, { ...exchange(1), body: undefined }),
    "line 3 is not one of a recording",
  ],
  ["with a wrong type", fileOf(HEADER, PART, { ...exchange(1), status: "200" }), "line 3 is not one of a recording"],
  [
    "with a status that no reply has",
    fileOf(HEADER, PART, exchange(1, { status: 99 })),
    "line 3 is not one of a recording",
  ],
  ["with a long name", fileOf({ ...HEADER, of: "x".repeat(2_000) }), "is no recording of abeval"],
  ["with half a character in a part", fileOf(HEADER, half), "line 2 was changed: its text has half a character"],
  [
    "with half a character in a reply",
    fileOf(HEADER, PART, exchange(1, { body: "\ud800" })),
    "line 3 was changed: its reply has half a character",
  ],
  ["nested deeply", fileOf(HEADER, deep), "line 2 has 300 levels of nesting, at most 200 are read"],
  ["of many values", fileOf(HEADER, `[${"0,".repeat(600_000)}0]`), "line 2 has 600002 values, at most 400000 are read"],
  ["with a NUL", fileOf(HEADER, "\0"), "line 2 has no valid JSON"],
  [
    "cut in a line that others follow",
    fileOf(HEADER, JSON.stringify(PART).slice(0, 20), exchange(1)),
    "line 2 has no valid JSON",
  ],
  [
    "of a line without an end",
    `${fileOf(HEADER)}${"x".repeat(64 * 1024 * 1024 + 1)}`,
    "line 2 has more than 67108864 bytes; no recording has",
  ],
  ["of many lines", `${fileOf(HEADER)}${fileOf(PART).repeat(250_000)}`, "has more than 250000 lines; no recording has"],
];

test.each(WRONG)("a recording %s is refused with the place", async (_, file, why) => {
  const refusal = await refusalOf((path) => writeFileSync(path, file));
  expect(refusal).toStartWith("small/one.jsonl: ");
  expect(refusal).toContain(why);
});

test("what is no file is refused at once, and nobody waits for it", async () => {
  const place = "put the recording itself there";
  expect(await refusalOf((path) => mkdirSync(path))).toBe(`small/one.jsonl: is no file; ${place}`);
  expect(await refusalOf((path) => void Bun.spawnSync(["mkfifo", path]))).toBe(`small/one.jsonl: is no file; ${place}`);
  expect(await refusalOf((path) => symlinkSync("/etc/passwd", path))).toBe(`small/one.jsonl: is a link; ${place}`);
  expect(await refusalOf(() => undefined)).toBe("small/one.jsonl: there is no such recording");
  const large = 256 * 1024 * 1024 + 1;
  const sparse = (path: string) => {
    writeFileSync(path, "");
    truncateSync(path, large);
  };
  expect(await refusalOf(sparse)).toContain(`has ${large} bytes, at most ${large - 1} are read`);
});

test("a name of a prototype is a name like any other", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  writeFileSync(path, `${JSON.stringify(HEADER).replace('"prompt"', '"__proto__"')}\n${fileOf(PART, exchange(1))}`);
  const { header } = await readRecording(path, "small/one.jsonl");
  expect(Object.keys(header.bound)).toEqual(["__proto__"]);
  expect(differing(header.bound, {})).toEqual(["__proto__"]);
});

const normalise = normaliser((one) => one);

test("a recording is read and renewed in linear time, whatever is in it", async () => {
  using directory = temporaryDirectory();
  const lines = [
    (n: number) => fileOf(HEADER, ...new Array<unknown>(n).fill(PART)),
    (n: number) => fileOf(HEADER, PART, ...Array.from({ length: n }, (_, at) => exchange(at + 1))),
    (n: number) => fileOf(HEADER, partOf({ content: new Array(n).fill({ type: "tool_result", tool_use_id: "a" }) })),
    (n: number) => fileOf(HEADER, partOf({ role: "tool", content: "agent_id: ".repeat(n) })),
    (n: number) => fileOf(HEADER, partOf({ role: "tool", content: `nickname${"\\".repeat(n)}` })),
  ];
  for (const [nth, linesOf] of lines.entries()) {
    const input = (n: number) => {
      const path = join(directory.path, `${nth}-${n}.jsonl`);
      writeFileSync(path, linesOf(n));
      return path;
    };
    const read = async (path: string) => await renewed(await readRecording(path, "x"), normalise);
    expect(await cpuRatio({ n: 5_000, input, read })).toBeLessThan(LINEAR);
  }
});

function partOf(value: unknown) {
  const part = JSON.stringify(value);
  return { part: hashOf(part), text: part };
}
