import { expect, test } from "bun:test";
import { TryFailed } from "../../src/arms/model/failed-try.ts";
import { readReply } from "../../src/arms/model/provider-reply.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00.000Z"), ticks: () => 0 };

/** The two headers by which an SDK decides whether and when to try again. */
async function retryOf(reply: Response) {
  const { headers } = await readReply(reply, clock);
  return { repeat: headers.get("x-should-retry"), wait: headers.get("retry-after-ms") };
}

const lost = async (reply: Response) =>
  await readReply(reply, clock).then(
    () => "read",
    (error: unknown) => (error instanceof TryFailed ? error.failed.kind : error),
  );

test.each<[Record<string, string>, string | null]>([
  [{ "retry-after": "2" }, "2000"],
  [{ "retry-after": "0" }, "1"],
  [{ "retry-after": "-5" }, "1"],
  [{ "retry-after": "0.5" }, "500"],
  [{ "retry-after": "90" }, "60000"],
  [{ "retry-after": "99999999999999" }, "60000"],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:10 GMT" }, "10000"],
  [{ "retry-after": "Thu, 01 Jan 2099 00:00:00 GMT" }, "60000"],
  [{ "retry-after": "later" }, null],
  [{ "retry-after-ms": "7", "retry-after": "9" }, "7"],
  [{}, null],
])("a server that asks to wait with %p is given %p milliseconds", async (headers, wait) => {
  expect((await retryOf(new Response("", { status: 429, headers }))).wait).toBe(wait);
});

test.each([
  [429, "300", "true"],
  [429, "301", "false"],
  [503, "3600", "true"],
])("status %i with a wait of %s s: tried again %s", async (status, wait, repeat) => {
  expect((await retryOf(new Response("", { status, headers: { "retry-after": wait } }))).repeat).toBe(repeat);
});

test("an answer is JSON, whatever its headers say of it", async () => {
  const reply = await readReply(new Response('{"a":1}', { headers: { "content-type": "text/plain" } }), clock);
  expect([reply.status, reply.headers.get("content-type"), await reply.text()]).toEqual([
    200,
    "application/json",
    '{"a":1}',
  ]);
});

test("a byte order mark before the JSON is no part of it", async () => {
  const reply = await readReply(new Response('\uFEFF{"a":1}'), clock);
  expect(await reply.json()).toEqual({ a: 1 });
});

test("a reply whose status has no body is read too", async () => {
  expect((await readReply(new Response(null, { status: 304 }), clock)).status).toBe(304);
});

test("a status beyond those of HTTP is a failed try", async () => {
  using server = Bun.listen({
    port: 0,
    hostname: "127.0.0.1",
    socket: { data: (socket) => void socket.write("HTTP/1.1 999 Denied\r\ncontent-length: 2\r\n\r\nno") },
  });
  const reply = await fetch(`http://127.0.0.1:${server.port}`);
  const error = await readReply(reply, clock).catch((thrown: unknown) => thrown);
  expect(error).toEqual(new TryFailed({ kind: "status", status: 999, words: "no" }));
  expect((error as TryFailed).failed).toEqual({ kind: "status", status: 999, words: "no" });
});

test("a character cut by the network's packets is put together again", async () => {
  const bytes = new TextEncoder().encode('{"a":"é"}');
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, 7));
      controller.enqueue(bytes.slice(7));
      controller.close();
    },
  });
  expect(await (await readReply(new Response(body), clock)).json()).toEqual({ a: "é" });
});

test.each<[string, string, Uint8Array]>([
  ["announced in full", "x-length: true", new Uint8Array(5 * 1024 * 1024)],
  ["packed", "content-encoding: gzip", Bun.gzipSync(new Uint8Array(5 * 1024 * 1024))],
  ["in chunks", "transfer-encoding: chunked", Buffer.from(`500000\r\n${" ".repeat(5 * 1024 * 1024)}\r\n0\r\n\r\n`)],
])("a reply of 5 MB, %s, is too large", async (how, header, body) => {
  const length = how === "in chunks" ? 5 : body.byteLength;
  using server = Bun.listen({
    port: 0,
    hostname: "127.0.0.1",
    socket: {
      data(socket) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n${header}\r\n\r\n`);
        socket.data = body;
        send(socket);
      },
      drain: send,
    },
  });
  expect(await lost(await fetch(`http://127.0.0.1:${server.port}`))).toBe("too_large");
});

function send(socket: Bun.Socket<Uint8Array>): void {
  socket.data = socket.data.subarray(socket.write(socket.data));
}

test("reading stops when a reply is too large, however large it would be", async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 1;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  expect(await lost(new Response(endless))).toBe("too_large");
  expect(sent).toBeLessThan(8);
});

test("a reply of many small values is too large, and one nested deep is the caller's matter", async () => {
  const failed = await readReply(new Response(`{"content":[${"[],".repeat(60_000)}0]}`), clock).catch(
    (error: TryFailed) => error.failed,
  );
  expect(failed).toEqual({ kind: "too_large", status: 200, fault: "120003 values, at most 100000 are read" });
  const deep = `{"a":${"[".repeat(40_000)}${"]".repeat(40_000)}}`;
  expect((await readReply(new Response(deep), clock)).status).toBe(200);
});

test("of a refusal only the beginning is handed on", async () => {
  const refusal = await readReply(new Response("x".repeat(1_000_000), { status: 400 }), clock);
  expect(await refusal.text()).toBe("x".repeat(128 * 1024));
});
