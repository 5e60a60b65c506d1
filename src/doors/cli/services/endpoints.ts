import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";
import type { EndpointServices } from "../../../arms/endpoint/endpoint.ts";
import { type AllowedEndpoint, parseAllowedEndpoint } from "../../../arms/endpoint/reachable.ts";
import type { Credentials } from "../../../arms/model/credentials.ts";
import { version } from "../../../runtime/version.ts";
import { UsageError } from "../flags/parse-arguments.ts";

/** Milliseconds before an endpoint is asked for the second time. A program that is being restarted takes some seconds. */
const RETRY_MS = 250;

interface EndpointSettings {
  /** As the flag has them. */
  readonly allow_endpoints: readonly string[];
  /** Others ask for what this process runs. */
  readonly server: boolean;
}

/** How endpoints of arms are asked, and which. @throws UsageError */
export const endpointsOf = (
  { allow_endpoints, server }: EndpointSettings,
  credentials: Credentials,
): EndpointServices => ({
  rules: {
    allowed: allow_endpoints.map(allowed),
    ...{ server, own_ports: new Set(), own_addresses },
    lookup: async (host) =>
      (await lookup(host, { all: true })).map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })),
  },
  header: (variable) => credentials.endpointHeader(variable),
  ...{ retry_ms: RETRY_MS, version },
});

function allowed(text: string): AllowedEndpoint {
  const parsed = parseAllowedEndpoint(text);
  if (parsed !== null) return parsed;
  throw new UsageError(`--allow-endpoint: expected <host> or <host>:<port>, such as app.internal:8443, got "${text}"`);
}

const own_addresses = () => Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
