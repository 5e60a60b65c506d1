import { afterAll, beforeAll } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SeriesRequest, SeriesStarted } from "../../src/domain/series.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { ROOT } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { type Served, serve } from "../http/served.ts";
import { temporaryDirectory } from "../temporary.ts";
import { launchBrowser, type Visit, type VisitOptions, visit } from "./browser.ts";
import { buildUi } from "./build-ui.ts";
import { judgeWith, RATE_LIMIT_OPINIONS } from "./fake-judge.ts";
import { WEB_OPINIONS, WEB_SCENARIOS } from "./scenarios.ts";

export interface WebService extends AsyncDisposable {
  readonly url: string;
  /** Runs a scenario and waits for its end. */
  readonly run: (scenario: string, judge_model?: string) => Promise<SessionOutcome>;
  readonly session: (id: string) => Promise<SessionOutcome>;
  /** Runs a series and waits for its end. Gives its id. */
  readonly runSeries: (request: SeriesRequest) => Promise<string>;
  /** Starts a run and leaves it running. */
  readonly start: (scenario: string) => Promise<string>;
  /** Ends the program at once, as a crash does. `revive` starts it again at the same address. */
  readonly kill: () => Promise<void>;
  readonly revive: () => Promise<void>;
}

/** A service and a browser for the tests of one block. */
interface Web {
  readonly service: WebService;
  /** Opens a page in an empty browser profile. */
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
}

/** Starts a service and a browser before the tests of a block, and ends both after them. */
export function webService(): Web {
  const opened = new AsyncDisposableStack();
  const web: { -readonly [Name in keyof Web]?: Web[Name] } = {};
  beforeAll(async () => {
    const [service, browser] = await Promise.all([startWebService(), launchBrowser()]);
    opened.use(service);
    opened.defer(() => browser.close());
    web.service = service;
    web.visit = (options) => visit(browser, service.url, options);
  }, 60_000);
  afterAll(() => opened.disposeAsync());
  return web as Web; // filled before the first test runs
}

/** The real program with the built UI, some scenarios, a state directory and a fake judge. */
async function startWebService(): Promise<WebService> {
  const directory = temporaryDirectory();
  const ui = await buildUi(join(directory.path, "ui"));
  const scenarios = writeScenarios(join(directory.path, "scenarios"));
  const provider = await startFakeProvider({ reply: judgeWith([...RATE_LIMIT_OPINIONS, ...WEB_OPINIONS]) });
  const flags = ["--web-dir", ui, "--scenarios-dir", scenarios, "--state-dir", join(directory.path, "state")];
  const open = (address: string) => serve([...flags, "--addr", address], provider.environment);
  let served: Served = await open("127.0.0.1:0");
  const { url } = served;
  return {
    url,
    run: (scenario, judge_model) => ask(url, "/api/runs", { scenario, ...(judge_model && { judge_model }) }),
    start: async (scenario) => (await ask<{ session_id: string }>(url, "/api/runs/async", { scenario })).session_id,
    runSeries: async (request) => {
      const { series_id } = await ask<SeriesStarted>(url, "/api/series", request);
      await (await fetch(`${url}/api/series/${series_id}/stream`)).text();
      return series_id;
    },
    session: (id) => ask(url, `/api/sessions/${id}`),
    kill: async () => {
      await served[Symbol.asyncDispose]();
    },
    revive: async () => {
      served = await open(new URL(url).host);
    },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

async function ask<T>(url: string, path: string, body?: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url + path, body ? { method: "POST", headers, body: JSON.stringify(body) } : {});
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T; // the server's own answers, checked by its own tests
}

/** Writes one bundled scenario and the small ones of these tests. */
function writeScenarios(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const bundled = (name: string) => cpSync(join(ROOT, "scenarios", name), join(directory, name), { recursive: true });
  bundled("extract-rate-limit");
  bundled("extract-rate-limit.yaml");
  for (const [name, text] of Object.entries(WEB_SCENARIOS)) writeFileSync(join(directory, `${name}.yaml`), text);
  return directory;
}
