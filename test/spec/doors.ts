import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { createApp } from "../../src/doors/http/app.ts";
import { openWebUi } from "../../src/doors/http/web-ui.ts";
import type { SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { type Contract, contractOf } from "../http/contract.ts";
import { serve } from "../http/served.ts";
import { aService, jsonPost, writeScenarios } from "../http/service.ts";
import { SANDBOX_MODE, SOURCES } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";
import type { RequirementId } from "./requirements.ts";
import { verifies } from "./verifies.ts";

export interface Setup {
  /** Without a state directory. */
  readonly memory?: true;
  readonly web?: true;
  /** Asked of the program, too, where the sources are tested. `bun run smoke` asks it everything. */
  readonly program?: true;
}

/** The service as a client sees it. */
export interface Api {
  /** Fails for an answer that the service's own OpenAPI document does not allow. */
  readonly fetch: (path: string, init?: Parameters<typeof fetch>[1]) => Promise<Response>;
  /** The JSON of an answer with status 200. */
  readonly get: <T>(path: string) => Promise<T>;
  readonly post: <T>(path: string, body: unknown) => Promise<T>;
  /** What the provider was asked so far. */
  readonly provider: readonly SeenRequest[];
}

type Fetch = (path: string, init?: Parameters<typeof fetch>[1]) => Promise<Response>;
type Opened = AsyncDisposable & { readonly fetch: Fetch };
type Open = (directory: string, environment: Readonly<Record<string, string>>, setup: Setup) => Promise<Opened>;

const IN_PROCESS = "in process";

/** The same requirements are tested inside the process and against the program over a real socket. */
const DOORS: Readonly<Record<string, Open>> = {
  async [IN_PROCESS](directory, environment, { memory, web }) {
    const web_ui = web && (await openWebUi(join(directory, "ui"), join(directory, "staged")));
    const service = aService({ environment, persistent: memory !== true });
    const services = { ...service.services, catalog: openCatalog(join(directory, "scenarios")) };
    const app = createApp(services, web_ui ? { web_ui } : {});
    return {
      // The runtime's types declare Request and Response more than once; these are the same classes.
      fetch: (path, init) => app.handle(new Request(`http://localhost:8080${path}`, init)) as Promise<Response>,
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  },
  async "over a socket"(directory, environment, { memory, web }) {
    const served = await serve(
      [
        ...["--scenarios-dir", join(directory, "scenarios")],
        ...(memory ? [] : ["--state-dir", join(directory, "state")]),
        ...(web ? ["--web-dir", join(directory, "ui")] : []),
      ],
      { ABEVAL_SANDBOX: SANDBOX_MODE, ...environment },
    );
    return {
      fetch: (path, init) => fetch(`${served.url}${path}`, init),
      [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
    };
  },
};

/** Tests requirements of the HTTP service through each of the doors. */
export function verifiesOverHttp(
  ids: readonly RequirementId[],
  behaviour: string,
  body: (api: Api) => Promise<void>,
  setup: Setup = {},
): void {
  const isAsked = (door: string) => door === IN_PROCESS || setup.program === true || !SOURCES.met;
  for (const [door, open] of Object.entries(DOORS).filter(([name]) => isAsked(name)))
    verifies(ids, `${behaviour} (${door})`, async () => {
      using directory = temporaryDirectory();
      writeScenarios(join(directory.path, "scenarios"));
      mkdirSync(join(directory.path, "ui"));
      writeFileSync(join(directory.path, "ui", "index.html"), "<!doctype html><title>ui</title>");
      await using provider = await startFakeProvider();
      await using opened = await open(directory.path, provider.environment, setup);
      await body(apiOf(opened.fetch, await contractBehind(door, opened.fetch), provider.requests));
    });
}

const CONTRACTS = new Map<string, Promise<Contract>>();

/** Read once a door: the documents of all services behind it are the same. */
function contractBehind(door: string, send: Fetch): Promise<Contract> {
  const contract = CONTRACTS.get(door) ?? send("/api/openapi.json").then(contractOf);
  CONTRACTS.set(door, contract);
  return contract;
}

function apiOf(send: Fetch, contract: Contract, provider: readonly SeenRequest[]): Api {
  const checked: Fetch = async (path, init) => {
    const response = await send(path, init);
    const asked = { url: `http://localhost${path}`, method: init?.method ?? "GET" };
    if (response.headers.get("content-type")?.startsWith("application/json"))
      await contract.check(asked, response.clone());
    return response;
  };
  return {
    fetch: checked,
    get: async (path) => await ok(await checked(path)),
    post: async (path, body) => await ok(await checked(path, jsonPost(body))),
    provider,
  };
}

async function ok<T>(response: Response): Promise<T> {
  if (response.status === 200) return (await response.json()) as T; // checked against the document
  throw new Error(`${response.status}: ${await response.text()}`);
}
