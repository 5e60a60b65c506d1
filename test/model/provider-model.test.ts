import { describe, expect, test } from "bun:test";
import type { ModelReply } from "../../src/arms/model/client.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { modelResolver } from "../../src/arms/model/resolve-model.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import type { Action, Fault, SeenRequest } from "../fake-provider/exchange.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import {
  AT_ONCE,
  ask,
  clientOf,
  FAKE_KEY,
  READ_FILE,
  REF,
  REQUEST,
  resolverOf,
  seen,
  WIRES,
  withoutRetries,
} from "./asking.ts";

const FAILED_500: Action = { status: 500, body: { error: { type: "api_error", message: "boom" } }, headers: AT_ONCE };

/** The parts of a reply that do not depend on the wire format. */
function essence(reply: unknown) {
  if (typeof reply !== "object" || reply === null || !("stop" in reply))
    throw new Error("not a reply", { cause: reply });
  // It came from `complete`, or `ask` would have given the error.
  const { raw: _raw, stop_reason: _word, ...rest } = reply as ModelReply;
  return rest;
}

describe.each(WIRES)("a model over %s", (wire) => {
  const ref = REF[wire];
  const model = ref.split("/")[1] ?? "";

  test("a plain answer comes back with its usage and the model that gave it", async () => {
    await using provider = await startFakeProvider({
      reply: {
        text: "Done.",
        usage: { in: 120, out: 7, cached: 100, written: wire === "anthropic" ? 15 : 0 },
        model: "served-1",
      },
    });
    const { reply } = await ask(clientOf(provider, ref));
    expect(essence(reply)).toEqual({
      text: "Done.",
      calls: [],
      stop: "end",
      tokens_in: 120,
      tokens_out: 7,
      cached_tokens: 100,
      ...(wire === "anthropic" && { cache_write_tokens: 15 }),
      model_served: "served-1",
    });
  });

  test("the request carries the system prompt, tools, given params and nothing that was not given", async () => {
    await using provider = await startFakeProvider();
    await ask(clientOf(provider, ref), { tools: [READ_FILE], params: { max_output_tokens: 64, temperature: 0 } });
    const [request] = provider.requests;
    expect(request).toMatchObject({
      model,
      system: "You are careful.",
      messages: [{ role: "user", text: "Fix it." }],
      tools: [{ name: "read_file", description: "Reads a file.", input: JSON.parse(JSON.stringify(READ_FILE.input)) }],
      force_tool: undefined,
      body: { temperature: 0 },
    });
    expect(Object.keys(request?.body ?? {})).not.toContain("top_p");
    expect(request?.headers["user-agent"]).toStartWith("abeval/");
  });

  test("tool calls come back parsed, and their results go out in the wire's own form", async () => {
    await using provider = await startFakeProvider({
      plan: [
        {
          text: "I look.",
          calls: [
            { id: "c1", name: "read_file", input: { path: "a" } },
            { id: "c2", name: "read_file", input: { path: "b" } },
          ],
        },
      ],
    });
    const client = clientOf(provider, ref);
    const { reply } = await ask(client, { tools: [READ_FILE] });
    const calls = [
      { id: "c1", name: "read_file", input: { path: "a" } },
      { id: "c2", name: "read_file", input: { path: "b" } },
    ];
    expect(essence(reply)).toMatchObject({ text: "I look.", stop: "calls", calls });
    const { text, raw } = reply as ModelReply;
    const results = [
      { call_id: "c1", ok: true, text: "one" },
      { call_id: "c2", ok: true, text: "two" },
    ];
    await ask(client, {
      tools: [READ_FILE],
      messages: [...REQUEST.messages, { role: "assistant", text, calls, raw }, { role: "tool", results }],
    });
    expect(provider.requests[1]?.messages).toEqual([
      { role: "user", text: "Fix it." },
      { role: "assistant", text: "I look.", calls },
      { role: "tool", results },
    ]);
  });

  test("a turn without its raw form is sent from what is known of it", async () => {
    await using provider = await startFakeProvider();
    const calls = [{ id: "c1", name: "read_file", input: { path: "a" } }];
    const results = [{ call_id: "c1", ok: true, text: "one" }];
    const messages = [
      { role: "user", text: "Fix it." },
      { role: "assistant", text: "", calls },
      { role: "tool", results },
      { role: "user", text: "Go on." },
    ] as const;
    await ask(clientOf(provider, ref), { messages });
    expect(provider.requests[0]?.messages).toEqual([...messages]);
  });

  test("a call nested thousands of levels deep is the model's mistake, and the history goes on without it", async () => {
    const deep = `{"path":${"[".repeat(25_000)}${"]".repeat(25_000)}}`;
    const bodies: Readonly<Record<(typeof WIRES)[number], string>> = {
      anthropic: `{"content":[{"type":"tool_use","id":"c1","name":"read_file","input":${deep}}],"stop_reason":"tool_use"}`,
      openai: JSON.stringify({
        choices: [
          {
            finish_reason: "tool_calls",
            message: {
              tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: deep } }],
            },
          },
        ],
      }),
    };
    await using provider = await startFakeProvider({ plan: [{ status: 200, body: bodies[wire] }] });
    const client = clientOf(provider, REF[wire]);
    const { reply } = await ask(client, { tools: [READ_FILE] });
    const unparsed = wire === "openai" ? deep : "[arguments nested more than 64 levels deep]";
    const { text, calls, raw } = reply as ModelReply;
    expect(calls).toEqual([{ id: "c1", name: "read_file", input: undefined, unparsed }]);
    const results = [{ call_id: "c1", ok: false, text: "cannot be read" }];
    const messages = [...REQUEST.messages, { role: "assistant", text, calls, raw } as const];
    const again = await ask(client, { tools: [READ_FILE], messages: [...messages, { role: "tool", results }] });
    expect((again.reply as ModelReply).text).toBe("Done.");
    expect(provider.requests.length).toBe(2);
  });

  test("a call that was cut and never ran gets a result, or the provider would refuse the history", async () => {
    await using provider = await startFakeProvider({
      plan: [{ calls: [{ id: "c1", name: "read_file", input: {} }], stop: "output_limit" }],
    });
    const client = clientOf(provider, ref);
    const { reply } = await ask(client, { tools: [READ_FILE] });
    const { text, calls, stop, raw } = reply as ModelReply;
    expect(stop).toBe("output_limit");
    await ask(client, {
      messages: [...REQUEST.messages, { role: "assistant", text, calls, raw }, { role: "user", text: "Shorter." }],
    });
    expect(provider.requests[1]?.messages.slice(2)).toMatchObject([
      { role: "tool", results: [{ call_id: "c1" }] },
      { role: "user", text: "Shorter." },
    ]);
  });

  test("a forced tool call names the tool", async () => {
    await using provider = await startFakeProvider({ reply: { calls: [{ name: "read_file", input: { path: "x" } }] } });
    const { reply } = await ask(clientOf(provider, ref), { tools: [READ_FILE], force_tool: "read_file" });
    expect(provider.requests[0]?.force_tool).toBe("read_file");
    expect(essence(reply)).toMatchObject({ stop: "calls", calls: [{ name: "read_file", input: { path: "x" } }] });
  });

  test("a model that refuses to be forced is asked again without, and no session forces it again", async () => {
    const answer = (request: SeenRequest): Action =>
      request.force_tool === undefined
        ? { calls: [{ name: "read_file", input: {} }] }
        : {
            status: 400,
            body: {
              error: {
                type: "invalid_request_error",
                message: 'tool_choice: type "tool" and "any" are not supported for this model.',
              },
            },
          };
    await using provider = await startFakeProvider({ reply: answer });
    const resolve = resolverOf(provider);
    const first = await ask(resolve(ref), { tools: [READ_FILE], force_tool: "read_file" });
    const second = await ask(resolve(ref), { tools: [READ_FILE], force_tool: "read_file" });
    expect([essence(first.reply).stop, essence(second.reply).stop]).toEqual(["calls", "calls"]);
    expect(provider.requests.map(({ force_tool }) => force_tool)).toEqual(["read_file", undefined, undefined]);
  });

  test("throttling is waited out, told while it happens, and costs no tokens", async () => {
    await using provider = await startFakeProvider({
      plan: [
        {
          status: 429,
          body: { error: { type: "rate_limit_error", message: "slow down" } },
          headers: { "retry-after": "0" },
        },
      ],
      reply: { text: "Done.", usage: { in: 10, out: 2 } },
    });
    const began = performance.now();
    const { reply, retries, failedTries } = await ask(clientOf(provider, ref));
    expect(essence(reply)).toMatchObject({ text: "Done.", tokens_in: 10, tokens_out: 2 });
    expect(retries).toEqual([{ status: 429, attempts: 1, waited_ms: expect.any(Number) }]);
    expect(retries[0]?.waited_ms).toBeWithin(1, Math.ceil(performance.now() - began));
    expect(failedTries).toBe(1);
  });

  test("five failures are survived", async () => {
    await using provider = await startFakeProvider({ plan: Array.from({ length: 5 }, () => FAILED_500) });
    const { reply, retries } = await ask(clientOf(provider, ref));
    expect(essence(reply)).toMatchObject({ text: "Done.", stop: "end" });
    expect(retries.map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 5]);
  });

  test("six failed tries fail the call", async () => {
    await using provider = await startFakeProvider({ reply: FAILED_500 });
    const { reply, failedTries } = await ask(clientOf(provider, ref));
    expect(seen(reply)).toEqual({
      code: "provider_failed",
      message: `${wire} answered 500 api_error (6 tries): "boom".`,
      retryable: true,
      details: { provider: wire, status: 500 },
    });
    expect([provider.requests.length, failedTries]).toEqual([6, 5]);
  });

  test.each([
    [400, { detail: "no such thing" }, ': "no such thing".'],
    [400, { message: "plainly" }, ': "plainly".'],
    [400, { error: "down" }, ': "down".'],
    [400, { error: { type: "odd", message: "nested" } }, ' odd: "nested".'],
    [400, "<html><h1>Bad\n request</h1></html>", ': "Bad request".'],
    [400, "", "."],
  ])("a reply of %i with %j is told in the provider's words", async (status, body, words) => {
    await using provider = await startFakeProvider({ reply: { status, body } });
    const { message } = seen((await ask(clientOf(provider, ref))).reply);
    expect(message).toStartWith(`${wire} answered ${status}${words}`);
  });

  test.each([
    ["under error", (deep: string) => `{"error":${deep}}`],
    ["in the message", (deep: string) => `{"error":{"type":"odd","message":${deep}}}`],
    ["as the whole", (deep: string) => deep],
  ])("a refusal nested a hundred thousand levels deep, %s, is told by its status", async (_, bodyOf) => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    await using provider = await startFakeProvider({ reply: { status: 400, body: bodyOf(deep) } });
    const failure = seen((await ask(clientOf(provider, ref))).reply);
    expect(failure.message).toStartWith(`${wire} answered 400`);
    expect(failure.details).toEqual({ provider: wire, status: 400 });
  });

  test("an overloaded provider is asked again", async () => {
    await using provider = await startFakeProvider({
      plan: [
        {
          status: 529,
          body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
          headers: AT_ONCE,
        },
      ],
    });
    expect((await ask(clientOf(provider, ref))).retries).toMatchObject([{ status: 529 }]);
  });

  test.each(["reset", "malformed_json", "empty"] as const)("a reply lost to %s is asked for again", async (fault) => {
    await using provider = await startFakeProvider({ plan: [{ fault, headers: AT_ONCE }] });
    const { reply, retries } = await ask(clientOf(provider, ref));
    expect(essence(reply)).toMatchObject({ text: "Done." });
    expect(retries).toMatchObject([{ status: 200, attempts: 1 }]);
  });

  test.each<[string, Action | Fault, string]>([
    ["half an object", { fault: "malformed_json" }, 'is not a JSON object: "{\\"id\\":\\"cut'],
    ["a list", { status: 200, body: [] }, 'is not a JSON object: "[]". Check'],
    ["nothing", { fault: "empty" }, "is not a JSON object. Check"],
    ["a part, then breaks off", { fault: "reset" }, "broke off its reply: ECONNRESET."],
  ])("a provider that only gives %s fails in words", async (_, reply, words) => {
    await using provider = await startFakeProvider({ reply });
    const failure = seen((await ask(withoutRetries(provider, wire))).reply);
    expect(failure).toMatchObject({ code: "provider_failed", retryable: true });
    expect(failure.message).toContain(words);
  });

  test.each([
    ["html", '"Sign in"'],
    ["large", "more than 4 MiB"],
  ] as const)("a reply of %s is a failure at once", async (fault, words) => {
    await using provider = await startFakeProvider({ reply: { fault } });
    const { reply } = await ask(clientOf(provider, ref));
    expect(seen(reply)).toMatchObject({ code: "provider_failed", retryable: false });
    expect(seen(reply).message).toContain(words);
    expect(provider.requests).toHaveLength(1);
  });

  test.each([
    ["an empty object", {}],
    ["null parts", { content: null, choices: [null] }],
    ["a number for a message", { content: 3, choices: [{ message: 3 }] }],
  ])("JSON that is no reply (%s) is a failure, not a crash", async (_, body) => {
    await using provider = await startFakeProvider({ reply: { status: 200, body, headers: { ...AT_ONCE } } });
    const { reply } = await ask(clientOf(provider, ref));
    expect(seen(reply)).toMatchObject({ code: "provider_failed", details: { provider: wire, status: 200 } });
  });

  test.each(["hang", "slow_drip"] as const)(
    "a provider that only outlasts the timeout (%s) fails in words",
    async (fault) => {
      await using provider = await startFakeProvider({ reply: { fault } });
      const { reply } = await ask(withoutRetries(provider, wire), { timeout_ms: 50 });
      expect(seen(reply)).toMatchObject({ retryable: true, details: { provider: wire, status: null } });
      expect(seen(reply).message).toStartWith(`${wire} did not answer within 0.05 s.`);
    },
  );

  test("a reply that also holds an error is a reply", async () => {
    const body = {
      error: { message: "partly" },
      content: [{ type: "text", text: "x" }],
      choices: [{ message: { content: "x" }, finish_reason: "stop" }],
    };
    const { [wire === "openai" ? "content" : "choices"]: _, ...ours } = body;
    await using provider = await startFakeProvider({ reply: { status: 200, body: ours } });
    expect(essence((await ask(clientOf(provider, ref))).reply)).toMatchObject({ text: "x" });
  });

  test.each(["hang", "slow_drip"] as const)("a try that outlasts its timeout (%s) is repeated", async (fault) => {
    await using provider = await startFakeProvider({ plan: [{ fault }] });
    const { reply, retries } = await ask(clientOf(provider, ref), { timeout_ms: 400 });
    expect(essence(reply)).toMatchObject({ text: "Done." });
    // On a machine that is busy a good try may outlast it too, and is repeated like this one.
    expect(retries[0]).toMatchObject({ status: null, attempts: 1 });
    expect(provider.requests).toHaveLength(1 + retries.length);
  });

  test("a key that the provider echoes is not shown, and the variable to check is", async () => {
    await using provider = await startFakeProvider({ reply: { status: 401, echo: true } });
    const { reply } = await ask(clientOf(provider, ref));
    const failure = seen(reply);
    expect(failure).toMatchObject({ retryable: false, details: { provider: wire, status: 401 } });
    expect(failure.message).toContain("[redacted]");
    expect(failure.message).toEndWith(`Check ${wire.toUpperCase()}_API_KEY.`);
    expect(Bun.inspect(reply) + JSON.stringify(reply)).not.toContain(FAKE_KEY);
    expect(provider.requests).toHaveLength(1);
  });

  test.each([400, 403, 404, 422])(
    "a refusal with status %i is not repeated, even if the server says so",
    async (status) => {
      const body = { error: { type: "refused", message: "no" } };
      await using provider = await startFakeProvider({
        reply: { status, body, headers: { "x-should-retry": "true" } },
      });
      const { reply } = await ask(clientOf(provider, ref));
      expect(seen(reply)).toMatchObject({ retryable: false, details: { provider: wire, status } });
      expect(provider.requests).toHaveLength(1);
    },
  );

  test.each([
    [
      "no quota",
      429,
      { type: "insufficient_quota", message: "You exceeded your current quota.", code: "insufficient_quota" },
    ],
    ["a spending limit", 429, { code: "billing_hard_limit_reached", message: "Billing hard limit has been reached" }],
    ["an account that is not active", 429, { code: "billing_not_active", message: "Your account is not active." }],
    ["a gateway's words for it", 500, { message: "litellm.RateLimitError: OpenAIException - insufficient_quota" }],
    ["a low balance", 429, { type: "rate_limit_error", message: "Your credit balance is too low to access the API." }],
    ["a method that the server does not have", 501, { message: "not implemented" }],
  ])("%s fails after one try, and is not called retryable", async (_, status, error) => {
    await using provider = await startFakeProvider({
      reply: { status, body: { error }, headers: { ...AT_ONCE, "x-should-retry": "true" } },
    });
    const { reply, failedTries } = await ask(clientOf(provider, ref));
    expect(seen(reply)).toMatchObject({ retryable: false, details: { provider: wire, status } });
    expect([provider.requests.length, failedTries]).toEqual([1, 0]);
  });

  test("a wrong certificate is not tried again", async () => {
    let tries = 0;
    const fetch = async () => {
      tries += 1;
      throw Object.assign(new Error("self signed certificate"), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    };
    const credentials = new Credentials({ [`${wire.toUpperCase()}_BASE_URL`]: "https://127.0.0.1:1" });
    const client = modelResolver({ credentials, clock: systemClock, limiter: new Semaphore(1), fetch })(ref);
    expect(seen((await ask(client)).reply)).toMatchObject({
      message: `${wire} could not be reached at 127.0.0.1:1: DEPTH_ZERO_SELF_SIGNED_CERT. Check ${wire.toUpperCase()}_BASE_URL.`,
      retryable: false,
    });
    expect(tries).toBe(1);
  });

  test("where nothing listens, the third refusal is the last", async () => {
    const environment = { [`${wire.toUpperCase()}_BASE_URL`]: "http://127.0.0.1:1" };
    const { reply, failedTries } = await ask(clientOf({ environment }, ref));
    expect(seen(reply).message).toMatch(/ could not be reached at 127\.0\.0\.1:1 \(3 tries\): \w+\. Check /);
    expect([seen(reply).retryable, failedTries]).toEqual([true, 2]);
  });

  test("a connection that the system gave up is not called a timeout of ours", async () => {
    const fetch = async () => {
      throw Object.assign(new Error("connect timed out"), { code: "ETIMEDOUT" });
    };
    const environment = { [`${wire.toUpperCase()}_BASE_URL`]: "http://127.0.0.1:1" };
    const { reply } = await ask(withoutRetries({ environment }, wire, fetch));
    expect(seen(reply).message).toStartWith(`${wire} could not be reached at 127.0.0.1:1: ETIMEDOUT.`);
  });

  test("a server can say that the call must not be repeated", async () => {
    await using provider = await startFakeProvider({ reply: { status: 429, headers: { "x-should-retry": "false" } } });
    const { reply, failedTries } = await ask(clientOf(provider, ref));
    expect(seen(reply)).toMatchObject({ retryable: true, details: { provider: wire, status: 429 } });
    expect([provider.requests.length, failedTries]).toEqual([1, 0]);
  });

  test("extra headers go with every try, and win over ours", async () => {
    await using provider = await startFakeProvider({ plan: [FAILED_500] });
    const headers = JSON.stringify({ "X-Route": "team-a", Authorization: "Basic Z2F0ZXdheQ==", "user-agent": "house" });
    const environment = { ...provider.environment, [`${wire.toUpperCase()}_HEADERS`]: headers };
    const client = clientOf({ environment }, ref);
    for (const _ of ["first call", "second call"]) expect((await ask(client)).reply).toMatchObject({ text: "Done." });
    expect(provider.requests).toHaveLength(3);
    for (const { headers } of provider.requests)
      expect(headers).toMatchObject({
        ...{ "x-route": "team-a", authorization: "Basic Z2F0ZXdheQ==", "user-agent": "house" },
        "content-type": "application/json",
      });
  });

  test("a key among the extra headers takes the place of the provider's own", async () => {
    await using provider = await startFakeProvider();
    const { [`${wire.toUpperCase()}_API_KEY`]: _, ...keyless } = provider.environment;
    const environment = { ...keyless, [`${wire.toUpperCase()}_HEADERS`]: "Authorization: Bearer header-key-0123" };
    await ask(clientOf({ environment }, ref));
    const [request] = provider.requests;
    expect(request?.headers["authorization"]).toBe("Bearer header-key-0123");
    expect(request?.headers["x-api-key"]).toBeUndefined();
  });

  test("a redirect is not followed: it could carry the key elsewhere", async () => {
    await using elsewhere = await startFakeProvider();
    await using provider = await startFakeProvider({
      reply: { status: 307, headers: { location: `${elsewhere.url}/v1/messages` } },
    });
    const { reply } = await ask(clientOf(provider, ref));
    expect(seen(reply).message).toBe(
      `${wire} answered 307, a redirect. Put the final address into ${wire.toUpperCase()}_BASE_URL.`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  test("a connection that fails is tried again, until the caller stops it", async () => {
    const gone = await startFakeProvider();
    await gone[Symbol.asyncDispose]();
    const controller = new AbortController();
    const client = clientOf(gone, ref);
    let failedTries = 0;
    const pending = client.complete(REQUEST, {
      signal: controller.signal,
      onFailedTry: () => {
        failedTries += 1;
        controller.abort(new Error("enough"));
      },
    });
    expect(await pending.catch((error: unknown) => error)).toEqual(new Error("enough"));
    expect(failedTries).toBe(1);
  });

  test("cancelling during a wait between tries rejects at once with the reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped by the user");
    // The wait would last beyond the time that a test has.
    await using provider = await startFakeProvider({
      reply: () => ({ status: 503, headers: { "retry-after": "600" } }),
    });
    const onFailedTry = () => void setImmediate(() => controller.abort(reason));
    const options = { signal: controller.signal, onFailedTry };
    await expect(clientOf(provider, ref).complete({ ...REQUEST, timeout_ms: 600_000 }, options)).rejects.toBe(reason);
    expect(provider.requests.length).toBe(1);
  });

  test("cancelling during a hang rejects at once with the reason", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped by the user");
    await using provider = await startFakeProvider({
      reply: () => {
        setImmediate(() => controller.abort(reason));
        return { fault: "hang" };
      },
    });
    const { reply, failedTries } = await ask(clientOf(provider, ref), { timeout_ms: 600_000 }, controller.signal);
    expect([reply, failedTries]).toEqual([reason, 0]);
  });

  test("a signal that fired before means that nothing is sent", async () => {
    await using provider = await startFakeProvider();
    const reason = new Error("too late");
    expect((await ask(clientOf(provider, ref), {}, AbortSignal.abort(reason))).reply).toBe(reason);
    expect(provider.requests).toEqual([]);
  });

  test("an input that no longer fits is a reply, not a failure", async () => {
    const message =
      wire === "anthropic"
        ? "prompt is too long: 215000 tokens > 200000 maximum"
        : "This model's maximum context length is 8192 tokens.";
    await using provider = await startFakeProvider({
      reply: { status: 400, body: { error: { type: "invalid_request_error", message } } },
    });
    expect(essence((await ask(clientOf(provider, ref))).reply)).toEqual({
      text: "",
      calls: [],
      stop: "context_overflow",
      tokens_in: null,
      tokens_out: null,
      cached_tokens: null,
      model_served: null,
    });
  });

  test("a refusal says so", async () => {
    await using provider = await startFakeProvider({ reply: { stop: "refusal" } });
    expect(essence((await ask(clientOf(provider, ref))).reply)).toMatchObject({ text: "", calls: [], stop: "refusal" });
  });

  test("an answer of nothing is an empty final answer", async () => {
    await using provider = await startFakeProvider({ reply: {} });
    expect(essence((await ask(clientOf(provider, ref))).reply)).toMatchObject({ text: "", calls: [], stop: "end" });
  });

  test("a secret that the model repeats is taken out of text and call inputs", async () => {
    await using provider = await startFakeProvider({
      reply: {
        text: `The key is ${FAKE_KEY}.`,
        calls: [{ id: "c", name: "read_file", input: { deep: [{ path: btoa(FAKE_KEY) }] } }],
      },
    });
    const { reply } = await ask(clientOf(provider, ref));
    expect(essence(reply)).toMatchObject({
      text: "The key is [redacted].",
      calls: [{ input: { deep: [{ path: expect.stringContaining("[redacted]") }] } }],
    });
  });

  test("a long answer may be asked for without streaming", async () => {
    await using provider = await startFakeProvider();
    const { reply } = await ask(clientOf(provider, ref), { params: { max_output_tokens: 128_000 } });
    expect(essence(reply)).toMatchObject({ text: "Done." });
  });

  test.each([
    [{ input_tokens: -1, output_tokens: 1, prompt_tokens: -1, completion_tokens: 1 }],
    [{ input_tokens: 1.5, output_tokens: 1, prompt_tokens: 1.5, completion_tokens: 1 }],
    [undefined],
    ["many"],
  ])("usage that cannot be true (%p) is unknown", async (usage) => {
    const message = { content: "x", role: "assistant" };
    const body = {
      content: [{ type: "text", text: "x" }],
      choices: [{ message, finish_reason: "stop" }],
      stop_reason: "end_turn",
      usage,
    };
    await using provider = await startFakeProvider({ reply: { status: 200, body } });
    expect(essence((await ask(clientOf(provider, ref))).reply)).toMatchObject({
      text: "x",
      tokens_in: null,
      tokens_out: null,
      cached_tokens: null,
    });
  });
});
