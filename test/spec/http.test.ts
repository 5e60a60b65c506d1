import { expect } from "bun:test";
import type { DoctorReport } from "../../src/domain/doctor-report.ts";
import type { RunEvent } from "../../src/domain/event.ts";
import type { Health } from "../../src/domain/health.ts";
import type { RunStarted } from "../../src/domain/request.ts";
import type { Scenario, ScenarioListing } from "../../src/domain/scenario.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import type { SessionListing } from "../../src/domain/session-list.ts";
import type { Verdict } from "../../src/domain/verdict.ts";
import type { OpenApiDocument } from "../http/contract.ts";
import { jsonPost, readStream } from "../http/service.ts";
import { type Api, verifiesOverHttp } from "./doors.ts";

const run = (api: Api, scenario: string, options: object = {}) =>
  api.post<SessionOutcome>("/api/runs", { scenario, ...options });

const start = async (api: Api, scenario: string, options: object = {}) =>
  (await api.post<RunStarted>("/api/runs/async", { scenario, ...options })).session_id;

/** Every event of a run, to its end. */
async function follow(api: Api, id: string): Promise<{ text: string; events: RunEvent[] }> {
  const { text, events } = await readStream(await api.fetch(`/api/runs/${id}/stream`));
  return { text, events: events as RunEvent[] };
}

verifiesOverHttp(["http:health", "version:health", "version:0.1.6"], "health has the version", async (api) => {
  const health = await api.get<Health>("/api/health");
  expect(health).toEqual({ status: "ok", version: "0.1.6", uptime_ms: health.uptime_ms });
});

verifiesOverHttp(
  ["http:scenarios", "scenario:yaml", "scenario:markdown", "http:json", "serve:scenarios-dir"],
  "YAML files are listed, a broken one with its error; markdown is not",
  async (api) => {
    const rows = await api.get<ScenarioListing[]>("/api/scenarios");
    expect(rows.map(({ name, error }) => [name, error === null])).toEqual([
      ["brief", true],
      ["broken", false],
      ["judged", true],
      ["other", true],
      ["quick", true],
      ["slow", true],
    ]);
    expect((await api.fetch("/api/scenarios")).headers.get("content-type")).toStartWith("application/json");
  },
);

verifiesOverHttp(
  ["http:scenario", "scenario:areas", "scenario:name", "errors:scenario"],
  "a scenario has its four areas; an unknown name is a 404",
  async (api) => {
    const scenario = await api.get<Scenario>("/api/scenarios/quick");
    expect(scenario).toMatchObject({ name: "quick", arms: [{ id: "left" }, { id: "right" }] });
    for (const area of ["arms", "rubric", "policies", "task"]) expect(scenario).toHaveProperty(area);
    for (const name of ["none", "README", "..%2fsecret", "quick.yaml"])
      expect((await api.fetch(`/api/scenarios/${name}`)).status).toBe(404);
  },
);

verifiesOverHttp(
  ["http:doctor", "http:doctor-scenario"],
  "doctor looks at the environment, and with a scenario at its fixture, probe and budget too",
  async (api) => {
    const environment = await api.get<DoctorReport>("/api/doctor");
    expect(environment.checks.length).toBeGreaterThan(0);
    expect(new Set(environment.checks.map(({ scope }) => scope))).toEqual(new Set(["environment"]));
    const { scenario, checks } = await api.get<DoctorReport>("/api/doctor?scenario=quick");
    expect(scenario).toBe("quick");
    const kinds = new Set(checks.filter(({ scope }) => scope === "scenario").map(({ id }) => id.split(/[.:-]/, 1)[0]));
    expect(["fixture", "probe", "budget"].filter((kind) => !kinds.has(kind))).toEqual([]);
    expect((await api.fetch("/api/doctor?scenario=none")).status).toBe(404);
  },
);

verifiesOverHttp(
  ["http:runs", "session:contents", "session:arms", "session:id", "decision:fields", "decision:model-turn"],
  "a blocking run answers with the whole outcome",
  async (api) => {
    const outcome = await run(api, "quick");
    expect(outcome.session_id).toMatch(/^session-quick-\d{8}T\d{9}Z$/);
    expect(outcome.arms.map(({ arm_id }) => arm_id)).toEqual(["left", "right"]);
    expect(outcome).toMatchObject({ state: "completed", verdict: { scenario: "quick", kind: "run" } });
    const [decision] = outcome.decisions["left"] ?? [];
    expect(decision).toMatchObject({ seq: 1, kind: "model_turn", summary: "Hello." });
    for (const field of ["tokens_in", "tokens_out", "latency_ms"] as const)
      expect(Number.isInteger(decision?.[field])).toBe(true);
    expect(await api.get<SessionOutcome>(`/api/sessions/${outcome.session_id}`)).toEqual(outcome);
  },
);

verifiesOverHttp(
  [
    "http:runs-async",
    "http:stream",
    "http:async-flow",
    "stream:sse",
    "events:async",
    "events:frame",
    "events:decision",
    "events:arm-finished",
    "events:verdict-ready",
    "events:only-four",
    "events:not-live",
    "errors:stream",
    "lifecycle:live",
  ],
  "a run in the background is streamed to its end, then read from its session",
  async (api) => {
    const id = await start(api, "brief");
    const response = await api.fetch(`/api/runs/${id}/stream`);
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const { text, events } = await readStream(response);
    const frames = text.split("\n\n").filter((frame) => !frame.startsWith(":"));
    expect(frames.pop()).toBe("");
    for (const frame of frames) expect(frame).toMatch(/^data: \{[^\n]+\}$/);
    for (const event of events) expect(event["session_id"]).toBe(id);
    const outcome = await api.get<SessionOutcome>(`/api/sessions/${id}`);
    expect(outcome.state).toBe("completed");
    const all = events as RunEvent[];
    expect(new Set(all.map(({ event }) => event))).toEqual(new Set(["decision", "arm_finished", "verdict_ready"]));
    const logOf = (arm: string) =>
      all.flatMap((event) => (event.event === "decision" && event.arm_id === arm ? [event.decision] : []));
    expect({ left: logOf("left"), right: logOf("right") }).toEqual(outcome.decisions as never);
    const finished = all.flatMap((event) => (event.event === "arm_finished" ? [event.arm_id] : []));
    expect(finished.toSorted()).toEqual(["left", "right"]);
    expect(all.at(-1)).toEqual({ event: "verdict_ready", session_id: id, verdict: outcome.verdict } as RunEvent);
    expect((await api.fetch(`/api/runs/${id}/stream`)).status).toBe(404);
    expect((await api.fetch("/api/runs/session-none-20260102T030405678Z/stream")).status).toBe(404);
  },
  { program: true },
);

verifiesOverHttp(
  ["events:session-failed", "lifecycle:live"],
  "a run that is cancelled ends its stream with session_failed, and can be read",
  async (api) => {
    const id = await start(api, "slow");
    expect((await api.get<SessionOutcome>(`/api/sessions/${id}`)).state).not.toBe("completed");
    const following = follow(api, id);
    expect((await api.fetch(`/api/runs/${id}`, { method: "DELETE" })).status).toBe(202);
    expect((await following).events.at(-1)).toEqual({
      event: "session_failed",
      session_id: id,
      stage: "running",
      code: "cancelled",
      message: "The run was cancelled.",
      retryable: false,
    });
    expect(await api.get<SessionOutcome>(`/api/sessions/${id}`)).toMatchObject({ state: "cancelled", verdict: null });
  },
  { program: true },
);

verifiesOverHttp(["http:run-scenario"], "a run needs the name of a scenario", async (api) => {
  expect((await api.fetch("/api/runs", jsonPost({}))).status).toBe(422);
  expect((await api.fetch("/api/runs/async", jsonPost({ scenario: "none" }))).status).toBe(404);
});

verifiesOverHttp(["http:run-override"], "model_override replaces the model of both arms", async (api) => {
  const outcome = await run(api, "quick", { model_override: "gateway/some/model" });
  expect(outcome.arms.map(({ model }) => model)).toEqual(["gateway/some/model", "gateway/some/model"]);
  expect(api.provider.map(({ model }) => model)).toEqual(["some/model", "some/model"]);
  expect((await api.fetch("/api/runs", jsonPost({ scenario: "quick", model_override: "gpt" }))).status).toBe(422);
});

verifiesOverHttp(
  ["http:run-judge"],
  "judge_model chooses the judge; without it the scenario's or the default is used",
  async (api) => {
    const asked = await run(api, "judged", { judge_model: "gateway/judge" });
    expect(asked.verdict?.judge.model).toBe("gateway/judge");
    expect(new Set(api.provider.map(({ model }) => model))).toEqual(new Set(["judge"]));
    expect((await run(api, "judged")).verdict?.judge.model).toBe("builtin/evidence");
  },
);

verifiesOverHttp(
  ["http:sessions", "run:persisted", "serve:state-dir"],
  "persisted sessions are listed newest first, filtered, and page by page",
  async (api) => {
    const ids: string[] = [];
    for (const scenario of ["quick", "other", "quick"]) ids.unshift((await run(api, scenario)).session_id);
    const list = async (query = "") =>
      (await api.get<SessionListing[]>(`/api/sessions${query}`)).map(({ session_id }) => session_id);
    expect(await list()).toEqual(ids);
    expect(await list("?scenario=other")).toEqual(ids.slice(1, 2));
    expect(await list("?state=failed")).toEqual([]);
    expect(await list("?limit=3")).toEqual(ids);
    const page = await api.fetch("/api/sessions?limit=2");
    expect(await list("?limit=2")).toEqual(ids.slice(0, 2));
    const [, next] = /^<(.+)>; rel="next"$/.exec(page.headers.get("link") ?? "") ?? [];
    const last = await api.fetch(next ?? "");
    expect(((await last.json()) as SessionListing[]).map(({ session_id }) => session_id)).toEqual(ids.slice(2));
    expect(last.headers.get("link")).toBeNull();
  },
  { program: true },
);

verifiesOverHttp(
  ["http:sessions-empty", "state:memory"],
  "without a state directory the list is empty, and a session can be read until the end of the process",
  async (api) => {
    const { session_id } = await run(api, "quick");
    expect(await api.get<SessionListing[]>("/api/sessions")).toEqual([]);
    expect((await api.get<SessionOutcome>(`/api/sessions/${session_id}`)).state).toBe("completed");
  },
  { memory: true },
);

const pointers = (a: SessionOutcome, b: SessionOutcome) => ({
  arm_a: { session_id: a.session_id, arm_id: a.arms[0].arm_id },
  arm_b: { session_id: b.session_id, arm_id: b.arms[1].arm_id },
});

verifiesOverHttp(
  ["http:verdicts", "http:verdicts-same", "verdict:recomputed", "http:session"],
  "two arms of one session are judged again by another judge, without running",
  async (api) => {
    const session = await run(api, "quick");
    const verdict = await api.post<Verdict>("/api/verdicts", {
      ...pointers(session, session),
      judge_model: "gateway/judge",
    });
    expect(verdict).toMatchObject({ kind: "rejudge", judge: { model: "gateway/judge" } });
    const again = await api.get<SessionOutcome>(`/api/sessions/${session.session_id}`);
    expect(again).toEqual({ ...session, verdicts: [verdict] });
  },
);

verifiesOverHttp(
  ["http:verdicts-cross", "verdict:two-sessions"],
  "arms of two sessions of one scenario are compared, and both sessions keep the verdict",
  async (api) => {
    const [a, b] = [await run(api, "quick"), await run(api, "quick")];
    const verdict = await api.post<Verdict>("/api/verdicts", pointers(a, b));
    expect(verdict).toMatchObject({ kind: "cross_session", ...pointers(a, b) });
    for (const { session_id } of [a, b])
      expect((await api.get<SessionOutcome>(`/api/sessions/${session_id}`)).verdicts).toEqual([verdict]);
  },
);

verifiesOverHttp(
  ["http:verdicts-refused", "errors:verdicts"],
  "arms of different scenarios are refused before any judge is looked for",
  async (api) => {
    const [a, b] = [await run(api, "quick"), await run(api, "other")];
    const request = { ...pointers(a, b), judge_model: "provider-without-key/judge" };
    const response = await api.fetch("/api/verdicts", jsonPost(request));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { code: "scenario_mismatch" } });
    expect(api.provider).toEqual([]);
  },
);

/** The three tables of part 4 of the specification. */
const ROUTES = [
  "GET /api/health",
  "GET /api/scenarios",
  "GET /api/scenarios/{name}",
  "GET /api/doctor",
  "GET /api/sessions",
  "GET /api/sessions/{id}",
  "POST /api/runs",
  "POST /api/runs/async",
  "GET /api/runs/{id}/stream",
  "POST /api/verdicts",
  "GET /api/openapi.json",
];

/** Endpoints that abeval adds. */
const EXTENSIONS = [
  "GET /api/docs",
  "DELETE /api/runs/{id}",
  "POST /api/scenarios",
  "GET /api/scenarios/{name}/source",
  "POST /api/series",
  "POST /api/series/results",
  "GET /api/series",
  "GET /api/series/{id}",
  "GET /api/series/{id}/members",
  "GET /api/series/{id}/stream",
  "GET /api/series/{id}/report",
  "GET /api/session-summary",
  "GET /api/sessions/{id}/report",
  "GET /api/sessions/{id}/trajectory",
  "GET /api/sessions/{id}/card.svg",
  "GET /api/sessions/{id}/card.png",
  "GET /api/series/{id}/card.svg",
  "GET /api/series/{id}/card.png",
  "DELETE /api/series/{id}",
  "GET /api/judges",
  "GET /api/providers",
  "GET /api/ready",
  "GET /api/metrics",
  "GET /api/self-tests",
  "GET /api/self-tests/{id}",
  "POST /api/self-tests",
  "POST /api/sessions/{id}/votes",
];

verifiesOverHttp(
  ["http:openapi", "http:eleven", "openapi:types", "version:openapi"],
  "the document is 3.1, lists the eleven routes and ours, and every type",
  async (api) => {
    const document = await api.get<OpenApiDocument & { paths: Record<string, Record<string, { tags: string[] }>> }>(
      "/api/openapi.json",
    );
    expect(document.openapi).toStartWith("3.1.");
    const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { tags }]) => ({ route: `${method.toUpperCase()} ${path}`, tags })),
    );
    const isOurs = ({ tags }: { tags: string[] }) => tags.includes("extension");
    const names = (own: typeof routes) => own.map(({ route }) => route).toSorted();
    expect(names(routes.filter((route) => !isOurs(route)))).toEqual(ROUTES.toSorted());
    expect(names(routes.filter(isOurs))).toEqual(EXTENSIONS.toSorted());
    const types = ["Scenario", "Verdict", "SessionOutcome", "ReferenceFixScore", "Decision", "Error", "DoctorReport"];
    const events = ["DecisionEvent", "ArmFinishedEvent", "VerdictReadyEvent", "SessionFailedEvent", "RunEvent"];
    for (const type of [...types, ...events]) expect(document.components.schemas).toHaveProperty(type);
  },
);

verifiesOverHttp(
  ["http:cors", "auth:cors", "auth:none"],
  "every origin is answered with *, without credentials, on success and on errors",
  async (api) => {
    const headers = { origin: "https://elsewhere.example" };
    for (const path of ["/api/health", "/api/sessions", "/api/none", "/api/scenarios/none", "/api/docs"]) {
      const response = await api.fetch(path, { headers });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.status).not.toBe(401);
    }
  },
);

verifiesOverHttp(
  ["web:optional", "serve:web-dir", "serve:same-port"],
  "a web UI is served at /, beside the API",
  async (api) => {
    const page = await api.fetch("/");
    expect({ status: page.status, text: await page.text() }).toEqual({
      status: 200,
      text: "<!doctype html><title>ui</title>",
    });
    expect((await api.get<Health>("/api/health")).status).toBe("ok");
    expect((await api.fetch("/api/none", { headers: { accept: "text/html" } })).status).toBe(404);
  },
  { web: true, program: true },
);

verifiesOverHttp(["web:optional"], "without one there is nothing at /", async (api) => {
  expect((await api.fetch("/")).status).toBe(404);
});
