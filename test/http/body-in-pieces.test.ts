import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import type { ErrorBody } from "../../src/domain/error-body.ts";
import { turnsDuring, until } from "../turns.ts";
import { aService } from "./service.ts";

const JSON_TYPE = { "content-type": "application/json" };
const BODY = { method: "POST", headers: JSON_TYPE };

test("a body in many pieces, all of them there, lets others have their turns", async () => {
  await using service = aService();
  const request = new Request("http://localhost/api/runs", { ...BODY, body: pieces(200, " ") });
  const turns = await turnsDuring(async () => expect((await service.app.handle(request)).status).toBe(400));
  expect(turns).toBeGreaterThan(100);
});

function pieces(count: number, text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let left = count;
  return new ReadableStream({
    pull(controller) {
      left -= 1;
      if (left < 0) controller.close();
      else controller.enqueue(bytes);
    },
  });
}

test("bodies that never end hold so much together, and no more; small ones are read meanwhile", async () => {
  await using service = aService();
  using listening = bodiesAt(service.listen().url);
  // 6 MiB each, of the 7 that a table may have.
  const held = Array.from({ length: 11 }, () => listening.open(6));
  await until(() => held.some(({ answer }) => answer().includes(" 503 ")));
  const refused = held.map(({ answer }) => answer()).find((answer) => answer.includes(" 503 ")) ?? "";
  expect(refused.toLowerCase()).toContain("retry-after: 10");
  const { error } = JSON.parse(refused.split("\r\n\r\n")[1] ?? "") as ErrorBody;
  expect(error).toMatchObject({ code: "overloaded", message: expect.stringContaining("64 MiB") });
  const small = await fetch(`${listening.url}/api/verdicts`, { ...BODY, body: "{}" });
  expect(small.status).toBe(422);
  for (const { socket } of held) socket.destroy();
  const large = () => fetch(`${listening.url}/api/verdicts`, { ...BODY, body: " ".repeat(1_000_000) });
  await until(async () => (await large()).status === 400);
});

const HEAD =
  "POST /api/series/results HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n";
const CHUNK = `100000\r\n${"a".repeat(0x10_00_00)}\r\n`;

/** Connections on which a table is sent in chunks of 1 MiB, without its end. */
function bodiesAt(url: string) {
  const sockets: Socket[] = [];
  return {
    url,
    open(chunks: number) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
      let text = "";
      socket.on("data", (bytes) => {
        text += bytes.toString();
      });
      socket.write(HEAD + CHUNK.repeat(chunks));
      sockets.push(socket);
      return { socket, answer: () => text };
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
