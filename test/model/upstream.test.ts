import { expect, test } from "bun:test";
import { systemClock } from "../../src/clock.ts";
import { Credentials } from "../../src/model/credentials.ts";
import { upstreams } from "../../src/model/upstream.ts";
import { Semaphore } from "../../src/semaphore.ts";

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
