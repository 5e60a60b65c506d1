import { connect } from "node:net";
import fc from "fast-check";
import { ANY_BODIES, anyBytes, anyPath, anyQuery, type HostileRequest } from "../test/http/hostile-requests.ts";
import { aService, type TestService } from "../test/http/service.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

const REQUESTS = 9_000;
const RAW_REQUESTS = 1_000;
const SLOWEST_MS = 2_000;
const KEY = "sk-canary-5f1d0c7e9b3a2468";
const ERROR = /^\{"error":\{"code":"[a-z_]+","message":/;

/** Bad requests, and bytes that are no requests. */
export const campaign: Campaign = {
  about: `${REQUESTS + RAW_REQUESTS} generated bad requests`,
  at_once: 2,
  cases: async ({ seed, count, shared }) => {
    const service = shared.use(aService({ persistent: true, environment: { OPENAI_API_KEY: KEY } }));
    const url = new URL(service.listen().url);
    const any = fc.oneof(anyPath, anyQuery, ...ANY_BODIES.map(([, request]) => request), anyBytes);
    return [
      ...fc.sample(any, { seed, numRuns: count(REQUESTS) }).map((request) => requestCase(service, request)),
      ...numbered(count(RAW_REQUESTS), (index) => rawCase(url, randomOfCase(seed, index))),
    ];
  },
};

const requestCase = (service: TestService, { path, init }: HostileRequest): Case => ({
  name: `${init.method} ${path.slice(0, 80)} ${String(init.body ?? "").slice(0, 80)}`,
  async run() {
    const began = performance.now();
    const response = await service.fetch(path, init);
    const text = await response.text();
    hold(performance.now() - began < SLOWEST_MS, `an answer within ${SLOWEST_MS} ms`);
    hold(response.status < 500, "no fault of ours", `${response.status} ${text}`);
    hold(response.headers.get("access-control-allow-origin") === "*", "a CORS header");
    hold(response.status < 400 || init.method === "HEAD" || ERROR.test(text), "an error in our form", text);
    hold(service.notices.length === 0, "nothing for the operator's log", service.notices);
    hold(!text.includes(KEY) && !/\/tmp\/|node_modules|\n {4}at /.test(text), "nothing of the host", text);
  },
});

const LINES = [
  "GET /api/health HTTP/1.1",
  "GET /api/health HTTP/9.9",
  "GET  /api/health  HTTP/1.1",
  "GET /%zz%00%ff HTTP/1.1",
  "GET http://elsewhere.example/api/health HTTP/1.1",
  "GET ../../../../etc/passwd HTTP/1.1",
  "POST /api/runs HTTP/1.1",
  "BREW /pot HTTP/1.1",
  "CONNECT 127.0.0.1:1 HTTP/1.1",
  "",
  "\0\0\0\0",
] as const;

const HEADERS = [
  "Host: 127.0.0.1",
  "Host: evil.example",
  "Content-Length: 5",
  "Content-Length: -1",
  "Content-Length: 99999999999999999999",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: chunked, identity",
  "Content-Type: application/json",
  "Expect: 100-continue",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "no colon",
  ": no name",
  `X-Long: ${"x".repeat(20_000)}`,
  "X-Bytes: \u0001\u007f",
  "Range: bytes=0-,-1",
] as const;

const BODIES = [
  "",
  "{}",
  '{"scenario":"quick"}',
  "5\r\nhello\r\n0\r\n\r\n",
  "ffffffffffff\r\n",
  "\r\n\r\n\r\n",
  "\0",
] as const;

const MOST_HEADERS = 5;
const PATIENCE_MS = 150;

/** Writes bytes to a socket. The answer is no 5xx, and the server answers the next request. */
function rawCase(url: URL, random: Random): Case {
  const headers = Array.from({ length: whole(random, MOST_HEADERS) }, () => pick(random, HEADERS));
  const text = `${pick(random, LINES)}\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n${pick(random, BODIES)}`;
  const sent = random() < 0.2 ? text.slice(0, whole(random, text.length)) : text;
  return {
    name: `raw ${JSON.stringify(sent.slice(0, 200))}`,
    async run() {
      const answer = await exchange(url, sent);
      hold(!/^HTTP\/1\.1 5(?!05)/m.test(answer), "no 5xx but 505", answer);
      hold(!/node_modules|\n {4}at /.test(answer), "nothing of the host", answer);
      const began = performance.now();
      hold((await fetch(new URL("/api/health", url))).status === 200, "health to answer afterwards");
      hold(performance.now() - began < SLOWEST_MS, `health within ${SLOWEST_MS} ms`);
    },
  };
}

/** What came back until the server closed the connection, or until the time was over. */
async function exchange({ hostname, port }: URL, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (bytes) => {
    answer += bytes.toString("latin1");
  });
  socket.on("error", () => resolve(answer));
  socket.once("close", () => resolve(answer));
  socket.write(Buffer.from(text, "latin1"), () => socket.end());
  const timer = setTimeout(() => resolve(answer), PATIENCE_MS);
  const whole_answer = await promise;
  clearTimeout(timer);
  socket.destroy();
  return whole_answer;
}
