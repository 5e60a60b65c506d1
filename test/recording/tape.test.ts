import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { ReplayedReply } from "../../src/arms/model/provider-call.ts";
import type { Exchange } from "../../src/arms/recording/lines.ts";
import { normaliser } from "../../src/arms/recording/matching/normalise.ts";
import { Replayer } from "../../src/arms/recording/replayer.ts";
import { Failure } from "../../src/domain/failure.ts";
import { LINUX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { fill, MOUNTS, smallDisk } from "../store/storage-faults.ts";
import { temporaryDirectory } from "../temporary.ts";
import { everyByte, failureOf, HEADER, post, recordAll, recorderAt, replayerOf, saying } from "./spoken.ts";

const asked = (...texts: readonly string[]) => ({
  model: "m",
  messages: texts.map((content) => ({ role: "user", content })),
});

test("a reply is replayed byte by byte with its status, type and time, whatever the address", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const stream = "event: a\ndata: {}\n\ndata: [DONE]\n\n";
  await recordAll(
    path,
    [asked("Hi.")],
    async () => new Response(stream, { headers: { "content-type": "text/event-stream" } }),
  );
  const replayer = await replayerOf(path);
  const reply = await post(replayer.fetch(), asked("Hi."), "http://elsewhere.example/v1/chat/completions");
  expect([reply.status, reply.headers.get("content-type"), await reply.text()]).toEqual([
    200,
    "text/event-stream",
    stream,
  ]);
  expect((reply as ReplayedReply).took_ms).toBeGreaterThanOrEqual(0);
  expect(replayer.rest).toBe(0);
});

test("a reply that comes in pieces, split within a character, is recorded whole and passed on as it is", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const bytes = new TextEncoder().encode("data: grün ✓\n\n");
  const inPieces = () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
    );
  const recorder = recorderAt(path);
  await recorder.begin();
  expect(
    await (
      await post(
        recorder.fetch(async () => inPieces()),
        asked("Hi."),
      )
    ).bytes(),
  ).toEqual(bytes);
  await recorder.end();
  expect(await (await post((await replayerOf(path)).fetch(), asked("Hi."))).bytes()).toEqual(bytes);
});

test("equal requests get their replies in the order of the recording, and different ones in any order", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const replies = ["reply 1", "reply 2", "reply 3"];
  await recordAll(path, [asked("a"), asked("b"), asked("a")], async () => new Response(replies.shift()));
  const send = (await replayerOf(path)).fetch();
  const texts = [];
  for (const text of ["b", "a", "a"]) texts.push(await (await post(send, asked(text))).text());
  expect(texts).toEqual(["reply 2", "reply 1", "reply 3"]);
  expect(await failureOf(post(send, asked("a")))).toMatchObject({
    code: "replay_mismatch",
    message: expect.stringContaining('request 4 of arm "one" is asked more often than it was recorded'),
  });
});

test("many requests at once are recorded whole, each line a value, each part once", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const recorder = recorderAt(path);
  await recorder.begin();
  const send = recorder.fetch(async (_, init) => new Response(String(init?.body)));
  const bodies = Array.from({ length: 40 }, (_, index) => asked("shared", `own ${index}`));
  await Promise.all(bodies.map(async (body) => await (await post(send, body)).text()));
  await recorder.end();
  const lines = readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ text }) => text?.includes("shared"))).toHaveLength(1);
  expect(lines.flatMap(({ n }) => n ?? [])).toEqual(bodies.map((_, index) => index + 1));
  const replay = (await replayerOf(path)).fetch();
  for (const body of bodies.toReversed()) expect(await (await post(replay, body)).text()).toBe(JSON.stringify(body));
});

test("a refusal is replayed with its advice on retries, and nobody waits", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const refusals = [
    new Response("{}", { status: 529, headers: { "retry-after": "20" } }),
    new Response("{}", { status: 429, headers: { "retry-after": "4000" } }),
    new Response("{}", { status: 500, headers: { "x-should-retry": "false" } }),
  ];
  await recordAll(
    path,
    refusals.map(() => asked("Hi.")),
    async () => refusals.shift() as Response,
  );
  const send = (await replayerOf(path)).fetch();
  const told = [];
  for (const _ of [1, 2, 3]) {
    const { status, headers } = await post(send, asked("Hi."));
    told.push([status, headers.get("retry-after-ms"), headers.get("x-should-retry")]);
  }
  expect(told).toEqual([
    [529, "1", null],
    [429, "4000000", null],
    [500, "1", "false"],
  ]);
});

test("a changed text misses with the place, the character and both texts", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("Other."), asked("Fix it.", "2 pass")], saying("{}"));
  const failure = await failureOf(post((await replayerOf(path)).fetch(), asked("Fix it.", "3 pass")));
  expect(failure).toBeInstanceOf(Failure);
  expect((failure as Failure).message).toBe(
    [
      'request 1 of arm "one" differs from the recording at messages[1], character 13:',
      '  recorded {"content":"2 pass","role":"user"}',
      '  asked    {"content":"3 pass","role":"user"}',
      "  small/one.jsonl: record it again, or name what varies by chance in `replay.ignore` of the scenario",
    ].join("\n"),
  );
});

const CHANCE = [
  ["ids anywhere", "msg_0b1c2d3e-0000-4000-8000-00000000000a", "msg_ffffffff-1111-4111-9111-0123456789ab"],
  ["dates", "Today is 2026-01-02T03:04:05.678Z", "Today is 2027-11-12T13:14:15Z"],
  ["spoken dates", "It is Friday, January 2, 2026.", "It is Tue, Dec 29 2026."],
  ["lists of files", "-rw-r--r-- 1 a a 3 Jan  2 03:04 x", "-rw-r--r-- 1 a a 3 Dec 31  2025 x"],
  ["durations", "(pass) adds [0.15ms] in 2 s", "(pass) adds [112ms] in 13.5 s"],
  ["durations too short to be told", "(pass) adds [0.15ms]\nok (3 ms)\\nthe end", "(pass) adds\nok\\nthe end"],
  ["processes", "started, pid 4711, PGID: 12", "started, pid 3, PGID: 99999"],
  [
    "shells that were started at once",
    "3\n<shellId: 0 completed with exit code 3>",
    "3\n<shellId: 1 completed with exit code 3>",
  ],
  ["counts of what was cut", "Original token count: 50\nOutput:", "Original token count: 49\nOutput:"],
  ["moments", "at 1767322800000", "at 1798858800123"],
] as const;

test.each(CHANCE)("%s do not tell requests apart", async (_, before, now) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const session = { metadata: { user_id: before }, user: before };
  await recordAll(path, [{ ...asked(before), ...session }], saying("{}"));
  expect((await post((await replayerOf(path)).fetch(), asked(now))).status).toBe(200);
});

test("what a scenario ignores does not tell requests apart", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("port 40213")], saying("{}"), ["port [0-9]+"]);
  expect(await failureOf(post((await replayerOf(path)).fetch(), asked("port 7")))).toBeInstanceOf(Failure);
  expect((await post((await replayerOf(path, ["port [0-9]+"])).fetch(), asked("port 7"))).status).toBe(200);
});

const NOTE = "[... 123 bytes left out ...]";

test("only a text that was cut may differ, and only beside the cut", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const [head, tail] = ["h".repeat(300), "t".repeat(300)];
  await recordAll(path, [asked(`start ${head}abc\n${NOTE}\nxyz${tail} end`)], saying("{}"));
  const replay = async (text: string) => await failureOf(post((await replayerOf(path)).fetch(), asked(text)));
  expect(await replay(`start ${head}abcd\n[... 1 bytes left out ...]\nz${tail} end`)).toBeUndefined();
  expect(await replay(`stxrt ${head}abc\n${NOTE}\nxyz${tail} end`)).toBeInstanceOf(Failure);
  expect(await replay(`start ${head}abc\nxyz${tail} end`)).toBeInstanceOf(Failure);
});

test("no header, no query and no key reaches a recording", async () => {
  using directory = temporaryDirectory();
  const redact = (text: string) => text.replaceAll("secret-key", "[redacted]");
  const recorder = recorderAt(join(directory.path, "one.jsonl"), redact);
  await recorder.begin();
  const send = recorder.fetch(async () => new Response("you sent secret-key"));
  expect(await (await post(send, asked("my secret-key"))).text()).toBe("you sent secret-key");
  await recorder.end();
  expect(everyByte(directory.path)).not.toMatch(/secret-key|header-key|query-key|gateway\.example/);
});

testNeeding(LINUX)("a recording is its owner's alone, and is never overwritten", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("Hi.")], saying("{}"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const before = readFileSync(path, "utf8");
  expect(await failureOf(recorderAt(path).begin())).toMatchObject({ code: "invalid_request" });
  expect(readFileSync(path, "utf8")).toBe(before);
});

testNeeding(MOUNTS)(
  "a full disk ends the recording, and neither the replies nor what was recorded before",
  async () => {
    using directory = temporaryDirectory();
    using _disk = smallDisk(directory.path);
    const path = join(directory.path, "one.jsonl");
    const recorder = recorderAt(path);
    await recorder.begin();
    const send = recorder.fetch(saying("x".repeat(10_000)));
    await (await post(send, asked("first"))).text();
    fill(join(directory.path, "filler"));
    expect(await (await post(send, asked("second"))).text()).toHaveLength(10_000);
    await recorder.end();
    expect(recorder.fault).toBe("no space is left on its disk");
    expect((await replayerOf(path)).rest).toBe(1);
  },
);

test("whatever of a recording a killed process leaves can be read", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("a"), asked("a", "b")], saying("{}"));
  const whole = readFileSync(path);
  const first = whole.indexOf("\n") + 1;
  const ends = fc.integer({ min: first, max: whole.length });
  await fc.assert(
    fc.asyncProperty(ends, async (end) => {
      writeFileSync(path, whole.subarray(0, end));
      const { rest } = await replayerOf(path);
      expect(rest).toBeLessThanOrEqual(2);
    }),
    { numRuns: 60 },
  );
});

test("a recording of which a byte was changed is refused, or replays what it says", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("a"), asked("a", "b")], saying('{"ok":true}'));
  const whole = readFileSync(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), async (at, byte) => {
      const changed = Buffer.from(whole);
      changed[at] = byte;
      writeFileSync(path, changed);
      const failure = await failureOf(replayerOf(path));
      if (failure !== undefined) expect(failure).toMatchObject({ code: "invalid_request" });
    }),
    { numRuns: 150 },
  );
});

const LINES = [
  ["text", "not json"],
  ["an empty file", ""],
  ["another file", '{"name":"abeval"}'],
  ["a list", "[]"],
] as const;

test.each(LINES)("%s is refused as no recording", async (_, text) => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  writeFileSync(path, text === "" ? "" : `${text}\n`);
  expect(await failureOf(replayerOf(path))).toMatchObject({
    message: expect.stringMatching(/^small\/one.jsonl: is no recording/),
  });
});

test("another version, a changed part and a file that is too large are refused with their reason", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  await recordAll(path, [asked("Hi.")], saying("{}"));
  const text = readFileSync(path, "utf8");
  const refusal = async (changed: string) => {
    writeFileSync(path, changed);
    return ((await failureOf(replayerOf(path))) as Failure).message;
  };
  expect(await refusal(text.replace('"cassette":1', '"cassette":2'))).toContain("version 2 of the format");
  expect(await refusal(text.replace("Hi.", "Ho."))).toMatch(/line \d was changed: its text has another hash/);
  expect(await refusal(text.replace('"method":"POST"', '"method":"PUT"'))).toMatch(
    /line \d was changed: its request has another key/,
  );
  expect(await refusal(`${text}{"more":[${"0,".repeat(400_000)}0]}\n`)).toMatch(
    /line \d has 400003 values, at most 400000 are read; no recording has$/,
  );
  appendFileSync(path, text);
  truncateSync(path, 256 * 1024 * 1024 + 1);
  expect(((await failureOf(replayerOf(path))) as Failure).message).toContain(
    "has 268435457 bytes, at most 268435456 are read",
  );
});

test("hostile bodies are matched, too: no JSON, and nesting without end", async () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, "one.jsonl");
  const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const recorder = recorderAt(path);
  await recorder.begin();
  const ask = (send: ReturnType<typeof recorder.fetch>, body: string) =>
    send("http://x/v1/messages", { method: "POST", body });
  for (const body of [`{"messages":${deep}}`, "no json"]) await (await ask(recorder.fetch(saying("{}")), body)).text();
  await recorder.end();
  const replay = (await replayerOf(path)).fetch();
  for (const body of ["no json", `{"messages":${deep}}`]) expect((await ask(replay, body)).status).toBe(200);
});

test("any number of equal requests is read at once", () => {
  const exchange = { n: 1, method: "POST", path: "/", key: "0".repeat(32), parts: [], status: 200, type: "", ms: 1 };
  const exchanges = new Array<Exchange>(400_000).fill({ ...exchange, body: "" });
  const recording = { name: "x.jsonl", header: HEADER, exchanges, texts: new Map() };
  expect(new Replayer(recording, { normalise: normaliser((text) => text), version: "0" }).rest).toBe(400_000);
});
