import { OpenAI } from "openai";
import { version } from "../version.ts";
import type { ModelClient } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { splitModelRef } from "./model-ref.ts";
import { readCompletion } from "./openai-reply.ts";
import { completionParams } from "./openai-request.ts";
import { SDK_RETRIES, type Transport, watchedFetch } from "./provider-call.ts";
import { type Dialect, providerModel } from "./provider-model.ts";

/** A model over OpenAI's chat completions. */
export function openaiModel(ref: string, sdk: OpenAI, transport: Transport): ModelClient {
  const { provider, model } = splitModelRef(ref);
  // OpenAI's own models refuse the old name, most other servers do not know the new one.
  const limit_name = provider === "openai" ? "max_completion_tokens" : "max_tokens";
  const dialect: Dialect = {
    // Not `chat.completions.create`: that shows each value of the body to a function, three times the work in a long history.
    send: (request, { watched, signal, force_tool }) =>
      sdk
        .post("/chat/completions", {
          body: completionParams({ model, limit_name }, request, force_tool),
          signal,
          timeout: request.timeout_ms,
          fetchOptions: watched,
        })
        .asResponse(),
    read: readCompletion,
  };
  return providerModel(ref, dialect, transport);
}

/** The SDK's client for an endpoint: nothing is left for it to look up in the environment. */
export function openaiSdk({ base_url, key }: Endpoint): OpenAI {
  return new OpenAI({
    baseURL: base_url.replace(/\/+$/, ""),
    // The SDK demands one; a null header keeps it from the wire.
    apiKey: key?.reveal() ?? "none",
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    fetch: watchedFetch,
    maxRetries: SDK_RETRIES,
    logLevel: "off",
    defaultHeaders: { "User-Agent": `abeval/${version}`, ...(key === null ? { Authorization: null } : {}) },
  });
}
