import { Anthropic } from "@anthropic-ai/sdk";
import { version } from "../version.ts";
import { readMessage } from "./anthropic-reply.ts";
import { messageParams } from "./anthropic-request.ts";
import type { ModelClient, ModelRequest } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { revealed } from "./extra-headers.ts";
import { splitModelRef } from "./model-ref.ts";
import { SDK_RETRIES, type Transport, watchedFetch } from "./provider-call.ts";
import { type Dialect, providerModel } from "./provider-model.ts";

/** A model over Anthropic's messages interface. */
export function anthropicModel(ref: string, sdk: Anthropic, transport: Transport): ModelClient {
  const { model } = splitModelRef(ref);
  const dialect: Dialect = {
    send: (request, { watched, signal, force_tool }) =>
      sdk.messages
        .create(messageParams(model, request, force_tool), {
          signal,
          fetchOptions: watched,
          // Without a timeout of ours the SDK refuses requests that may take longer than ten minutes.
          timeout: request.timeout_ms,
          headers: versionHeaders(request),
        })
        .asResponse(),
    read: readMessage,
  };
  return providerModel(ref, dialect, transport);
}

/**
 * The interface that the SDK speaks has no sampling parameters: it refuses them for every model. The one before has them
 * for the models that still take them, and says of the others that they do not.
 */
function versionHeaders({ params }: ModelRequest): Record<string, string> {
  const sampled = params.temperature !== undefined || params.top_p !== undefined;
  return sampled ? { "anthropic-version": "2023-06-01" } : {};
}

/** The SDK's client for an endpoint: nothing is left for it to look up in the environment. */
export function anthropicSdk({ base_url, base_url_overridden, key, extra }: Endpoint): Anthropic {
  return new Anthropic({
    // The SDK adds /v1 itself; an address that has it is meant for other clients.
    baseURL: base_url.replace(/\/+$/, "").replace(/\/v1$/, ""),
    // Something must stand here, or the SDK searches the machine for credentials; a null header keeps it from the wire.
    apiKey: key?.reveal() ?? "none",
    webhookKey: null,
    fetch: watchedFetch,
    maxRetries: SDK_RETRIES,
    logLevel: "off",
    openTelemetry: false,
    defaultHeaders: {
      "user-agent": `abeval/${version}`,
      ...(key === null ? { authorization: null } : {}),
      // The SDK sends the key as a bearer token; gateways made for earlier clients look for it here.
      ...(key !== null && base_url_overridden ? { "x-api-key": key.reveal() } : {}),
      ...revealed(extra),
    },
  });
}
