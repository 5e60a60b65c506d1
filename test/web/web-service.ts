import { afterAll, beforeAll, beforeEach } from "bun:test";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SeriesRequest, SeriesStarted } from "../../src/domain/series-request.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { ROOT } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { type Served, serve } from "../http/served.ts";
import { temporaryDirectory } from "../temporary.ts";
import { answers, launchBrowser, type Visit, type VisitOptions, visit } from "./browser.ts";
import { buildUi } from "./build-ui.ts";
import { judgeWith, RATE_LIMIT_OPINIONS } from "./fake-judge.ts";
import { WEB_OPINIONS, WEB_SCENARIOS } from "./scenarios.ts";

interface WebService extends AsyncDisposable {
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
  /** Forgets whatever it stored, and starts again. */
  readonly forget: () => Promise<void>;
  readonly answers: () => Promise<boolean>;
}

/** A service and a browser for the tests of one block. */
interface Web {
  readonly service: WebService;
  /** Opens a page in an empty browser profile. */
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
  /** Starts again what died. Every test begins with it. */
  readonly ready: () => Promise<void>;
}

interface WebSetup {
  /** Beside the small ones of these tests, by name. */
  readonly scenarios?: Readonly<Record<string, string>>;
  /** Unpacks what an earlier version left, into the directory of the service's state. */
  readonly state?: (directory: string) => void;
  /** Each test begins with a service that has stored nothing, also one that is tried again. */
  readonly empty?: boolean;
}

/**
 * Starts a service and a browser before the tests of a block, and ends both after them. A test that runs out of time takes both
 * with it, because the runner then kills every process that was started; the next test has them again.
 */
export function webService(setup: WebSetup = {}): Web {
  const opened = new AsyncDisposableStack();
  const web: { -readonly [Name in keyof Web]?: Web[Name] } = {};
  beforeAll(async () => {
    const [service, first] = await Promise.all([startWebService(setup), launchBrowser()]);
    let browser = first;
    opened.use(service);
    opened.defer(() => browser.close());
    web.service = service;
    web.visit = (options) => visit(browser, service.url, options);
    web.ready = async () => {
      if (setup.empty) await service.forget();
      else if (!(await service.answers())) await service.revive();
      if (!(await answers(browser))) browser = await launchBrowser();
    };
  }, 60_000);
  beforeEach(() => web.ready?.(), 60_000);
  afterAll(() => opened.disposeAsync());
  return web as Web; // filled before the first test runs
}

const isOk = ({ ok }: Response) => ok;
const no = () => false;

/** The real program with the built UI, some scenarios, a state directory and a fake judge. */
async function startWebService({ scenarios: own = {}, state }: WebSetup): Promise<WebService> {
  const directory = temporaryDirectory();
  const ui = await buildUi(join(directory.path, "ui"));
  const scenarios = writeScenarios(join(directory.path, "scenarios"), own);
  const stateDir = join(directory.path, "state");
  state?.(stateDir);
  const provider = await startFakeProvider({ reply: judgeWith([...RATE_LIMIT_OPINIONS, ...WEB_OPINIONS]) });
  const flags = ["--web-dir", ui, "--scenarios-dir", scenarios, "--state-dir", stateDir];
  const open = (address: string) => serve([...flags, "--addr", address], provider.environment);
  let served: Served = await open("127.0.0.1:0");
  const { url } = served;
  const kill = async () => {
    await served[Symbol.asyncDispose]();
  };
  const revive = async () => {
    served = await open(new URL(url).host);
  };
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
    ...{ kill, revive },
    async forget() {
      await kill();
      rmSync(stateDir, { recursive: true, force: true });
      await revive();
    },
    answers: () => fetch(`${url}/api/health`).then(isOk, no),
    async [Symbol.asyncDispose]() {
      await kill();
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
function writeScenarios(directory: string, own: Readonly<Record<string, string>>): string {
  mkdirSync(directory, { recursive: true });
  const bundled = (name: string) => cpSync(join(ROOT, "scenarios", name), join(directory, name), { recursive: true });
  bundled("extract-rate-limit");
  bundled("extract-rate-limit.yaml");
  for (const [name, text] of Object.entries({ ...WEB_SCENARIOS, ...own }))
    writeFileSync(join(directory, `${name}.yaml`), text);
  return directory;
}
