import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { RunRequest, VerdictRequest } from "../../src/domain/request.ts";
import { aService, type TestService } from "./service.ts";

const KEY = "sk-canary-5f1d0c7e9b3a2468";
const ERROR = /^\{"error":\{"code":"[a-z_]+","message":/;
const SLOWEST_MS = 2_000;

let service: TestService;
beforeAll(() => {
  service = aService({ persistent: true, environment: { OPENAI_API_KEY: KEY } });
});
afterAll(async () => await service[Symbol.asyncDispose]());

/** Whatever is thrown at it: an answer of the document, in time, no fault of ours, nothing of the host. */
async function survives(path: string, init: NonNullable<Parameters<TestService["fetch"]>[1]> = {}): Promise<void> {
  const started = performance.now();
  const response = await service.fetch(path, init);
  const text = await response.text();
  expect(performance.now() - started).toBeLessThan(SLOWEST_MS);
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  if (response.status >= 400 && init.method !== "HEAD") expect(text).toMatch(ERROR);
  expect(service.notices).toEqual([]);
  expect(text).not.toContain(KEY);
  expect(text).not.toMatch(/\/tmp\/|node_modules|\n {4}at /);
}

const word = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "..",
    "../../etc/passwd",
    "__proto__",
    "constructor",
    "\0",
    "\r\nX: y",
    "x".repeat(3_000),
    "quick",
    "",
  ),
);
const json = fc.oneof(fc.jsonValue(), word, fc.constant({ __proto__: { scenario: "quick" } }));

test("any path is answered", async () => {
  const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");
  const prefix = fc.constantFrom("/", "/api/", "/api/scenarios/", "/api/sessions/", "/api/runs/", "/api/doctor/");
  await fc.assert(
    fc.asyncProperty(method, prefix, fc.array(word, { maxLength: 3 }), async (verb, start, steps) => {
      await survives(start + steps.map((step) => encodeURIComponent(step.toWellFormed())).join("/"), { method: verb });
    }),
    { numRuns: 300 },
  );
}, 30_000);

test("any query is answered", async () => {
  const name = fc.oneof(fc.constantFrom("scenario", "state", "limit", "before"), word);
  const pairs = fc.array(fc.tuple(name, word), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("/api/sessions", "/api/health", "/api/scenarios"), pairs, async (path, given) => {
      const query = given.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join("="));
      await survives(`${path}?${query.join("&")}`);
    }),
    { numRuns: 300 },
  );
}, 30_000);

/** Requests that nearly fit: the schema's own fields with right, wrong and missing values, and a stranger at times. */
const nearly = (schema: typeof RunRequest | typeof VerdictRequest) =>
  fc.record(
    {
      ...Object.fromEntries(Object.keys(schema.properties).map((name) => [name, json])),
      stranger: fc.option(json, { nil: undefined }),
    },
    { requiredKeys: [] },
  );

const arm = fc.record({ session_id: word, arm_id: word }, { requiredKeys: [] });

const bodies: readonly (readonly [path: string, body: fc.Arbitrary<unknown>])[] = [
  ["/api/runs", nearly(RunRequest)],
  ["/api/runs/async", nearly(RunRequest)],
  ["/api/verdicts", nearly(VerdictRequest)],
  ["/api/verdicts", fc.record({ arm_a: arm, arm_b: arm, judge_model: word }, { requiredKeys: [] })],
];

test.each(bodies)(
  "any body is answered at %s",
  async (path, body) => {
    const headers = { "content-type": "application/json" };
    await fc.assert(
      fc.asyncProperty(fc.oneof(body, json), async (value) => {
        await survives(path, { method: "POST", headers, body: JSON.stringify(value) ?? "" });
      }),
      { numRuns: 300 },
    );
  },
  30_000,
);

test("any bytes of any type are answered", async () => {
  const type = fc.oneof(fc.constantFrom("application/json", "text/plain", "multipart/form-data"), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), type, async (bytes, given) => {
      const headers = { "content-type": given.replace(/[^\x20-\x7e]/g, "") };
      await survives("/api/runs", { method: "POST", headers, body: new Uint8Array(bytes) });
    }),
    { numRuns: 300 },
  );
}, 30_000);

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
  ];
  for (const body of hostile) await survives("/api/runs", { method: "POST", headers, body });
});
