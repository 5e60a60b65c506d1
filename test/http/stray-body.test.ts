import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { aService } from "./service.ts";

const service = aService();
const { port = 0 } = service.listen();
afterAll(() => service[Symbol.asyncDispose]());

const CHUNKED = "Transfer-Encoding: chunked";
const LONG = "Content-Length: 10000000000";

/** What is answered to a request whose body has begun and never ends, once the server has closed the connection. */
async function answerToEndless(method: string, path: string, ...headers: readonly string[]): Promise<string> {
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString();
  });
  socket.write(`${[`${method} ${path} HTTP/1.1`, "Host: localhost", ...headers].join("\r\n")}\r\n\r\n`);
  socket.write(`10000\r\n${"a".repeat(1_000)}`);
  await once(socket, "close");
  return answer;
}

const BODILESS = ["GET", "HEAD", "DELETE", "OPTIONS", "PUT", "PATCH"].flatMap((method) =>
  [CHUNKED, LONG].map((announced) => [method, announced] as const),
);

test.each(BODILESS)(
  "a body that never ends is refused, and its connection closed: %s, %s",
  async (method, announced) => {
    expect(await answerToEndless(method, "/api/health", announced)).toStartWith("HTTP/1.1 413 ");
  },
);

test.each([
  ["/api/nothing", 404, []],
  ["/api/health", 405, []],
  ["/api/runs", 415, ["Content-Type: text/plain"]],
] as const)("a POST that is refused without its body is not read on: %s", async (path, status, headers) => {
  expect(await answerToEndless("POST", path, CHUNKED, ...headers)).toStartWith(`HTTP/1.1 ${status} `);
});

test("a small body where none is expected harms nothing, and the connection goes on", async () => {
  const socket = connect(port, "127.0.0.1");
  for (const size of [2, 64 * 1024]) {
    socket.write(`GET /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n${"a".repeat(size)}`);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toStartWith("HTTP/1.1 200 ");
  }
  socket.destroy();
});
