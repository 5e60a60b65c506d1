import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { providerStatuses } from "../../src/arms/model/check-model.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { SelfTests } from "../../src/comparison/audit/self-tests.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { openIntake } from "../../src/comparison/scenario/intake/intake-catalog.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { Diagnoses } from "../../src/doors/doctor/diagnoses.ts";
import { type AppOptions, createApp } from "../../src/doors/http/app.ts";
import { type Listening, listen } from "../../src/doors/http/listen.ts";
import type { Services } from "../../src/doors/operation/operation.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { testServices } from "../harness.ts";
import { temporaryDirectory } from "../temporary.ts";
import { type Contract, contractOf } from "./contract.ts";

type Init = ConstructorParameters<typeof Request>[1];

export interface ServiceOptions {
  readonly app?: AppOptions;
  readonly services?: Partial<SessionServices>;
  /** What the service knows of the outside. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Callers may send scenarios, and what these may hold. */
  readonly intake?: { readonly commands: boolean };
  /** Sessions are kept in a database. */
  readonly persistent?: boolean;
}

export interface TestService extends AsyncDisposable {
  readonly services: Services;
  readonly app: ReturnType<typeof createApp>;
  /** Lines for the operator. */
  readonly notices: readonly string[];
  /** Answers as the document says, or throws. */
  readonly fetch: (path: string, init?: Init) => Promise<Response>;
  readonly get: (path: string) => Promise<Response>;
  readonly post: (path: string, body: unknown) => Promise<Response>;
  /** On a free port. */
  readonly listen: () => Listening;
}

/** Two arms that answer at once and touch no file. */
export const scenarioText = (name: string, changes = "") => `
name: ${name}
title: Scenario ${name}
task: {prompt: Say hello.}
arms:
  - {id: left, model: scripted/left, script: [{say: Hello.${changes}}]}
  - {id: right, model: scripted/right, script: [{say: Good morning to you.}, {say: Unused.}]}
rubric:
  criteria: [{id: turns, measure: turns}]
  judge: {model: builtin/evidence}
`;

/** An arm that takes `ms` before its only turn. */
export const slowScenario = (name: string, ms: number) => scenarioText(name, `, delay_ms: ${ms}`);

/** The whole HTTP service over a directory of small scenarios: quick, other, judged (by a question), brief (2 s), slow (a minute), broken. */
export function aService(options: ServiceOptions = {}): TestService {
  const directory = temporaryDirectory();
  const scenarios = writeScenarios(join(directory.path, "scenarios"));
  const notices: string[] = [];
  const state_dir = join(directory.path, "state");
  const store = options.persistent ? sqliteStore(state_dir, systemClock, systemEntropy) : undefined;
  const base = testServices(options.environment, {
    notice: (line) => void notices.push(line),
    ...(store && { store }),
    ...options.services,
  });
  const intake =
    options.intake && openIntake(scenarios, { git_fixtures: false, may_be_missing: true, ...options.intake });
  const services: Services = {
    ...base,
    catalog: intake ?? openCatalog(scenarios),
    intake,
    started_ticks: base.clock.ticks(),
    state_dir: store ? state_dir : undefined,
    web_dir: undefined,
    listen_host: "127.0.0.1",
    providers: () => providerStatuses(new Credentials(options.environment ?? {})),
    diagnoses: new Diagnoses(),
    self_tests: new SelfTests(),
  };
  const app = createApp(services, options.app);
  const fetch = async (path: string, init: Init = {}) => {
    const request = new Request(`http://localhost:8080${path}`, init);
    const response = await app.handle(request);
    if (response.headers.get("content-type")?.startsWith("application/json")) {
      // The document of every app is the same.
      contract ??= app.handle(new Request("http://localhost/api/openapi.json")).then(contractOf);
      await (await contract).check(request, response.clone());
    }
    return response;
  };
  const listening: Listening[] = [];
  return {
    services,
    app,
    notices,
    fetch,
    get: (path) => fetch(path),
    post: (path, body) => fetch(path, jsonPost(body)),
    listen() {
      const opened = listen(app, { hostname: "127.0.0.1", port: 0 });
      listening.push(opened);
      return opened;
    },
    async [Symbol.asyncDispose]() {
      for (const opened of listening) await opened.close();
      store?.[Symbol.dispose]();
      directory[Symbol.dispose]();
    },
  };
}

export const jsonPost = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

let contract: Promise<Contract> | undefined;

export function writeScenarios(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const files = {
    "quick.yaml": scenarioText("quick"),
    "judged.yaml": scenarioText("judged").replace(
      "{id: turns, measure: turns}",
      "{id: polite, question: Is it polite?}",
    ),
    "other.yml": scenarioText("other"),
    "brief.yaml": slowScenario("brief", 2_000),
    "slow.yaml": slowScenario("slow", 60_000),
    "broken.yaml": "name: broken\ntitel: Misspelt\n",
    "README.md": "# not a scenario",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

/** The whole text of an event stream, and its events. */
export async function readStream(response: Response): Promise<{ text: string; events: Record<string, unknown>[] }> {
  const text = await response.text();
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  return { text, events: frames.map((frame) => JSON.parse(frame.slice("data: ".length))) };
}

/** A run in the background; its id. */
export async function startRun(service: TestService, scenario = "quick"): Promise<string> {
  const response = await service.post("/api/runs/async", { scenario });
  const { session_id } = (await response.json()) as { session_id: string };
  return session_id;
}
