import { describe, expect, test } from "bun:test";
import { dirname, resolve } from "node:path";
import { checkModel, providerStatuses } from "../../src/arms/model/check-model.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { modelResolver } from "../../src/arms/model/resolve-model.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { ask, FAKE_KEY, REQUEST, seen } from "./asking.ts";

type Environment = Record<string, string>;

function resolver(environment: Environment, limit = 8) {
  return modelResolver({
    credentials: new Credentials(environment),
    clock: systemClock,
    limiter: new Semaphore(limit),
  });
}

function failureOf(ref: string, environment: Environment = {}) {
  try {
    resolver(environment)(ref);
  } catch (error) {
    return seen(error);
  }
  return undefined;
}

describe("a model that cannot be used is refused before anything is spent", () => {
  test.each([
    [
      "anthropic/claude-x",
      {},
      'model "anthropic/claude-x" needs a key: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a gateway that needs no key',
      "ANTHROPIC_API_KEY",
    ],
    [
      "antropic/claude-x",
      {},
      'model "antropic/claude-x": unknown provider "antropic"; did you mean "anthropic"? For a server that speaks OpenAI\'s chat completions set ANTROPIC_BASE_URL',
      "ANTROPIC_BASE_URL",
    ],
    [
      "my-house/x",
      {},
      'model "my-house/x": unknown provider "my-house"; for a server that speaks OpenAI\'s chat completions set MY_HOUSE_BASE_URL',
      "MY_HOUSE_BASE_URL",
    ],
    ["house/x", { HOUSE_BASE_URL: "house:8080 " }, "HOUSE_BASE_URL is not an http or https URL", "HOUSE_BASE_URL"],
    [
      "house/x",
      { HOUSE_BASE_URL: "//house" },
      "HOUSE_BASE_URL is not a URL: expected something like https://gateway.example/v1",
      "HOUSE_BASE_URL",
    ],
    [
      "house/x",
      { HOUSE_BASE_URL: "http://me:hidden-password@house" },
      "HOUSE_BASE_URL must not hold a user name or password: use the key variable",
      "HOUSE_BASE_URL",
    ],
    [
      "openai/x",
      { OPENAI_API_KEY: "sk-“quoted”" },
      "OPENAI_API_KEY holds characters that a key cannot have",
      "OPENAI_API_KEY",
    ],
    [
      "house/x",
      { HOUSE_BASE_URL: "http://house/v1", HOUSE_HEADERS: "x-route team-a" },
      "HOUSE_HEADERS: line 1: expected `name: value`",
      "HOUSE_HEADERS",
    ],
  ])("%s with %p", (ref, environment, message, variable) => {
    expect(failureOf(ref, environment)).toMatchObject({ code: "credentials_missing", message, details: { variable } });
  });

  test("a reference without a provider, or to one that calls nobody", () => {
    expect(failureOf("gpt")).toMatchObject({ code: "invalid_request" });
    expect(failureOf("builtin/evidence")).toMatchObject({ code: "invalid_request" });
    expect(failureOf("scripted/x")).toMatchObject({ code: "invalid_scenario" });
  });

  test("the check alone says the same", () => {
    const credentials = new Credentials({ XAI_API_KEY: "0123456789" });
    expect(checkModel("xai/grok-x", credentials)).toMatchObject({ provider: "xai", key_variable: "XAI_API_KEY" });
    expect(() => checkModel("groq/x", credentials)).toThrow("set GROQ_API_KEY");
  });
});

test("a scripted model replays the script it is given", async () => {
  const { reply } = await ask(resolver({})("scripted/demo", [{ say: "Hello." }]));
  expect(reply).toMatchObject({ text: "Hello.", model_served: "demo" });
});

test("doctor's list says who is ready, without a secret", () => {
  const house = { HOUSE_BASE_URL: "http://h/v1", HOUSE_HEADERS: "X-Route: team-a-0123456789" };
  const list = providerStatuses(new Credentials({ OPENAI_API_KEY: FAKE_KEY, ...house }));
  const plain = { present: true, local: false, header_names: [], headers_problem: null };
  expect(list.filter(({ present }) => present)).toEqual([
    { provider: "openai", base_url_overridden: false, key_variable: "OPENAI_API_KEY", ...plain },
    { provider: "ollama", base_url_overridden: false, key_variable: "OLLAMA_API_KEY", ...plain, local: true },
    {
      ...{ provider: "house", base_url_overridden: true, key_variable: "HOUSE_API_KEY", ...plain },
      header_names: ["x-route"],
    },
  ]);
  for (const secret of [FAKE_KEY, "team-a"]) expect(JSON.stringify(list)).not.toContain(secret);
});

test("a call's timeout does not run while it waits for its turn", async () => {
  await using provider = await startFakeProvider({ plan: [{ text: "slow", delay_ms: 900 }] });
  const client = resolver(provider.environment, 1)("openai/gpt-x");
  const slow = client.complete({ ...REQUEST, timeout_ms: 50_000 }, { signal: new AbortController().signal });
  const quick = await ask(client, { timeout_ms: 600 });
  expect(quick.reply).toMatchObject({ text: "Done." });
  expect(await slow).toMatchObject({ text: "slow" });
  // A machine that is busy may cost a try, but no try is lost before it was sent.
  expect(provider.requests).toHaveLength(2 + quick.retries.length);
});

test("resolving a model loads no SDK: only the first call does", async () => {
  const loaded = await staticImports(resolve(import.meta.dir, "../../src/arms/model/resolve-model.ts"));
  expect(loaded.filter((specifier) => /openai|anthropic/.test(specifier))).toEqual([]);
  expect(loaded.some((specifier) => specifier.endsWith("scripted.ts"))).toBe(true);
});

/** Every module that importing `file` evaluates, without those behind a dynamic import. */
async function staticImports(file: string, seenSoFar = new Set<string>()): Promise<readonly string[]> {
  if (seenSoFar.has(file)) return [];
  seenSoFar.add(file);
  const source = await Bun.file(file).text();
  const imports = new Bun.Transpiler({ loader: "ts" })
    .scanImports(source)
    .filter(({ kind }) => kind === "import-statement");
  for (const { path } of imports) {
    if (path.startsWith(".")) await staticImports(resolve(dirname(file), path), seenSoFar);
    else seenSoFar.add(path);
  }
  return [...seenSoFar];
}

test("a name that no model has is refused in words that do not repeat it", () => {
  const refused = failureOf(`ollama/${"x".repeat(1_000)}`);
  expect(refused).toMatchObject({
    code: "invalid_request",
    message: `model "ollama/${"x".repeat(53)}"...: 1007 characters, a model's name has 256 at most`,
  });
});
