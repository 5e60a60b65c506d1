import { expect, test } from "bun:test";
import { OpenAI } from "openai";
import { EndpointOpenAI } from "../../src/model/openai-sdk.ts";
import { Secret } from "../../src/model/secret.ts";

type Request = Awaited<ReturnType<OpenAI["buildRequest"]>>;
type Options = Parameters<OpenAI["buildRequest"]>[0];

const KEYED = { base_url: "http://127.0.0.1:1/v1/", key: new Secret("key-0123456789") };

const post = (rest: Partial<Options>): Options => ({ method: "post", path: "/chat/completions", ...rest });

const sent = ({ url, timeout, req }: Request) => ({
  url,
  timeout,
  method: req.method,
  headers: [...req.headers],
  body: req.body,
  signal: req.signal,
  redirect: req.redirect,
});

test.each([
  ["a key", KEYED],
  ["none", { ...KEYED, key: null }],
])("each request with %s is the one that the SDK would make", async (_, endpoint) => {
  const sdk = new EndpointOpenAI(endpoint);
  const { signal } = new AbortController();
  // Twice: the first of each makes the head that the second has.
  for (const text of ["first", "second"])
    for (const retryCount of [0, 1, 2])
      for (const timeout of [300_000, 4_999, 1]) {
        const options = post({ body: { text }, timeout, signal, fetchOptions: { redirect: "manual" } });
        const [ours, theirs] = [
          await sdk.buildRequest({ ...options }, { retryCount }),
          await OpenAI.prototype.buildRequest.call(sdk, { ...options }, { retryCount }),
        ];
        expect(sent(ours)).toEqual(sent(theirs));
        expect(ours.req.signal).toBe(signal);
        expect(ours.req.headers.get("authorization")).toBe(endpoint.key === null ? null : "Bearer key-0123456789");
      }
});

test("a request that has only its head from an earlier one keeps nothing else of it", async () => {
  const sdk = new EndpointOpenAI(KEYED);
  const { signal } = new AbortController();
  await sdk.buildRequest(post({ body: { secret: "first" }, signal, fetchOptions: { redirect: "manual" } }));
  const { req } = await sdk.buildRequest(post({ body: {} }));
  expect([req.body, req.signal ?? null, req.redirect]).toEqual(["{}", null, undefined]);
});
