import type { OpenAI } from "openai";
import type { ModelClient } from "./client.ts";
import type { Endpoint } from "./credentials.ts";
import { splitModelRef } from "./model-ref.ts";
import { readCompletion } from "./openai-reply.ts";
import { completionParams } from "./openai-request.ts";
import { EndpointOpenAI } from "./openai-sdk.ts";
import type { Transport } from "./provider-call.ts";
import { type Dialect, providerModel } from "./provider-model.ts";

/** All that is asked of the SDK. */
type Sdk = Pick<OpenAI, "post">;

/** A model over OpenAI's chat completions. */
export function openaiModel(ref: string, sdk: Sdk, transport: Transport): ModelClient {
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

export const openaiSdk = (endpoint: Endpoint): Sdk => new EndpointOpenAI(endpoint);
