import { expect, test } from "bun:test";
import type { CallOptions } from "../../src/arms/model/client.ts";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { modelResolver } from "../../src/arms/model/resolve-model.ts";
import { upstreams } from "../../src/arms/model/upstream.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { REQUEST } from "./asking.ts";

const KEY = "sk-never-to-be-carried-on-1234";

test("an agent's request does not follow a redirect: it could carry the key to another host", async () => {
  const carried: (string | null)[] = [];
  await using other = Bun.serve({
    port: 0,
    fetch: ({ headers }) => {
      carried.push(headers.get("authorization"));
      return Response.json({ choices: [] });
    },
  });
  await using provider = Bun.serve({ port: 0, fetch: () => Response.redirect(String(other.url), 307) });
  const credentials = new Credentials({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: String(provider.url) });
  const open = upstreams({ credentials, clock: systemClock, limiter: new Semaphore(1) });
  const request = { method: "POST", path: "/chat/completions", headers: {}, body: "{}", aside: false } as const;
  const take = { reply: async () => "a reply", refused: async () => "a refusal" };
  const sent = open("openai/gpt-x", "chat").send(request, take, { signal: new AbortController().signal });
  expect(await sent.catch(({ message }: Error) => message)).toBe(
    "openai answered 307, a redirect. Put the final address into OPENAI_BASE_URL.",
  );
  expect(carried).toEqual([]);
});

test("an agent that asks for everything at once does not keep the other arm's model from answering", async () => {
  const answered = Promise.withResolvers<void>();
  await using provider = Bun.serve({
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      if (((await request.json()) as { model: string }).model === "greedy") await answered.promise;
      return Response.json({ choices: [{ message: { content: "Done." }, finish_reason: "stop" }] });
    },
  });
  const credentials = new Credentials({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${provider.url}v1` });
  const sources = { credentials, clock: systemClock, limiter: new Semaphore(4, undefined, 2) };
  const { signal } = new AbortController();
  const greedy = upstreams(sources)("openai/greedy", "chat");
  const body = JSON.stringify({ model: "greedy" });
  const request = { method: "POST", path: "/chat/completions", headers: {}, body, aside: false } as const;
  const take = { reply: async () => "a reply", refused: async () => "a refusal" };
  const flood = Array.from({ length: 50 }, () => greedy.send(request, take, { signal }));
  const reply = await modelResolver(sources)("openai/modest", null).complete(REQUEST, { signal });
  answered.resolve();
  expect(reply.text).toBe("Done.");
  expect(new Set(await Promise.all(flood))).toEqual(new Set(["a reply"]));
});

test("whoever asks hears that no place is free for it, and how long it waited", async () => {
  await using provider = Bun.serve({
    port: 0,
    fetch: () => Response.json({ choices: [{ message: { content: "Done." }, finish_reason: "stop" }] }),
  });
  let now = 0;
  const clock = { now: () => new Date(0), ticks: () => now };
  const credentials = new Credentials({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${provider.url}v1` });
  const sources = { credentials, clock, limiter: new Semaphore(1) };
  const { signal } = new AbortController();
  const request = { method: "POST", path: "/chat/completions", headers: {}, body: "{}", aside: false } as const;
  const take = { reply: async () => "a reply", refused: async () => "a refusal" };
  const asked = [
    (options: CallOptions) => upstreams(sources)("openai/m", "chat").send(request, take, options),
    (options: CallOptions) => modelResolver(sources)("openai/m", null).complete(REQUEST, options),
  ];
  for (const ask of asked) {
    const heard: unknown[] = [];
    const place = await sources.limiter.acquire(signal);
    const asker = { outside: (isOutside: boolean) => void heard.push(isOutside) };
    const reply = ask({ signal, asker, onPlaced: (waited_ms) => void heard.push(waited_ms) });
    while (sources.limiter.waiting === 0) await Promise.resolve();
    now += 10_000;
    place[Symbol.dispose]();
    await reply;
    expect(heard).toEqual([true, false, 10_000]);
  }
});
