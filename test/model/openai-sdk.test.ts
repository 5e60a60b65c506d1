import { describe, expect, spyOn, test } from "bun:test";
import { OpenAI } from "openai";
import { NO_EXTRA_HEADERS, readExtraHeaders } from "../../src/model/extra-headers.ts";
import { EndpointOpenAI } from "../../src/model/openai-sdk.ts";
import { Secret } from "../../src/model/secret.ts";

type Request = Awaited<ReturnType<OpenAI["buildRequest"]>>;
type Options = Parameters<OpenAI["buildRequest"]>[0];

const KEYED = { base_url: "http://127.0.0.1:1/v1/", key: new Secret("key-0123456789"), extra: NO_EXTRA_HEADERS };

const post = (rest: Partial<Options>): Options => ({ method: "post", path: "/chat/completions", ...rest });

const sent = ({ url, timeout, req }: Request) => ({
  url,
  timeout,
  method: req.method,
  headers: [...req.headers],
  body: req.body,
  redirect: req.redirect,
});

const theirs = (sdk: OpenAI, ...request: Parameters<OpenAI["buildRequest"]>) =>
  OpenAI.prototype.buildRequest.apply(sdk, request);

describe.each([
  ["a key", KEYED],
  ["none", { ...KEYED, key: null }],
  ["a key and headers of a gateway", { ...KEYED, extra: readExtraHeaders("x-route: team-a") }],
])("each request with %s is the one that the SDK would make:", (_, endpoint) => {
  const sdk = new EndpointOpenAI(endpoint);
  const { signal } = new AbortController();
  const same = async (options: Options, attempt?: { retryCount: number }) => {
    // Twice: the first makes the head that the second has.
    for (const text of ["first", "second"]) {
      const request = { ...options, body: { text } };
      const ours = await sdk.buildRequest({ ...request }, attempt);
      expect(sent(ours)).toEqual(sent(await theirs(sdk, { ...request }, attempt)));
      expect(ours.req.signal ?? undefined).toBe(options.signal ?? undefined);
      expect(ours.req.headers.get("authorization")).toBe(endpoint.key === null ? null : "Bearer key-0123456789");
    }
  };

  test.each([300_000, 5_400, 4_999, 4_600, 1])("any try with a timeout of %i ms", async (timeout) => {
    for (const retryCount of [0, 1, 2])
      await same(post({ timeout, signal, fetchOptions: { redirect: "manual" } }), { retryCount });
  });

  test.each([
    ["nothing said of try, timeout and signal", {}],
    ["the client's own timeout", { timeout: 600_000 }],
    ["another path", { path: "/embeddings", timeout: 600_000 }],
    ["another method", { method: "get", timeout: 600_000 }],
    ["a query of its own", { query: { own: 1 }, timeout: 600_000 }],
  ] as const)("%s", async (_, options) => {
    await same(post(options));
  });

  test("a try of which nothing is said, before and after another", async () => {
    for (const attempt of [undefined, { retryCount: 1 }, undefined]) await same(post({ timeout: 3_000 }), attempt);
  });

  test("a header of its own, and none after it and before it", async () => {
    for (const headers of [{ "x-own": "1" }, undefined, { "x-own": "2" }])
      await same(post({ timeout: 2_000, ...(headers && { headers }) }));
  });

  test.each([0, -5, 1_500.5])("a timeout of %d ms, refused or not", async (timeout) => {
    const outcome = (made: Promise<Request>) => made.then(sent, ({ message }: Error) => message);
    for (const known of [1, 1_500]) await sdk.buildRequest(post({ timeout: known, body: {} }));
    const request = post({ timeout, body: {} });
    expect(await outcome(sdk.buildRequest(request))).toEqual(await outcome(theirs(sdk, request)));
  });

  test.each([null, "text", new Uint8Array([1, 2])])("a body that is no object: %p", async (body) => {
    await sdk.buildRequest(post({ timeout: 1, body: {} }));
    const request = post({ timeout: 1, body });
    expect(sent(await sdk.buildRequest(request))).toEqual(sent(await theirs(sdk, request)));
  });
});

test("a head is made once for the timeouts of a second", async () => {
  using made = spyOn(OpenAI.prototype, "buildRequest");
  const sdk = new EndpointOpenAI(KEYED);
  for (let timeout = 4_000; timeout < 5_000; timeout += 1) await sdk.buildRequest(post({ timeout, body: {} }));
  expect(made).toHaveBeenCalledTimes(1);
});

test("a request that has its head from an earlier one has nothing else of it", async () => {
  using made = spyOn(OpenAI.prototype, "buildRequest");
  const sdk = new EndpointOpenAI(KEYED);
  const { signal } = new AbortController();
  const first = { body: { secret: "first" }, signal, fetchOptions: { redirect: "manual" } } as const;
  await sdk.buildRequest(post({ timeout: 1_000, ...first }));
  const { req } = await sdk.buildRequest(post({ timeout: 1_000, body: {} }));
  expect(made).toHaveBeenCalledTimes(1);
  expect([req.body, req.signal ?? null, req.redirect]).toEqual(["{}", null, undefined]);
});
