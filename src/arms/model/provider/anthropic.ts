import { Anthropic } from "@anthropic-ai/sdk";
import { version } from "../../../runtime/version.ts";
import type { ModelClient, ModelRequest } from "../client.ts";
import type { Endpoint } from "../credentials.ts";
import { splitModelRef } from "../model-ref.ts";
import { fetchOfCall, forCall, SDK_RETRIES, SDK_TIMEOUT_MS, type Transport } from "../provider-call.ts";
import { readMessage } from "./anthropic-reply.ts";
import { messageParams } from "./anthropic-request.ts";
import { revealed } from "./extra-headers.ts";
import { providerModel } from "./provider-model.ts";

/** A model over Anthropic's messages interface. */
export function anthropicModel(ref: string, sdk: Anthropic, transport: Transport): ModelClient {
  const { model } = splitModelRef(ref);
  return providerModel(
    ref,
    {
      send: (request, call, force_tool) =>
        sdk.messages.create(messageParams(model, request, force_tool), {
          signal: call.signal,
          fetchOptions: forCall(call),
          // The SDK refuses requests that may take longer than ten minutes, unless a timeout is given.
          timeout: SDK_TIMEOUT_MS,
          headers: versionHeaders(request),
        }),
      read: readMessage,
      APIError: Anthropic.APIError,
    },
    transport,
  );
}

/**
 * The version of the interface that the SDK speaks refuses sampling parameters for every model. The version before takes
 * them for the models that have them, and names the parameter that another model refuses.
 */
function versionHeaders({ params }: ModelRequest): Record<string, string> {
  const sampled = params.temperature !== undefined || params.top_p !== undefined;
  return sampled ? { "anthropic-version": "2023-06-01" } : {};
}

/** The SDK's client for an endpoint. Every option is given, so that it looks nothing up in the environment. */
export function anthropicSdk({ base_url, base_url_overridden, key, extra }: Endpoint): Anthropic {
  return new Anthropic({
    // The SDK adds /v1 itself.
    baseURL: base_url.replace(/\/+$/, "").replace(/\/v1$/, ""),
    // The SDK searches the machine for credentials when it is given no key. A null header keeps this one from the wire.
    apiKey: key?.reveal() ?? "none",
    webhookKey: null,
    fetch: fetchOfCall,
    maxRetries: SDK_RETRIES,
    // A redirect could carry the key to another host, and turns a POST into a GET.
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
    openTelemetry: false,
    defaultHeaders: {
      "user-agent": `abeval/${version}`,
      ...(key === null ? { authorization: null } : {}),
      // The SDK sends the key as a bearer token. Gateways made for earlier clients look for it here.
      ...(key !== null && base_url_overridden ? { "x-api-key": key.reveal() } : {}),
      ...revealed(extra),
    },
  });
}
