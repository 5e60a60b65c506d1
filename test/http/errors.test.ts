import { describe, expect, test } from "bun:test";
import { FAILURE_CODES, Failure } from "../../src/domain/failure.ts";
import { type ApiEndpoint, fieldPlaces } from "../../src/doors/endpoint/endpoint.ts";
import { ENDPOINTS } from "../../src/doors/endpoint/endpoints.ts";
import { allowedHosts } from "../../src/doors/http/allowed-callers.ts";
import { createApp } from "../../src/doors/http/app.ts";
import { ERRORS } from "../../src/doors/http/error.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { until } from "../turns.ts";
import { aService, jsonPost, startRun } from "./service.ts";

interface ErrorAnswer {
  readonly status: number;
  readonly error: { readonly code: string; readonly message: string; readonly details?: Record<string, unknown> };
}

/** Fails unless the answer has the one shape of an error. */
async function errorOf(response: Response): Promise<ErrorAnswer> {
  expect(response.headers.get("content-type")).toStartWith("application/json");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  const body = (await response.json()) as { error: ErrorAnswer["error"] };
  expect(Object.keys(body)).toEqual(["error"]);
  return { status: response.status, error: body.error };
}

test("every failure code has a status", () => {
  expect(Object.keys(ERRORS).toSorted()).toEqual([...FAILURE_CODES].toSorted());
});

describe("a request that cannot be served", () => {
  test("an unknown route is a 404 in our shape, under /api and elsewhere", async () => {
    await using service = aService();
    for (const path of ["/api/nope", "/", "/index.html", "/api", "/api/sessions/a/b"])
      expect(await errorOf(await service.get(path))).toMatchObject({ status: 404, error: { code: "unknown_route" } });
  });

  test("a path with a broken escape is a 404 like any other that leads nowhere", async () => {
    await using service = aService();
    for (const path of ["/api/scenarios/%zz", "/api/sessions/%ff", "/api/runs/%zz/stream"])
      expect(await errorOf(await service.get(path))).toEqual({
        status: 404,
        error: {
          code: "unknown_route",
          message: `there is nothing at "${path}"; the routes are listed at /api/openapi.json`,
        },
      });
  });

  test.each([
    ["/api/scenario", 'there is nothing at "/api/scenario"; did you mean "/api/scenarios"? The routes are listed'],
    ["/api/helth", 'there is nothing at "/api/helth"; did you mean "/api/health"? The routes are listed'],
    ["/api/nothing/like/it", 'there is nothing at "/api/nothing/like/it"; the routes are listed'],
  ])("%s is answered with the route that was meant", async (path, message) => {
    await using service = aService();
    expect((await errorOf(await service.get(path))).error.message).toBe(`${message} at /api/openapi.json`);
  });

  test("a stream asked with fields of somebody else is a 404 once the run is over, and opens before", async () => {
    await using service = aService();
    const path = `/api/runs/${await startRun(service, "slow")}/stream?token=x&_=1`;
    const live = await service.get(path);
    expect(live.status).toBe(200);
    await live.body?.cancel();
    expect(await errorOf(await service.get("/api/runs/over/stream?token=x&_=1"))).toMatchObject({
      status: 404,
      error: { code: "not_live" },
    });
  });

  test("a wrong method is a 405 that lists the right ones", async () => {
    await using service = aService();
    const response = await service.fetch("/api/runs", { method: "GET" });
    expect(response.headers.get("allow")).toBe("POST, OPTIONS");
    expect(await errorOf(response)).toEqual({
      status: 405,
      error: {
        code: "method_not_allowed",
        message: '"/api/runs" answers POST, OPTIONS, not GET',
        details: { allowed: ["POST", "OPTIONS"] },
      },
    });
  });

  test("bad JSON, an empty body and bad UTF-8 are a 400", async () => {
    await using service = aService();
    for (const body of ["{", "", "not json", new Uint8Array([0x22, 0xff, 0x22])]) {
      const response = await service.fetch("/api/runs", { ...jsonPost(""), body });
      expect(await errorOf(response)).toMatchObject({ status: 400, error: { code: "invalid_request" } });
    }
  });

  test("a moment that is none is a 422 that shows how one is written", async () => {
    await using service = aService();
    expect((await errorOf(await service.get("/api/session-summary?since=yesterday"))).error).toEqual({
      code: "invalid_request",
      message: 'since: expected a time in UTC such as 2026-01-02T03:04:05.678Z, got "yesterday"',
      details: { field: "since" },
    });
  });

  test("a body that does not fit is a 422 that names the field", async () => {
    await using service = aService();
    const cases: readonly (readonly [body: unknown, field: string | undefined, message: string])[] = [
      [null, undefined, "expected an object, got null"],
      [[], undefined, "expected an object, got a list"],
      [{}, "scenario", "scenario is missing (Scenario name.)"],
      [
        { scenario: 7 },
        "scenario",
        'scenario: expected a name of at most 64 letters, digits, ".", "_" and "-", a letter or digit first, got 7',
      ],
      [
        { scenario: "quick", model_override: "gpt" },
        "model_override",
        'model_override: expected <provider>/<model>, got "gpt"',
      ],
      [
        { scenario: "quick", judge_modle: "x" },
        "judge_modle",
        'unknown field "judge_modle"; did you mean "judge_model"? Allowed: scenario, definition, input, arms, model_override, judge_model, single',
      ],
      [
        { scenarios: "quick" },
        "scenarios",
        'unknown field "scenarios"; did you mean "scenario"? Allowed: scenario, definition, input, arms, model_override, judge_model, single',
      ],
    ];
    for (const [body, field, message] of cases) {
      const details = field === undefined ? {} : { details: { field } };
      expect(await errorOf(await service.post("/api/runs", body))).toEqual({
        status: 422,
        error: { code: "invalid_request", message, ...details },
      });
    }
  });

  test("a body with ten thousand values is refused before it is compared with a schema", async () => {
    await using service = aService();
    const { status, error } = await errorOf(await service.post("/api/runs", { scenario: Array(10_001).fill(1) }));
    expect([status, error.message]).toEqual([422, "the body has 10003 values, at most 10000 are read"]);
  });

  test("a series is estimated for a scenario: trials alone are refused", async () => {
    await using service = aService();
    expect(await errorOf(await service.get("/api/doctor?trials=5"))).toEqual({
      status: 422,
      error: {
        code: "invalid_request",
        message: "trials: of which scenario? A series is estimated for one; name it in scenario",
        details: { field: "trials" },
      },
    });
  });

  test("what a series would be asked is refused where no series is estimated, and where it cannot be", async () => {
    await using service = aService();
    const refused = async (query: string) => {
      const { status, error } = await errorOf(await service.get(`/api/doctor?scenario=quick&${query}`));
      return [status, error.code, error.message];
    };
    expect(await refused("measure=solved")).toEqual([
      422,
      "invalid_request",
      "measure: says how a series is estimated; say how many trials of it, in trials",
    ]);
    expect(await refused("trials=5&control=nobody")).toEqual([
      404,
      "unknown_arm",
      'control: there is no arm "nobody"; the arms are left and right',
    ]);
    expect((await refused("trials=5&cluster=topic"))[2]).toContain("cluster (--cluster): ");
    const asked = await service.get("/api/doctor?scenario=quick&trials=5&not_worse_by=0.3&control=right");
    expect(await asked.json()).toMatchObject({
      estimate: { control: "right", series: { trials: 5, not_worse_by: 0.3 } },
    });
  });

  test("every endpoint refuses a field of its query that is given twice", async () => {
    await using service = aService();
    const closed = Object.values<ApiEndpoint>(ENDPOINTS).flatMap((endpoint) => {
      const { query } = fieldPlaces(endpoint);
      const [field] = Object.keys(query?.additionalProperties === false ? query.properties : {});
      return field !== undefined && endpoint.route.startsWith("GET ") ? [{ path: endpoint.route.slice(4), field }] : [];
    });
    expect(closed.length).toBeGreaterThan(10);
    for (const { path, field } of closed) {
      const answer = await service.get(`${path.replace(/:\w+/, "quick")}?${field}=1&${field}=2`);
      const { error } = (await answer.json()) as { error: { message: string } };
      expect([path, answer.status, error.message]).toEqual([path, 422, `${field} is given twice`]);
    }
  });

  test("an unknown query field, a value out of range and a field given twice are refused", async () => {
    await using service = aService();
    const refused = async (query: string) => (await errorOf(await service.get(`/api/sessions?${query}`))).error.message;
    expect(await refused("limt=5")).toStartWith('unknown field "limt"; did you mean "limit"?');
    expect(await refused("limit=0")).toBe("limit: expected a whole number from 1 to 500, got 0");
    expect(await refused("limit=501")).toBe("limit: expected a whole number from 1 to 500, got 501");
    expect(await refused("limit=1e2")).toBe('limit: expected a whole number from 1 to 500, got "1e2"');
    expect(await refused("limit=1&limit=2")).toBe("limit is given twice");
    expect(await refused("before=x")).toBe('before: expected the id of a session, got "x"');
    expect(await refused("state=done")).toStartWith("state: expected queued, preparing,");
    expect(await refused("__proto__=1")).toStartWith('unknown field "__proto__"');
  });

  test("a body that is not sent as JSON is a 415: a form of another site starts no run", async () => {
    await using service = aService();
    const body = JSON.stringify({ scenario: "quick" });
    const types = [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "text/plain; x=application/json",
      "",
    ];
    for (const type of types) {
      const response = await service.fetch("/api/runs/async", {
        method: "POST",
        headers: { "content-type": type },
        body: new TextEncoder().encode(body),
      });
      expect(await errorOf(response)).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
    }
    expect(service.services.runs.all()).toEqual([]);
  });

  test("JSON with a charset is JSON", async () => {
    await using service = aService();
    const headers = { "content-type": "application/json; charset=utf-8" };
    const response = await service.fetch("/api/runs", { ...jsonPost({ scenario: "quick" }), headers });
    expect(response.status).toBe(200);
  });

  test("a body over 1 MiB is a 413, announced or not", async () => {
    await using service = aService();
    const text = JSON.stringify({ scenario: "x".repeat(1024 * 1024) });
    expect((await errorOf(await service.post("/api/runs", text))).status).toBe(413);
    const stream = new Blob([text]).stream();
    const response = await service.fetch("/api/runs", { ...jsonPost(""), body: stream });
    expect(await errorOf(response)).toMatchObject({ status: 413, error: { code: "body_too_large" } });
  });

  test("an unknown session, arm or scenario is a 404 with its own code", async () => {
    await using service = aService();
    const pointer = { session_id: "session-quick-20260102T030405678Z", arm_id: "left" };
    const answers = [
      await service.get("/api/sessions/session-none-20260102T030405678Z"),
      await service.get("/api/scenarios/none"),
      await service.post("/api/runs", { scenario: "none" }),
      await service.post("/api/verdicts", { arm_a: pointer, arm_b: { ...pointer, arm_id: "right" } }),
      await service.get("/api/runs/session-none-20260102T030405678Z/stream"),
      await service.fetch("/api/runs/session-none-20260102T030405678Z", { method: "DELETE" }),
    ];
    const codes = await Promise.all(answers.map(async (answer) => (await errorOf(answer)).error.code));
    expect(codes).toEqual([
      "unknown_session",
      "unknown_scenario",
      "unknown_scenario",
      "unknown_session",
      "not_live",
      "not_live",
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  });

  test("a broken scenario is a 422 that says where", async () => {
    await using service = aService();
    const { status, error } = await errorOf(await service.post("/api/runs", { scenario: "broken" }));
    expect({ status, code: error.code }).toEqual({ status: 422, code: "invalid_scenario" });
    expect(error.message).toContain("broken.yaml:2:");
  });

  test("a missing key is a 422 that names the variable, before anything is stored", async () => {
    await using service = aService({ persistent: true });
    const body = { scenario: "quick", model_override: "openai/gpt-5" };
    const { status, error } = await errorOf(await service.post("/api/runs/async", body));
    expect({ status, code: error.code }).toEqual({ status: 422, code: "credentials_missing" });
    expect(error.message).toContain("OPENAI_API_KEY");
    expect(await (await service.get("/api/sessions")).json()).toEqual([]);
  });

  test("a full queue is a 503 that says when to come back", async () => {
    await using service = aService({ services: { slots: new Semaphore(1, 1) } });
    const ids = [await startRun(service, "slow"), await startRun(service, "slow")];
    const response = await service.post("/api/runs/async", { scenario: "slow" });
    expect(response.headers.get("retry-after")).toBe("10");
    expect(await errorOf(response)).toMatchObject({ status: 503, error: { code: "overloaded" } });
    for (const id of ids) await service.fetch(`/api/runs/${id}`, { method: "DELETE" });
  });

  test("a server that is stopping takes no runs", async () => {
    const stopping = AbortSignal.abort(new Failure("interrupted", "the server is stopping"));
    await using service = aService({ app: { stopping } });
    for (const path of ["/api/runs", "/api/runs/async", "/api/verdicts"])
      expect(await errorOf(await service.post(path, {}))).toMatchObject({
        status: 503,
        error: { code: "interrupted" },
      });
    expect((await service.get("/api/health")).status).toBe(200);
  });
});

describe("a fault of the server", () => {
  test("is a 500 with an id, under which the log explains it", async () => {
    const store = {
      ...memoryStore(),
      read: () => {
        throw new TypeError("secret detail at /home/someone/abeval");
      },
    };
    await using service = aService({ services: { store } });
    const { status, error } = await errorOf(await service.get("/api/sessions/session-x-20260102T030405678Z"));
    const id = String(error.details?.["id"]);
    expect({ status, error }).toEqual({
      status: 500,
      error: {
        code: "internal",
        message: `an internal error; the server's log says more under ${id}`,
        details: { id },
      },
    });
    const [line] = service.notices;
    expect(line).toStartWith(`error ${id}: TypeError: secret detail`);
  });

  test("an answer with a field that its schema does not list is a 500, and shows nothing of it", async () => {
    await using service = aService();
    const [row] = await service.services.catalog.list();
    const catalog = {
      ...service.services.catalog,
      list: () => Promise.resolve([{ ...row, hidden_check: "canary" } as never]), // the compiler would not let it pass
    };
    const notices: string[] = [];
    const app = createApp({ ...service.services, catalog, notice: (line) => void notices.push(line) });
    const { status, error } = await errorOf(await app.handle(new Request("http://localhost/api/scenarios")));
    expect({ status, code: error.code }).toEqual({ status: 500, code: "internal" });
    expect(notices.join()).toContain('GET /api/scenarios breaks its schema at "/0/hidden_check": Unexpected property');
    expect(JSON.stringify(error) + notices.join()).not.toContain("canary");
  });

  test.each([
    ["storage_full", 507, "no space is left in the state directory, or on the disk of the database"],
    ["storage_failed", 500, "the session store could not be"],
  ] as const)(
    "the directory of a store that fails (%s) is in the log and not in the answer",
    async (code, expected, words) => {
      const store = {
        ...memoryStore(),
        create: () => {
          throw new Failure(code, "cannot write in /srv/private: free some space and try again");
        },
      };
      await using service = aService({ services: { store } });
      const { status, error } = await errorOf(await service.post("/api/runs", { scenario: "quick" }));
      expect({ status, code: error.code }).toEqual({ status: expected, code });
      expect(error.message).toStartWith(words);
      expect(JSON.stringify(error)).not.toContain("/srv/private");
      expect(service.notices.join("\n")).toContain("/srv/private");
    },
  );

  test("provider keys are taken out of messages", async () => {
    const environment = { OPENAI_API_KEY: "sk-very-secret-value-1234567890" };
    await using service = aService({ environment });
    const { error } = await errorOf(await service.get(`/api/scenarios/${environment.OPENAI_API_KEY}`));
    expect(error.message).not.toContain(environment.OPENAI_API_KEY);
  });
});

test("a run that fails answers with its error and names the session", async () => {
  await using service = aService();
  const answer = service.post("/api/runs", { scenario: "slow" });
  const id = await firstLive(service);
  await service.fetch(`/api/runs/${id}`, { method: "DELETE" });
  expect(await errorOf(await answer)).toEqual({
    status: 499,
    error: {
      code: "cancelled",
      message: "The run was cancelled.",
      details: { session_id: id, stage: "running" },
    },
  });
});

/** The id of the run that a blocking request is about to start. */
const firstLive = ({ services }: ReturnType<typeof aService>): Promise<string> =>
  until(async () => {
    const [row] = await services.store.list();
    return row && services.runs.live(row.session_id) && row.session_id;
  });

describe("allowed hosts", () => {
  const asked = (host: string) => ({ headers: { host } });

  test("are the named ones, loopback names and the listen address", async () => {
    await using service = aService({ app: { hosts: allowedHosts(["eval.example.com"], "10.0.0.5") } });
    for (const host of [
      "eval.example.com",
      "EVAL.example.com:8080",
      "localhost:1",
      "127.0.0.1",
      "[::1]:8080",
      "10.0.0.5",
    ])
      expect((await service.fetch("/api/health", asked(host))).status).toBe(200);
    for (const host of ["evil.example", "eval.example.com.evil.example", "localhost.evil.example"])
      expect(await errorOf(await service.fetch("/api/health", asked(host)))).toMatchObject({
        status: 403,
        error: { code: "forbidden_host" },
      });
  });
});

describe("other origins", () => {
  test("may read every answer: success, error, stream and page", async () => {
    await using service = aService();
    const headers = { origin: "https://elsewhere.example" };
    const id = await startRun(service);
    const answers = [
      await service.fetch("/api/health", { headers }),
      await service.fetch("/api/none", { headers }),
      await service.fetch("/api/runs", {
        ...jsonPost("{"),
        headers: { ...headers, "content-type": "application/json" },
      }),
      await service.fetch(`/api/runs/${id}/stream`, { headers }),
      await service.fetch("/api/docs", { headers }),
    ];
    for (const answer of answers) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  test("learn from a preflight what they may send", async () => {
    await using service = aService();
    const response = await service.fetch("/api/runs", {
      method: "OPTIONS",
      headers: {
        origin: "https://elsewhere.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toContain("POST");
    expect(response.headers.get("access-control-allow-headers")).toBe(
      "content-type, idempotency-key, if-match, if-none-match, last-event-id",
    );
    expect(response.headers.get("access-control-max-age")).toBe("86400");
    expect(response.headers.get("vary")).toBeNull();
  });
});

test("a very long id is cut in the message", async () => {
  await using service = aService();
  const id = "x".repeat(9_000);
  const answers = [
    await service.get(`/api/sessions/${id}`),
    await service.fetch(`/api/runs/${id}`, { method: "DELETE" }),
  ];
  const messages = await Promise.all(answers.map(async (answer) => (await errorOf(answer)).error.message));
  expect(messages).toEqual([
    `there is no session "${id.slice(0, 100)}"`,
    `no run of "${id.slice(0, 100)}" is in flight; read the session instead`,
  ]);
});

const HOSTILE = "a\u001b[31m\u0007b\u009b1mc\u202ed\u2066e\u200bf\u2028g\nh\ti\u007f";
const PLAIN = "a[31mb1mcdefg\nh\ti";

test("control characters from a scenario reach neither the answer nor the log", async () => {
  const thrown: unknown[] = [
    new Failure("setup_failed", HOSTILE, { details: { list: [{ text: HOSTILE }], count: 1 } }),
    new Error(HOSTILE),
  ];
  const catalog = { directory: "", get: () => Promise.reject(thrown.shift()), list: () => Promise.resolve([]) };
  const notices: string[] = [];
  await using service = aService({ services: { notice: (line) => void notices.push(line) } });
  const app = createApp({ ...service.services, catalog });
  const ask = () => app.handle(new Request("http://localhost/api/scenarios/quick"));
  expect((await errorOf(await ask())).error).toEqual({
    code: "setup_failed",
    message: PLAIN,
    details: { list: [{ text: PLAIN }], count: 1 },
  });
  expect((await errorOf(await ask())).error.code).toBe("internal");
  expect(notices.join()).toContain(PLAIN);
  for (const unseen of ["\u001b", "\u009b", "\u202e"]) expect(notices.join()).not.toContain(unseen);
});
