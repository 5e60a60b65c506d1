import { expect, test } from "bun:test";
import { readTry } from "../../src/model/provider-reply.ts";

const clock = { now: () => new Date("2026-01-01T00:00:00.000Z"), ticks: () => 0 };

async function failedTry(response: Response) {
  const read = await readTry(response, clock);
  if ("answer" in read) throw new Error("answered");
  return read;
}

async function waitAsked(headers: Record<string, string>): Promise<string | null> {
  const { response } = await failedTry(new Response("", { status: 429, headers }));
  return response.headers.get("retry-after-ms");
}

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
  expect(await waitAsked(headers)).toBe(wait);
});

test.each([
  [429, "300", true],
  [429, "301", false],
  [503, "3600", true],
])("status %i with a wait of %s s: tried again %p", async (status, wait, repeat) => {
  const read = await failedTry(new Response("", { status, headers: { "retry-after": wait } }));
  expect([read.repeat, read.failed.retryable]).toEqual([repeat, true]);
});

test("an answer is read as JSON, whatever its headers say of it", async () => {
  const response = new Response('{"a":1}', { headers: { "content-type": "text/plain" } });
  expect(await readTry(response, clock)).toEqual({ answer: { a: 1 } });
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
  expect(await readTry(new Response(body), clock)).toEqual({ answer: { a: "é" } });
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
  const { failed } = await failedTry(await fetch(`http://127.0.0.1:${server.port}`));
  expect(failed.kind).toBe("too_large");
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
  const { failed, repeat } = await failedTry(new Response(endless));
  expect({ kind: failed.kind, repeat }).toEqual({ kind: "too_large", repeat: false });
  expect(sent).toBeLessThan(8);
});
