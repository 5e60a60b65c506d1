import fc from "fast-check";
import { RunRequest, VerdictRequest } from "../../src/domain/request.ts";

/** A request as `fetch` takes it. */
export interface HostileRequest {
  readonly path: string;
  readonly init: {
    readonly method: string;
    readonly headers?: Record<string, string>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
  };
}

const JSON_TYPE = { "content-type": "application/json" };

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

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

/** Any method on any path. */
export const anyPath: fc.Arbitrary<HostileRequest> = fc
  .tuple(
    fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
    fc.constantFrom("/", "/api/", "/api/scenarios/", "/api/sessions/", "/api/runs/", "/api/doctor/"),
    fc.array(word, { maxLength: 3 }),
  )
  .map(([method, start, steps]) => ({ path: start + steps.map(encoded).join("/"), init: { method } }));

/** Any query of the endpoints that read. */
export const anyQuery: fc.Arbitrary<HostileRequest> = fc
  .tuple(
    fc.constantFrom("/api/sessions", "/api/health", "/api/scenarios"),
    fc.array(fc.tuple(fc.oneof(fc.constantFrom("scenario", "state", "limit", "before"), word), word), { maxLength: 4 }),
  )
  .map(([path, pairs]) => ({
    path: `${path}?${pairs.map((pair) => pair.map(encoded).join("=")).join("&")}`,
    init: { method: "GET" },
  }));

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

/** Any body at the endpoints that take one. */
export const ANY_BODIES: readonly (readonly [path: string, request: fc.Arbitrary<HostileRequest>])[] = [
  bodiesAt("/api/runs", nearly(RunRequest)),
  bodiesAt("/api/runs/async", nearly(RunRequest)),
  bodiesAt("/api/verdicts", nearly(VerdictRequest)),
  bodiesAt("/api/verdicts", fc.record({ arm_a: arm, arm_b: arm, judge_model: word }, { requiredKeys: [] })),
];

function bodiesAt(path: string, body: fc.Arbitrary<unknown>): readonly [string, fc.Arbitrary<HostileRequest>] {
  const request = fc
    .oneof(body, json)
    .map((value) => ({ path, init: { method: "POST", headers: JSON_TYPE, body: JSON.stringify(value) ?? "" } }));
  return [path, request];
}

/** Any bytes of any media type. */
export const anyBytes: fc.Arbitrary<HostileRequest> = fc
  .tuple(
    fc.uint8Array({ maxLength: 200 }),
    fc.oneof(fc.constantFrom("application/json", "text/plain", "multipart/form-data"), fc.string()),
  )
  .map(([bytes, type]) => {
    const headers = { "content-type": type.replace(/[^\x20-\x7e]/g, "") };
    return { path: "/api/runs", init: { method: "POST", headers, body: new Uint8Array(bytes) } };
  });
