import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { ANY_BODIES, anyBytes, anyPath, anyQuery, type HostileRequest } from "./hostile-requests.ts";
import { rawRequest } from "./raw-request.ts";
import { aService, type TestService } from "./service.ts";

const KEY = "sk-canary-5f1d0c7e9b3a2468";
const ERROR = /^\{"error":\{"code":"[a-z_]+","message":/;

let service: TestService;
beforeAll(() => {
  service = aService({ persistent: true, environment: { OPENAI_API_KEY: KEY } });
});
afterAll(async () => await service[Symbol.asyncDispose]());

/** Whatever is thrown at it: an answer of the document, no fault of ours, nothing of the host. */
async function survives(path: string, init: NonNullable<Parameters<TestService["fetch"]>[1]> = {}): Promise<void> {
  const response = await service.fetch(path, init);
  const text = await response.text();
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  if (response.status >= 400 && init.method !== "HEAD") expect(text).toMatch(ERROR);
  expect(service.notices).toEqual([]);
  expect(text).not.toContain(KEY);
  expect(text).not.toMatch(/\/tmp\/|node_modules|\n {4}at /);
}

test("any path is answered", () => allSurvive(anyPath));

test("any query is answered", () => allSurvive(anyQuery));

test.each(ANY_BODIES)("any body is answered at %s", (_path, request) => allSurvive(request));

test("any bytes of any type are answered", () => allSurvive(anyBytes));

const allSurvive = (request: fc.Arbitrary<HostileRequest>) =>
  fc.assert(
    fc.asyncProperty(request, ({ path, init }) => survives(path, init)),
    { numRuns: 300 },
  );

test("bodies made to exhaust a parser are refused like any other", async () => {
  const deep = 100_000;
  const headers = { "content-type": "application/json" };
  const hostile = [
    "[".repeat(deep) + "]".repeat(deep),
    `{"scenario":${'{"a":'.repeat(deep)}1${"}".repeat(deep)}}`,
    `{"scenario":${"[".repeat(deep)}${"]".repeat(deep)}}`,
    `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(",")}}`,
    '{"scenario":"quick","scenario":7}',
    '{"__proto__":{"scenario":"quick"}}',
    '{"scenario":1e999999}',
    '{"scenario":{"toString":1}}',
    '{"scenario":[[{"toString":1}]]}',
    '{"scenario":"quick","toString":{"valueOf":1},"toJSON":1,"constructor":1}',
  ];
  for (const body of hostile) await survives("/api/runs", { method: "POST", headers, body });
});

test("a key that a request holds stands neither in the log nor in the answer", async () => {
  const lines: string[] = [];
  await using own = aService({
    environment: { OPENAI_API_KEY: KEY },
    app: { log: ({ path }) => void lines.push(path) },
  });
  const post = (body: object) => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers = [
    await own.fetch(`/api/sessions/${KEY}`),
    await own.fetch(`/${"x".repeat(290)}${KEY}`),
    await own.fetch("/api/runs", post({ [KEY]: 1 })),
    await own.fetch("/api/runs", post({ scenario: "quick", model_override: `${KEY}/x` })),
  ];
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(texts.join("\n")).not.toContain(KEY);
  // A line is written after its answer.
  while (lines.length < answers.length) await new Promise((resolve) => setImmediate(resolve));
  expect(lines.join("\n")).not.toContain(KEY.slice(0, 10));
});

test("a body of half a million values is refused before anything writes them", async () => {
  const headers = { "content-type": "application/json" };
  for (const body of [`{"scenario":[${"1,".repeat(500_000)}1]}`, `[[${"{},".repeat(300_000)}1]]`]) {
    const response = await service.fetch("/api/runs/async", { method: "POST", headers, body });
    expect(await response.json()).toEqual({
      error: {
        code: "invalid_request",
        message: expect.stringMatching(/^the body has \d{6,} values, at most 10000 are read$/),
      },
    });
  }
});

test("a client that sends a thousand requests in one piece is hung up on after some, and holds nobody up", async () => {
  const { url } = service.listen();
  const answers = await rawRequest(url, "GET /api/nothing HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000));
  expect(answers.split("HTTP/1.1 404 ").length).toBeLessThan(100);
  expect((await fetch(`${url}/api/health`)).status).toBe(200);
});
