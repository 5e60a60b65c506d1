import { afterAll, expect, test } from "bun:test";
import { SANDBOX } from "../../machine.ts";
import { describeNeeding } from "../../needs.ts";
import { fakeInstalls, hostileServer } from "./fake-install.ts";
import { offered } from "./offered.ts";

const installs = fakeInstalls();
afterAll(() => installs[Symbol.dispose]());

const MB = 1_000_000;

/** Megabytes of memory that `work` needs beyond what this process has needed so far. */
async function memoryOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.resourceUsage().maxRSS;
  await work();
  return (process.resourceUsage().maxRSS - before) / 1_000;
}

/** What the model reads of the first call, and of one more. */
async function twice(family: string, bytes: number) {
  await using offer = await offered(installs.path, [hostileServer(family, bytes)]);
  const outputs = [await offer.call("foe__go"), await offer.call("foe__go")];
  return { texts: outputs.map(({ text }) => text), faults: outputs.map(({ fault }) => fault) };
}

const refusal = async (family: string, bytes: number): Promise<string> => {
  try {
    await using _offer = await offered(installs.path, [hostileServer(family, bytes)]);
    return "none";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const BEYOND: readonly (readonly [family: string, bytes: number, why: string])[] = [
  ["unknown-blocks", 1.3 * MB, "a message of 200005 values, at most 100000 are read"],
  ["unknown-blocks", 3.9 * MB, "a message of 600005 values, at most 100000 are read"],
  ["unknown-blocks", 10.4 * MB, "a message of 1600005 values, at most 100000 are read"],
  ["empty-blocks", 1.3 * MB, "a message of 866673 values"],
  ["text-blocks", 10.4 * MB, "a message of 1200005 values"],
  ["numbers", 10.4 * MB, "a message of 5200005 values"],
  ["properties", 5 * MB, "a message of"],
  ["structure", 5 * MB, "a message of"],
  ["error-data", 3.9 * MB, "a message of"],
  ["deep", 3.9 * MB, "a message of"],
  ["escapes", 3.9 * MB, "a message of 1950000 escaped characters, at most 1000000 are read"],
  ["bad-utf8", 5 * MB, "a message of no valid UTF-8"],
  ["text", 10.5 * MB, "a message of more than 10485760 bytes"],
  ["no-newline", 30 * MB, "a message of more than 10485760 bytes"],
  ["notifications", 12 * MB, "more than 100000 messages"],
  ["changes", 12 * MB, "more than 100000 messages"],
  ["requests", 12 * MB, "more than 100000 messages"],
  ["newlines", MB, "more than 100000 messages"],
  ["chatter", 5 * MB, "more than 100000 messages"],
];

const WITHIN: readonly (readonly [family: string, bytes: number, text: string])[] = [
  ["unknown-blocks", 100, "[z, not shown]\n[z, not shown]"],
  ["text", 10.4 * MB, "x".repeat(1_000)],
  ["error", 10.4 * MB, `[${"e".repeat(500)}...]`],
  ["prototype", 0, "own"],
  ["replies-again", 0, "done"],
  ["replies-to-nothing", 0, "done"],
  ["id-as-text", 0, "done"],
  ["notifications", MB, "done"],
  ["pings", MB, "done"],
  ["complaints", 20 * MB, "done"],
  ["byte-by-byte", 0, "slow"],
  ["half-a-line", 0, "last words"],
];

describeNeeding(SANDBOX)("a hostile MCP server", () => {
  test.each(BEYOND)("that answers with %s of %d bytes is ended, in words that name the limit", async (...row) => {
    const [family, bytes, why] = row;
    const { texts, faults } = await twice(family, bytes);
    expect(texts[0]).toStartWith(`[the server of this tool ended: it sent ${why}`);
    expect(texts[0]).toEndWith("; it is started again for the next call]");
    expect(texts[1]).toEndWith("; it is not started again]");
    expect(faults[0]).toStartWith(`MCP server foe ended (it sent ${why}`);
  });

  test.each(WITHIN)("that answers with %s of %d bytes is read", async (family, bytes, text) => {
    const { texts, faults } = await twice(family, bytes);
    expect(texts[0]).toStartWith(text);
    expect(faults[0]).toBeUndefined();
  });

  test.each([
    ["list-properties", 5 * MB, "it ended (it sent a message of"],
    ["list-tools", 3.9 * MB, "it ended (it sent a message of"],
    ["list-deep", 3.9 * MB, "it ended (it sent a message of"],
    ["list-pages", 4 * MB, "its answer is of no use (it describes its tools in more than 10000000 bytes)"],
    ["list-name", 0, "its answer is of no use (it lists a tool whose name has 129 characters, at most 128 are taken)"],
    ["list-no-schema", 0, "its answer is of no use (its tool go has no input schema of type object)"],
    ["list-text", 0, "its answer is of no use (it is no list of tools)"],
    ["greet-experimental", 5 * MB, "it ended (it sent a message of"],
    ["greet-version", MB, "its answer is of no use (it speaks version 999999"],
  ])("that begins with %s of %d bytes is refused before a model is asked", async (family, bytes, why) => {
    const message = await refusal(family, bytes);
    expect(message).toStartWith(`MCP server foe does not start: ${why}`);
    expect(message.length).toBeLessThan(300);
  });

  test("takes no gigabytes of memory, wherever it goes beyond the limits", async () => {
    for (const family of ["unknown-blocks", "empty-blocks", "numbers", "properties", "deep", "error-data", "text"])
      expect(await memoryOf(() => twice(family, 10.4 * MB))).toBeLessThan(400);
    for (const family of ["list-tools", "list-properties", "list-deep", "list-pages", "greet-experimental"])
      expect(await memoryOf(() => refusal(family, 10.4 * MB))).toBeLessThan(400);
  });

  test("with a description that no turn can carry is refused", async () => {
    expect(await refusal("list-description", 3.9 * MB)).toMatch(
      /are described in 39\d+ bytes, at most 256000 are taken/,
    );
  });
});
