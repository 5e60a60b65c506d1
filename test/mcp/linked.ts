import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { SelfTests } from "../../src/comparison/audit/self-tests.ts";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { Diagnoses } from "../../src/doors/doctor/diagnoses.ts";
import { WaitingCalls } from "../../src/doors/mcp/open-requests.ts";
import { createMcpServer } from "../../src/doors/mcp/server.ts";
import type { Services } from "../../src/doors/operation/operation.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { testServices } from "../harness.ts";
import { newClient, type TestClient, testClient } from "./client.ts";
import { mcpFolder } from "./folder.ts";

export interface Linked extends TestClient {
  readonly services: Services;
  /** Lines for the operator. */
  readonly notices: readonly string[];
}

/** The server in this process, on sessions in a database, with the SDK's client; it checks results once it has listed the tools. */
export async function linked(changes: Partial<Services> = {}): Promise<Linked> {
  const folder = mcpFolder();
  const notices: string[] = [];
  const state_dir = join(folder.state);
  const services: Services = {
    ...testServices({}, { store: sqliteStore(state_dir, systemClock, systemEntropy) }),
    notice: (line) => void notices.push(line),
    catalog: openCatalog(folder.scenarios),
    started_ticks: 0,
    state_dir,
    web_dir: undefined,
    listen_host: undefined,
    providers: () => [],
    self_tests: new SelfTests(),
    diagnoses: new Diagnoses(),
    ...changes,
  };
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = newClient();
  await Promise.all([createMcpServer(services, new WaitingCalls()).connect(ours), client.connect(theirs)]);
  return {
    ...testClient(client),
    services,
    notices,
    async [Symbol.asyncDispose]() {
      await client.close();
      services.store[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}
