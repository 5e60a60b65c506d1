/** The specification as data. Each sentence that can be tested has an id, its part, and its words. */
export const REQUIREMENTS = {
  "run:compares": {
    part: 1,
    says: "The service runs an A/B comparison of two agent arms on a bundled scenario. A judge model then produces a verdict.",
  },
  "run:outcome": {
    part: 1,
    says: "A run executes both arms and then the judge. The result is a SessionOutcome containing arm summaries, decisions and the verdict.",
  },
  "run:persisted": { part: 1, says: "Sessions can be persisted when a state directory is configured." },
  "scenario:yaml": { part: 2, says: "Defined as a YAML scenario file in a scenarios directory." },
  "session:id": { part: 2, says: "Session identifier: string, `session-<scenario>-<timestamp>` form." },
  "decision:fields": { part: 2, says: "seq, kind, summary, tokens_in, tokens_out, latency_ms" },
  "state:layout-db": { part: 2, says: "`sessions.db`: embedded SQL database, the session store" },
  "state:layout-json": {
    part: 2,
    says: "`sessions/session-<scenario>-<ts>.json`: cached SessionOutcome as JSON",
  },
  "state:memory": {
    part: 2,
    says: "Without a state directory, runs are memory-backed and are lost when the process exits.",
  },
  "cli:run": {
    part: 4,
    says: "`run <scenario_file>`: one-shot A/B session. Blocks until the judge returns and prints the verdict JSON on stdout.",
  },
  "cli:run-model": { part: 4, says: "`--model <provider>/<model>` overrides the model of every arm (both arms)" },
  "cli:run-judge-model": { part: 4, says: "`--judge-model <model>` judge model; a default applies when absent" },
  "cli:run-out": { part: 4, says: "`--out <path>` also writes the stdout verdict to this file" },
  "cli:run-state-dir": { part: 4, says: "`--state-dir <path>` persists to the layout in part 2" },
  "cli:version": { part: 4, says: "`--version`: prints the version stamped at build time." },
  "verdict:recomputed": {
    part: 1,
    says: "A verdict can be recomputed (rejudged) for two existing arms without re-running the agents.",
  },
  "verdict:two-sessions": {
    part: 1,
    says: "The two arms may come from the same session, or from different sessions of the same scenario.",
  },
  "stream:sse": { part: 1, says: "Progress of an in-flight run is streamed as server-sent events." },
  "http:eleven": { part: 1, says: "the HTTP API (11 endpoints, all under `/api/*`)" },
  "web:optional": {
    part: 1,
    says: "The HTTP server can optionally also serve a static web UI (single-page app) at `/`.",
  },
  "scenario:markdown": { part: 2, says: "Non-YAML markdown files in that directory are skipped when listing." },
  "scenario:areas": { part: 2, says: "Top-level areas of the full definition: arms, rubric, policies, task." },
  "scenario:name": { part: 2, says: "A scenario is addressed by a name (string)." },
  "session:contents": { part: 2, says: "Contains arm summaries, decisions and a verdict." },
  "session:arms": { part: 2, says: "Arms are identified by `arm_id` (string)." },
  "decision:model-turn": { part: 2, says: "one kind is `model_turn`" },
  "openapi:types": {
    part: 2,
    says: "The OpenAPI document lists Scenario, Verdict, SessionOutcome and ReferenceFixScore (and others) as component schemas.",
  },
  "lifecycle:live": {
    part: 3,
    says: "an in-flight run has a live event sender; when a run has finished, there is no live sender and the completed outcome is read from the session resource.",
  },
  "http:json": { part: 4, says: "Request and response bodies are JSON unless stated." },
  "http:health": { part: 4, says: "GET `/api/health`: liveness plus version; always cheap" },
  "http:scenarios": {
    part: 4,
    says: "GET `/api/scenarios`: list of bundled scenarios; non-YAML markdown files skipped",
  },
  "http:scenario": {
    part: 4,
    says: "GET `/api/scenarios/{name}`: full Scenario definition (arms, rubric, policies, task); 404 on unknown name",
  },
  "http:doctor": { part: 4, says: "GET `/api/doctor`: environment-only preflight checks" },
  "http:doctor-scenario": {
    part: 4,
    says: "with `scenario`, also scenario-scoped checks (fixture, probe, budget sanity)",
  },
  "http:sessions": { part: 4, says: "GET `/api/sessions`: persisted sessions, newest first" },
  "http:sessions-empty": { part: 4, says: "empty when the server was started without a state directory" },
  "http:session": {
    part: 4,
    says: "GET `/api/sessions/{id}`: full SessionOutcome (arm summaries, decisions, verdict)",
  },
  "http:runs": {
    part: 4,
    says: "POST `/api/runs`: blocks until the judge completes; returns full SessionOutcome",
  },
  "http:runs-async": {
    part: 4,
    says: "POST `/api/runs/async`: starts a background task; returns `{session_id}` immediately",
  },
  "http:stream": {
    part: 4,
    says: "GET `/api/runs/{id}/stream`: server-sent event stream for an in-flight run; 404 if the id has no live sender",
  },
  "http:run-scenario": { part: 4, says: "scenario: string, required, scenario name" },
  "http:run-override": {
    part: 4,
    says: "model_override: string (`<provider>/<model>` form), replaces the model of every arm",
  },
  "http:run-judge": {
    part: 4,
    says: "judge_model: string, model used by the judge; a default applies when absent",
  },
  "http:verdicts": {
    part: 4,
    says: "POST `/api/verdicts` `{arm_a: {session_id, arm_id}, arm_b: {session_id, arm_id}, judge_model?}`: rejudges two arms without re-running agents",
  },
  "http:verdicts-same": { part: 4, says: "Same-session rejudge (with a new judge model) ... supported." },
  "http:verdicts-cross": {
    part: 4,
    says: "cross-session comparison (arms from separate runs of the same scenario) ... supported.",
  },
  "http:verdicts-refused": { part: 4, says: "Cross-scenario comparison is refused up front." },
  "http:openapi": {
    part: 4,
    says: "GET `/api/openapi.json`: OpenAPI 3.1 document; all types as `#/components/schemas`; always lists every route",
  },
  "http:cors": { part: 4, says: "The server sends `Access-Control-Allow-Origin: *` on responses." },
  "serve:addr": { part: 4, says: "`--addr <host:port>`: listen address" },
  "serve:default-addr": { part: 4, says: "default `127.0.0.1:8080`" },
  "serve:scenarios-dir": { part: 4, says: "`--scenarios-dir <path>`: default `scenarios`" },
  "serve:state-dir": {
    part: 4,
    says: "`--state-dir <path>`: required for `/api/sessions*`; also required for POST runs to persist",
  },
  "serve:web-dir": { part: 4, says: "`--web-dir <path>`: static single-page-app bundle served at `/`" },
  "serve:same-port": { part: 4, says: "starts the HTTP API and optionally the UI on the same port." },
  "http:async-flow": {
    part: 4,
    says: "POST `/api/runs/async` with `scenario` and optionally `model_override`; read `session_id` from the response; GET `/api/runs/{session_id}/stream` and read events.",
  },
  "auth:none": { part: 5, says: "Version 1 has no authentication on any endpoint." },
  "auth:cors": { part: 5, says: "CORS is open to every origin (`*`)" },
  "mcp:tools": { part: 4, says: "`mcp`: stdio MCP server exposing 7 tools to an MCP client." },
  "mcp:scenarios-dir": { part: 4, says: "`--scenarios-dir <path>`: default `scenarios`" },
  "mcp:state-dir": { part: 4, says: "`--state-dir <path>`: required for the live tools" },
  "events:frame": {
    part: 6,
    says: "Each frame is a line `data: <json>` where the JSON object has an `event` field and a `session_id` field.",
  },
  "events:decision": { part: 6, says: "`decision`: `arm_id` (string), `decision` (Decision object)" },
  "events:arm-finished": { part: 6, says: "`arm_finished`: `arm_id` (string)" },
  "events:verdict-ready": { part: 6, says: "`verdict_ready`: `verdict` (Verdict object)" },
  "events:session-failed": { part: 6, says: "`session_failed`: the session failed" },
  "events:only-four": { part: 6, says: "Only these four event kinds exist." },
  "events:not-live": {
    part: 6,
    says: "When the id has no live sender (the run already finished), the stream request returns 404; the completed outcome is read from `GET /api/sessions/{id}`.",
  },
  "events:async": { part: 6, says: "Events are emitted by runs started with the async endpoint." },
  "errors:scenario": { part: 7, says: "GET `/api/scenarios/{name}` with unknown name: 404" },
  "errors:stream": { part: 7, says: "GET `/api/runs/{id}/stream` with an id that has no live sender: 404" },
  "errors:verdicts": {
    part: 7,
    says: "POST `/api/verdicts` comparing arms of different scenarios: refused before any judging",
  },
  "version:openapi": {
    part: 9,
    says: "The OpenAPI document is version 3.1 and lists every route; this is regression-tested.",
  },
  "version:health": { part: 9, says: "`GET /api/health` returns the service version." },
  "version:0.1.6": { part: 9, says: "the current one is 0.1.6" },
} as const satisfies Record<string, { readonly part: number; readonly says: string }>;

export type RequirementId = keyof typeof REQUIREMENTS;
