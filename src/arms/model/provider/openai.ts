import { OpenAI } from "openai";
import { version } from "../../../runtime/version.ts";
import type { ModelClient } from "../client.ts";
import type { Endpoint } from "../credentials.ts";
import { splitModelRef } from "../model-ref.ts";
import { fetchOfCall, forCall, SDK_RETRIES, SDK_TIMEOUT_MS, type Transport } from "../provider-call.ts";
import { revealed } from "./extra-headers.ts";
import { readCompletion } from "./openai-reply.ts";
import { completionParams } from "./openai-request.ts";
import { providerModel } from "./provider-model.ts";

/** A model over OpenAI's chat completions. */
export function openaiModel(ref: string, sdk: OpenAI, transport: Transport): ModelClient {
  const { provider, model } = splitModelRef(ref);
  // OpenAI's own models refuse the old name. Most other servers do not know the new one.
  const limit_name = provider === "openai" ? "max_completion_tokens" : "max_tokens";
  return providerModel(
    ref,
    {
      send: (request, call, force_tool) =>
        sdk.chat.completions.create(completionParams({ model, limit_name }, request, force_tool), {
          signal: call.signal,
          fetchOptions: forCall(call),
          timeout: SDK_TIMEOUT_MS,
        }),
      read: readCompletion,
      APIError: OpenAI.APIError,
    },
    transport,
  );
}

/** The SDK's client for an endpoint. Every option is given, so that it looks nothing up in the environment. */
export function openaiSdk({ base_url, key, extra }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: base_url.replace(/\/+$/, ""),
    // The SDK demands a key. A null header keeps this one from the wire.
    apiKey: key?.reveal() ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch: fetchOfCall,
    maxRetries: SDK_RETRIES,
    // A redirect could carry the key to another host, and turns a POST into a GET.
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
    defaultHeaders: {
      "user-agent": `abeval/${version}`,
      ...(key === null ? { authorization: null } : {}),
      ...revealed(extra),
    },
  });
}
