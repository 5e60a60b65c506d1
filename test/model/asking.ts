import { Type } from "@sinclair/typebox";
import { checkModel } from "../../src/arms/model/check-model.ts";
import type { ModelClient, ModelRequest, ProviderRetry, ToolSpec } from "../../src/arms/model/client.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { anthropicModel, anthropicSdk } from "../../src/arms/model/provider/anthropic.ts";
import { openaiModel, openaiSdk } from "../../src/arms/model/provider/openai.ts";
import type { Fetch } from "../../src/arms/model/provider-call.ts";
import { modelResolver } from "../../src/arms/model/resolve-model.ts";
import { Failure } from "../../src/domain/failure.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";

import { FAKE_KEY, type FakeProvider } from "../fake-provider/fake-provider.ts";

export const READ_FILE: ToolSpec = {
  name: "read_file",
  description: "Reads a file.",
  input: Type.Object({ path: Type.String() }),
};

export const REQUEST: ModelRequest = {
  system: "You are careful.",
  messages: [{ role: "user", text: "Fix it." }],
  tools: [],
  params: { max_output_tokens: 100 },
  timeout_ms: 5_000,
};

export const resolverOf = ({ environment }: Pick<FakeProvider, "environment">) =>
  modelResolver({ credentials: new Credentials(environment), clock: systemClock, limiter: new Semaphore(8) });

export const clientOf = (provider: Pick<FakeProvider, "environment">, ref: string): ModelClient =>
  resolverOf(provider)(ref);

/** A model whose SDK makes one try: between tries it waits for seconds, unless the server says for how long. */
export function withoutRetries(
  { environment }: Pick<FakeProvider, "environment">,
  wire: Sdk,
  fetch: Fetch = globalThis.fetch,
): ModelClient {
  const endpoint = checkModel(REF[wire], new Credentials(environment));
  const transport = {
    endpoint,
    clock: systemClock,
    fetch,
    redact: (text: string) => text,
    unforced: new Set<string>(),
    line: { reached: false },
  };
  return wire === "anthropic"
    ? anthropicModel(REF[wire], anthropicSdk(endpoint).withOptions({ maxRetries: 0 }), transport)
    : openaiModel(REF[wire], openaiSdk(endpoint).withOptions({ maxRetries: 0 }), transport);
}

/** Asks once and watches the retries. */
export async function ask(
  client: ModelClient,
  request: Partial<ModelRequest> = {},
  signal = new AbortController().signal,
) {
  const retries: ProviderRetry[] = [];
  let failedTries = 0;
  const reply = await client
    .complete(
      { ...REQUEST, ...request },
      {
        signal,
        onRetry: (retry) => retries.push(retry),
        onFailedTry: () => {
          failedTries += 1;
        },
      },
    )
    .catch((error: unknown) => error);
  return { reply, retries, failedTries };
}

/** What a caller sees of a failure. */
export function seen(error: unknown) {
  if (!(error instanceof Failure)) throw new Error("not a Failure", { cause: error });
  const { code, message, retryable, details } = error;
  return { code, message, retryable, details };
}

/** The SDKs; a provider's name is also that of its SDK. */
export type Sdk = "anthropic" | "openai";
export const REF: Readonly<Record<Sdk, string>> = { anthropic: "anthropic/claude-x", openai: "openai/gpt-x" };
export const WIRES: readonly Sdk[] = ["anthropic", "openai"];
/** Both SDKs wait this long only when a server says so; it keeps tests of retries fast. */
export const AT_ONCE = { "retry-after-ms": "1" };
export { FAKE_KEY };
