import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { RE2JS } from "re2js";
import type { Exchange } from "../../src/arms/recording/lines.ts";
import { readQuestion } from "../../src/arms/recording/matching/asked.ts";
import { normaliser } from "../../src/arms/recording/matching/normalise.ts";
import type { RecordedFile } from "../../src/arms/recording/read-recording.ts";
import { Replayer } from "../../src/arms/recording/replayer.ts";
import { cpuRatio, LINEAR } from "../cpu-ratio.ts";
import { temporaryDirectory } from "../temporary.ts";
import { turnsDuring } from "../turns.ts";
import { failureOf, HEADER, post, recorderAt, replayerOf, URL_ASKED } from "./spoken.ts";

const normalise = normaliser((text) => text);

const body = (...contents: readonly string[]) => ({ messages: contents.map((content) => ({ role: "user", content })) });

async function recordingOf(bodies: readonly object[]): Promise<RecordedFile> {
  const texts = new Map<string, string>();
  const exchanges: Exchange[] = [];
  for (const one of bodies) {
    const asked = await readQuestion({ method: "POST", url: URL_ASKED, body: JSON.stringify(one) }, normalise);
    for (const [hash, text] of asked.texts) texts.set(hash, text);
    const { method, path, key, parts } = asked;
    const request = { method, path, key, parts: parts.map(([place, hash]): [string, string] => [place, hash]) };
    exchanges.push({ n: exchanges.length + 1, ...request, status: 200, type: "", ms: 1, body: "{}" });
  }
  return { name: "small/one.jsonl", header: HEADER, exchanges, texts };
}

const numbers = (n: number) => Array.from({ length: n }, (_, at) => `number <${at}>`);
const cutOff = (end: string) => `${"h".repeat(80)}\n[... 12 bytes left out ...]\n${"t".repeat(80)}${end}`;

test("requests that differ from recorded ones beside a cut are found in linear time", async () => {
  const made = new Map<number, RecordedFile>();
  const input = (n: number) => ({ recording: made.get(n) as RecordedFile, n });
  for (const n of [400, 1_600])
    made.set(n, await recordingOf(numbers(n).map((number) => body(number, cutOff(number), "h"))));
  const read = async ({ recording, n }: ReturnType<typeof input>) => {
    const replayer = new Replayer(recording, { normalise, version: "0" });
    const send = replayer.fetch();
    for (const number of numbers(n).toReversed())
      await post(send, body(number, cutOff(number).replace("12", "13"), "h"));
    expect(replayer.rest).toBe(0);
  };
  expect(await cpuRatio({ n: 400, input, read })).toBeLessThan(LINEAR);
});

test("a request is compared with a thousand recorded ones that are alike but for a cut text", async () => {
  const recording = await recordingOf(numbers(1_001).map((number) => body(cutOff(number))));
  const asking = async (number: string) => {
    const send = new Replayer(recording, { normalise, version: "0" }).fetch();
    return await failureOf(post(send, body(cutOff(number).replace("12", "13"))));
  };
  expect(await asking("number <999>")).toBeUndefined();
  expect(await asking("number <1000>")).toMatchObject({ code: "replay_mismatch" });
});

test("others have their turn while the recording that a request is most like is looked for", async () => {
  const { exchanges, ...recording } = await recordingOf([body(...numbers(1_000))]);
  const many = new Array(100).fill(exchanges[0]);
  const send = new Replayer({ ...recording, exchanges: many }, { normalise, version: "0" }).fetch();
  expect(await turnsDuring(() => failureOf(post(send, {})))).toBeGreaterThanOrEqual(10);
});

const LONG = "hello world foo\n".repeat(32_768);

test.each([
  ["a text", LONG, 32],
  ["many texts", numbers(20_000), 10],
] as const)("others have their turn while patterns look at %s", async (_, value, turns) => {
  const ignoring = normaliser((text) => text, ["[a-z]+ [0-9]", "\\bw"]);
  expect(await turnsDuring(() => ignoring(value))).toBeGreaterThanOrEqual(turns);
});

test.each(["ab+", "^b.*$", "\\bab?\\b", "a*", "a\\n+b", "🙂|b$"])(
  "what %p matches is found in any number of steps",
  async (source) => {
    const pattern = RE2JS.compile(source, RE2JS.MULTILINE);
    const ignoring = normaliser((text) => text, [source]);
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "-", "🙂"), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 3, maxLength: 9 }), fc.nat(20), async (few, more) => {
        const text = `${"x".repeat(more)}${few.join("\n").repeat(2_000)}`;
        expect(await ignoring(text)).toBe(pattern.matcher(text).replaceAll("<ignored>"));
      }),
      { numRuns: 5 },
    );
  },
);

test("a match that is longer than a step is one match", async () => {
  expect(await normaliser((text) => text, ["b+"])(`a${"b".repeat(80_000)}`)).toBe("a<ignored>");
});

test("keys are taken out of some lines of a reply at a time, and it is played as it came", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const reply = `data: ${'🙂 \\ " \u0001'.repeat(20)}\n\n`.repeat(20_000);
  let longest = 0;
  const redact = (text: string) => {
    longest = Math.max(longest, text.length);
    return text;
  };
  const recorder = recorderAt(path, redact);
  await recorder.begin();
  const send = recorder.fetch(async () => new Response(reply));
  expect(await (await post(send, body("Hi."))).text()).toBe(reply);
  await recorder.end();
  expect(longest).toBeLessThan(300_000);
  expect(await (await post((await replayerOf(path)).fetch(), body("Hi."))).text()).toBe(reply);
});
