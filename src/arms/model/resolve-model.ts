import type { ScriptTurn } from "../../domain/arm.ts";
import { Failure } from "../../domain/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Semaphore } from "../../runtime/semaphore.ts";
import { endpointOf } from "./check-model.ts";
import type { CallOptions, ModelClient } from "./client.ts";
import type { Credentials, Endpoint } from "./credentials.ts";
import { splitModelRef } from "./model-ref.ts";
import type { Fetch, Recording, Transport } from "./provider-call.ts";
import { redactingModel } from "./redaction.ts";
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
  line: { reached: false },
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
