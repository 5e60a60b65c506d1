import type { ScriptTurn } from "../../domain/arm.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Semaphore } from "../../runtime/semaphore.ts";
import type { CallOptions, ModelClient } from "./client.ts";
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
import type { Fetch, Transport } from "./provider-call.ts";
import type { Recording } from "./recording.ts";
import { redactingModel } from "./redacting-model.ts";
import { scriptedModel } from "./scripted.ts";

/**
 * Provider calls at once in a process. Bun's fetch runs at most 256 requests at once: beyond our limit a call waits here,
 * where no timeout runs.
 */
export const MAX_PROVIDER_CALLS = 200;

export interface ModelSources {
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** A place for each provider call that is under way. */
  readonly limiter: Semaphore;
  /** Absent: the runtime's own. */
  readonly fetch?: Fetch;
  /** Only recordings answer: a model that has none is refused. */
  readonly replay_only?: boolean;
}

/**
 * A client for `<provider>/<model>`; `script` is what a `scripted/*` model replays, `recording` what its calls go through.
 * @throws Failure `credentials_missing` naming the variable to set, unless a recording answers; `invalid_scenario` for a
 * script that is missing, `invalid_request` for a reference that names no model, or one that nothing answers for.
 */
type ResolveModel = (ref: string, script?: readonly ScriptTurn[] | null, recording?: Recording) => ModelClient;

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

/** A provider's SDK is loaded when a model of it is named, so that the first call does not wait for it. */
export function modelResolver(sources: ModelSources): ResolveModel {
  const connections = new Map<string, Connection>();
  const connected = (endpoint: Endpoint) => {
    const connection = connections.get(endpoint.provider) ?? connect(transportOf(endpoint, sources));
    connections.set(endpoint.provider, connection);
    return connection;
  };
  return (ref, script, recording) => {
    if (splitModelRef(ref).provider === "scripted") return scriptedModel(ref, demandScript(ref, script));
    const endpoint = endpointOf(ref, sources, recording);
    const connection = recording?.replayed ? connect(transportOf(endpoint, sources)) : connected(endpoint);
    return providerClient(ref, recording ? throughRecording(connection, recording) : connection, sources);
  };
}

/** How the model's provider is reached; of a recording, how it was spoken to. @throws as ResolveModel, but not for a script. */
export function endpointOf(
  ref: string,
  { credentials, replay_only }: ModelSources,
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
  throw new Failure("invalid_request", `model "${ref}" calls no provider and cannot be used here`);
}

const notRecorded = (ref: string) =>
  new Failure(
    "invalid_request",
    `model "${ref}" cannot be asked: here recordings are replayed, and no provider is called`,
  );

/** A provider's SDK, and the models behind it. */
interface Connection {
  readonly transport: Transport;
  readonly modelOf: Promise<ModelOf>;
}

type ModelOf = (ref: string, transport: Transport) => ModelClient;

/** What others have learned of a model would change which requests are made: a recording learns it anew. */
const throughRecording = ({ transport, modelOf }: Connection, recording: Recording): Connection => ({
  transport: { ...transport, fetch: recording.fetch(transport.fetch), unforced: new Set() },
  modelOf,
});

function providerClient(ref: string, { transport, modelOf }: Connection, sources: ModelSources): ModelClient {
  const { credentials } = sources;
  const model = modelOf.then((make) => make(ref, transport));
  // A model that is named but never asked is never awaited.
  model.catch(() => undefined);
  const limited: ModelClient = {
    ref,
    complete: async (request, options) => {
      const { complete } = await model;
      using _place = await placeFor(limited, sources, options);
      return await complete(request, options);
    },
  };
  return redactingModel(limited, credentials.redactSecrets);
}

/** Waits for the place of a call that `client` makes. */
export async function placeFor(
  client: object,
  { limiter, clock }: Pick<ModelSources, "limiter" | "clock">,
  { signal, asker, onPlaced }: CallOptions,
): Promise<Disposable> {
  const began = clock.ticks();
  const place = await limiter.acquire(signal, asker ?? client);
  onPlaced?.(clock.ticks() - began);
  return place;
}

const transportOf = (
  endpoint: Endpoint,
  { credentials, clock, fetch = globalThis.fetch }: ModelSources,
): Transport => ({
  endpoint,
  clock,
  fetch,
  redact: (text) => credentials.redact(text),
  unforced: new Set(),
});

const connect = (transport: Transport): Connection => ({ transport, modelOf: loadSdk(transport.endpoint) });

/** The SDKs are large: each is loaded only where it is needed, so that a scripted run starts without them. */
async function loadSdk(endpoint: Endpoint): Promise<ModelOf> {
  if (endpoint.dialect === "anthropic") {
    const { anthropicModel, anthropicSdk } = await import("./provider/anthropic.ts");
    const sdk = anthropicSdk(endpoint);
    return (ref, transport) => anthropicModel(ref, sdk, transport);
  }
  const { openaiModel, openaiSdk } = await import("./provider/openai.ts");
  const sdk = openaiSdk(endpoint);
  return (ref, transport) => openaiModel(ref, sdk, transport);
}

function demandScript(ref: string, script: readonly ScriptTurn[] | null | undefined): readonly ScriptTurn[] {
  if (script) return script;
  throw new Failure(
    "invalid_scenario",
    `model "${ref}" replays the arm's script, and the arm has none: add \`script\``,
  );
}

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
    throw new Failure("credentials_missing", `${key_variable} holds characters that no key has`, { details });
  }
}
