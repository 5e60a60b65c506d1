import { didYouMean } from "../../domain/did-you-mean.ts";
import { Failure } from "../../domain/failure.ts";
import {
  anthropicAddressOf,
  type Credentials,
  type Endpoint,
  endpointOfReplay,
  KEYLESS_PROVIDERS,
  KNOWN_PROVIDERS,
  variablesOf,
} from "./credentials.ts";
import { OFFLINE_PROVIDERS, splitModelRef } from "./model-ref.ts";
import type { Recording } from "./provider-call.ts";

export interface ProviderStatus {
  readonly provider: string;
  /** Calls can be made: the key is there or not needed. */
  readonly present: boolean;
  readonly base_url_overridden: boolean;
  /** A server of this machine that is known to need no key: nobody has set it up, and it may not run. */
  readonly local: boolean;
  readonly key_variable: string;
  /** Extra headers that each call carries. */
  readonly header_names: readonly string[];
  /** Why its extra headers, and so the provider, cannot be used; names no value. */
  readonly headers_problem: string | null;
}

/** How the model's provider is reached; of a recording, how it was spoken to. @throws as ResolveModel, but not for a script. */
export function endpointOf(
  ref: string,
  { credentials, replay_only }: { readonly credentials: Credentials; readonly replay_only?: boolean },
  recording: Recording | undefined,
  wire?: "anthropic",
): Endpoint {
  if (recording?.replayed) return endpointOfReplay(onlineProvider(ref));
  if (replay_only && recording === undefined) throw notRecorded(ref);
  return checkModel(ref, credentials, wire);
}

/** The checks of ResolveModel without a client. @throws as ResolveModel does, but not for a missing script. */
export function checkModel(ref: string, credentials: Credentials, wire?: "anthropic"): Endpoint {
  const provider = onlineProvider(ref);
  const endpoint = credentials.endpoint(provider, wire);
  if (endpoint === null) throw wire ? noSecondAddress(ref, provider) : unknownProvider(ref, provider);
  demandUsableUrl(endpoint);
  demandUsableHeaders(endpoint);
  demandUsableKey(ref, endpoint);
  return endpoint;
}

const noSecondAddress = (ref: string, provider: string) =>
  new Failure(
    "invalid_request",
    `model "${ref}": the agent speaks Anthropic's messages; set ${anthropicAddressOf(provider)} to where ${provider} speaks them, or name a model of anthropic`,
  );

/** Every provider that is known or configured, for `doctor`. No secret in it. */
export function providerStatuses(credentials: Credentials): readonly ProviderStatus[] {
  return credentials
    .endpoints()
    .map(({ provider, key, key_required, base_url_overridden, key_variable, ...endpoint }) => ({
      provider,
      present: (key !== null || !key_required) && endpoint.extra.problem === null,
      base_url_overridden,
      local: !base_url_overridden && KEYLESS_PROVIDERS.includes(provider),
      key_variable,
      header_names: [...endpoint.extra.headers.keys()],
      headers_problem:
        endpoint.extra.problem === null ? null : `${endpoint.headers_variable}: ${endpoint.extra.problem}`,
    }));
}

/** @throws Failure `invalid_request` for a model that calls no provider. */
function onlineProvider(ref: string): string {
  const { provider } = splitModelRef(ref);
  if (!OFFLINE_PROVIDERS.includes(provider)) return provider;
  throw new Failure("invalid_request", `model "${ref}" calls no provider, so it cannot be used here`);
}

const notRecorded = (ref: string) =>
  new Failure(
    "invalid_request",
    `model "${ref}" cannot be called: recordings are replayed here, and no provider is called`,
  );

function unknownProvider(ref: string, provider: string): Failure {
  const { base_url_variable } = variablesOf(provider);
  const hint = didYouMean(provider, [...KNOWN_PROVIDERS, ...OFFLINE_PROVIDERS]);
  return new Failure(
    "credentials_missing",
    `model "${ref}": unknown provider "${provider}"${hint ? `${hint} For` : "; for"} a server that speaks OpenAI's chat completions set ${base_url_variable}`,
    { details: { provider, variable: base_url_variable } },
  );
}

function demandUsableUrl({ provider, base_url, base_url_variable }: Endpoint): void {
  const problem = baseUrlProblem(base_url);
  if (problem === undefined) return;
  throw new Failure("credentials_missing", `${base_url_variable} ${problem}`, {
    details: { provider, variable: base_url_variable },
  });
}

function demandUsableHeaders({ provider, extra, headers_variable }: Endpoint): void {
  if (extra.problem === null) return;
  throw new Failure("credentials_missing", `${headers_variable}: ${extra.problem}`, {
    details: { provider, variable: headers_variable },
  });
}

function baseUrlProblem(base_url: string): string | undefined {
  if (!URL.canParse(base_url)) return "is not a URL: expected something like https://gateway.example/v1";
  const { protocol, username, password } = new URL(base_url);
  if (protocol !== "http:" && protocol !== "https:") return "is not an http or https URL";
  return username === "" && password === "" ? undefined : "must not hold a user name or password: use the key variable";
}

function demandUsableKey(ref: string, { provider, key, key_required, key_variable, ...endpoint }: Endpoint): void {
  const details = { provider, variable: key_variable };
  if (key === null && key_required) {
    const way = `set ${key_variable}, or ${endpoint.base_url_variable} for a gateway that needs no key`;
    throw new Failure("credentials_missing", `model "${ref}" needs a key: ${way}`, { details });
  }
  // What else is there cannot stand in a header: usually a line break from a file, or quotes from a word processor.
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.reveal())) {
    throw new Failure("credentials_missing", `${key_variable} holds characters that a key cannot have`, { details });
  }
}
