import { expect } from "bun:test";
import { Credentials } from "../../src/arms/model/credentials.ts";
import { upstreams } from "../../src/arms/model/upstream.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { Semaphore } from "../../src/runtime/semaphore.ts";
import { FAKE_KEY, startFakeProvider } from "../fake-provider/fake-provider.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { ASKS_ONCE, holdsKey, runAgent, shellAgent } from "./plain-agent.ts";

const testAgent = testNeeding(SANDBOX);

const agentOf = (module: string) => shellAgent("bun /home/agent/agent.mjs", `${ASKS_ONCE}${module}`);

testAgent("a provider that quotes its key in a refusal or a reply does not tell it to the agent", async () => {
  const echo = { body: "", echo: true, headers: { "request-id": FAKE_KEY } } as const;
  await using fake = await startFakeProvider({
    plan: [{ status: 400, ...echo }, { status: 200, ...echo }, { text: `It is ${FAKE_KEY}.` }],
  });
  const run = await runAgent(fake, {
    agent: agentOf(`
      let said = "";
      for (let i = 0; i < 3; i += 1) {
        const reply = await ask();
        said += JSON.stringify([...reply.headers]) + await reply.text();
      }
      body.messages[0].content = said;
      await Bun.write("/workspace/said.txt", said);
      await ask();`),
  });
  expect(fake.requests).toHaveLength(4);
  expect(holdsKey(fake.requests[3]?.body)).toBe(false);
  expect(holdsKey(run.outcome)).toBe(false);
});

testAgent("a key that comes in two pieces of a list of models is not told either", async () => {
  await using fake = await startFakeProvider();
  const listed = () => new Response(inPieces("data: ", FAKE_KEY.slice(0, 9), FAKE_KEY.slice(9), "\n\n"), STREAMED);
  const openUpstream = upstreams({
    ...{ credentials: new Credentials(fake.environment), clock: systemClock, limiter: new Semaphore(16) },
    fetch: async (address, init) => (init?.method === "GET" ? listed() : await fetch(address, init)),
  });
  await runAgent(fake, {
    services: { openUpstream },
    agent: agentOf(`
      const listed = await fetch(process.env.OPENAI_BASE_URL + "/models", { headers });
      body.messages[0].content = "listed " + await listed.text();
      await ask();`),
  });
  const said = JSON.stringify(fake.requests[0]?.messages);
  expect(said).toContain("listed data: [redacted]");
  expect(holdsKey(said)).toBe(false);
});

const STREAMED = { headers: { "content-type": "text/event-stream" } };

/** A stream that gives each piece when the one before was taken. */
function inPieces(...pieces: readonly string[]): ReadableStream<Uint8Array> {
  const left = pieces.map((piece) => Buffer.from(piece));
  return new ReadableStream({
    pull: (controller) => {
      const next = left.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
}

testAgent("an address of another provider's wire is none of the arm's", async () => {
  await using fake = await startFakeProvider();
  const run = await runAgent(fake, {
    agent: agentOf(`
      const other = await fetch("http://127.0.0.1:4010/anthropic/v1/messages", { method: "POST", headers, body: "{}" });
      body.messages[0].content = "status " + other.status;
      await ask();`),
  });
  expect(fake.requests).toHaveLength(1);
  expect(fake.visits).toEqual([]);
  expect(JSON.stringify(fake.requests[0]?.messages)).toContain("status 404");
  expect(run.summary).toMatchObject({ status: "finished", stop_reason: "final_answer" });
});

testAgent("an agent reads that a reply was none, and may ask again", async () => {
  const none = { status: 200, body: "{choices: [{message: {tool_calls: []}}],}" };
  await using fake = await startFakeProvider({ plan: [none, { text: "Done." }] });
  const run = await runAgent(fake, {
    agent: agentOf(`
      const reply = await ask();
      body.messages[0].content = [reply.status, reply.headers.get("x-should-retry"), await reply.text()].join(" ");
      await ask();`),
  });
  const said = JSON.stringify(fake.requests[1]?.messages);
  expect(said).toContain("502 true");
  expect(said).toContain("the reply is neither JSON nor a stream of events");
  expect(run.decisions[0]?.summary).toContain("the reply is neither JSON nor a stream of events");
  expect(run.summary).toMatchObject({ status: "finished", turns: 2 });
});

testAgent("an agent that is refused again and again does not fill the log", async () => {
  await using fake = await startFakeProvider({ reply: { refuse: 400 } });
  const run = await runAgent(fake, { agent: agentOf("for (let i = 0; i < 300; i += 1) await ask();") });
  expect(run.decisions.length).toBeLessThan(100);
  expect(run.summary.status).toBe("finished");
});

testAgent("an agent whose request is too large reads why, and so does whoever reads its log", async () => {
  await using fake = await startFakeProvider();
  const run = await runAgent(fake, {
    agent: agentOf(`
      const text = body.messages[0].content;
      body.messages[0].content = "x".repeat(9_000_000);
      const reply = await ask();
      body.messages[0].content = text + " " + reply.status + " " + (await reply.json()).error.message;
      await ask();`),
  });
  const message =
    "the request has 9000113 bytes, at most 8388608 are read: shorten the conversation, or send fewer files and images";
  expect(fake.requests).toHaveLength(1);
  expect(JSON.stringify(fake.requests[0]?.messages)).toContain(`hello 413 ${message}`);
  expect(run.decisions[0]).toMatchObject({
    kind: "error",
    detail: { class: "agent", code: "refused_request", message },
  });
  expect(run.summary).toMatchObject({ status: "finished", turns: 1 });
});
