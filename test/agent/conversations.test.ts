import { expect, test } from "bun:test";
import { Conversations, ReplyFinder, type ReplyItems } from "../../src/arms/agent/proxy/conversations.ts";
import { asRecords, type LooseRecord } from "../../src/domain/lenient.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { SANDBOX } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { turnsDuring, until } from "../turns.ts";
import { atOnce } from "../wire/streams.ts";
import { kindsOf, runAgent } from "./plain-agent.ts";
import { responsesAgent, responsesModule } from "./responses-agent.ts";

const ANY_ROOM = () => null;

const testAgent = testNeeding(SANDBOX);

const shell = (command: string) => ({ name: "shell", input: { command } });
const TURNS = [
  { thinking: "Look first.", text: "I look.", calls: [shell("cat a.txt")] },
  { thinking: "Now write.", calls: [shell("echo two > a.txt; cat a.txt"), shell("echo done")] },
  { text: "It is two now." },
];
const playing = () => startFakeProvider({ reply: playAgent([{ knownBy: "Make it two", turns: TURNS }]) });

for (const keeping of ["previous_response_id", "item_reference", "whole"] as const)
  for (const stream of [true, false])
    testAgent(
      `an agent that keeps its conversation by ${keeping}${stream ? ", streamed," : ""} works as with its provider`,
      async () => {
        await using fake = await playing();
        const run = await runAgent(fake, { agent: responsesAgent(keeping, stream) });
        expect(run.summary).toMatchObject({ stop_reason: "final_answer", turns: 3, tool_calls: 3 });
        expect(run.summary.final_answer).toBe("It is two now.");
        const kinds = ["model_turn", "tool_call", "model_turn", "tool_call", "tool_call", "model_turn", "final_answer"];
        expect(kindsOf(run)).toEqual(kinds as ReturnType<typeof kindsOf>);
        const calls = run.decisions.filter(({ kind }) => kind === "tool_call").map(({ detail }) => detail);
        expect(calls.map((detail) => (detail && "output" in detail ? detail.output : null))).toEqual([
          "one\n",
          "two\n",
          "done\n",
        ]);
        expect(run.outcome.verdict).toMatchObject({ outcome: "winner", winner: "agent" });
        const sent = fake.requests.map(({ body }) => body);
        expect(sent.map(({ store, previous_response_id }) => [store, previous_response_id])).toEqual(
          sent.map(() => [false, undefined]),
        );
        const types = sent.map(({ input }) => asRecords(input).map(({ type, role }) => type ?? role));
        const turn = ["reasoning", "message", "function_call", "function_call_output"];
        const next = ["reasoning", "function_call", "function_call", "function_call_output", "function_call_output"];
        expect(types).toEqual([["user"], ["user", ...turn], ["user", ...turn, ...next]]);
      },
    );

const UNSUPPORTED = [
  ["a response of nobody", `await ask({ input: "x", previous_response_id: "resp_x" });`, "previous_response_id"],
  ["an item of nobody", `await ask({ input: [{ type: "item_reference", id: "rs_x" }] });`, 'item_reference "rs_x"'],
  ["a conversation", `await ask({ input: "x", conversation: "conv_1" });`, "conversation"],
  ["a prompt of the provider", `await ask({ prompt: { id: "pmpt_1" } });`, "prompt"],
  ["a reply that is fetched later", `await ask({ input: "x", background: true });`, "background"],
  ["a new conversation", `await send("/conversations", {});`, "POST /conversations"],
  ["an old response", `await send("/responses/resp_1");`, "GET /responses/resp_1"],
  [
    "a count of what nobody said",
    `await send("/responses/input_tokens", { input: "x", previous_response_id: "resp_x" });`,
    "previous_response_id",
  ],
] as const;

for (const [what, module, named] of UNSUPPORTED)
  testAgent(`an agent that asks for ${what} ends the session, and its arm does not lose by it`, async () => {
    await using fake = await playing();
    const { outcome } = await runAgent(fake, { agent: responsesModule(module) });
    expect(outcome).toMatchObject({
      state: "failed",
      verdict: null,
      failure: { class: "user", code: "unsupported_request", retryable: false },
    });
    expect(outcome.failure?.message).toStartWith('arm "agent": its agent asked for what abeval does not serve: ');
    expect(outcome.failure?.message).toContain(named);
    expect(fake.requests).toEqual([]);
  });

testAgent("requests that rest on a long conversation take its room, though they are short", async () => {
  // The second and all after it wait until the agent lists the models, and it does so when two requests were refused.
  await using fake = await startFakeProvider({
    reply: async ({ index }) => {
      if (index > 0) await until(() => fake.visits.length > 0);
      return { text: "Read." };
    },
  });
  const run = await runAgent(fake, {
    policies: "{budget: {max_seconds: 30, max_tokens: 1000000000}}",
    agent: responsesModule(`
      const { id } = await ask({ input: "x".repeat(7_000_000) });
      const refused = Promise.withResolvers();
      let said = "";
      const further = async (n) => {
        const response = await send("/responses", { model: "m", tools, input: "more " + n, previous_response_id: id });
        if (response.status === 429) said += (await response.json()).error.message + ";";
        if (said.split(";").length === 3) refused.resolve();
      };
      const all = Promise.all(Array.from({ length: 11 }, (_, n) => further(n)));
      await refused.promise;
      await send("/models");
      await all;
      await ask({ input: said });`),
  });
  const said = fake.requests.map(({ body }) => body["input"]).at(-1);
  expect(fake.requests).toHaveLength(11);
  expect(said).toMatch(
    /^the request has 7\d{6} bytes, and requests that wait beside it, or other agents, fill the 67108864 that are held/,
  );
  expect(run.summary).toMatchObject({ status: "finished", turns: 11 });
});

/** Says something to a conversation, as a provider would that keeps it. */
async function say(conversations: Conversations, body: LooseRecord, id: string, text = id): Promise<LooseRecord> {
  const whole = await conversations.whole(body, ANY_ROOM);
  if (!("body" in whole)) throw new Error(JSON.stringify(whole));
  whole.keep?.({ id, output: [{ id: `msg_${id}`, role: "assistant", content: text }] });
  return whole.body;
}

const after = (id: string, ...input: readonly unknown[]) => ({ input, previous_response_id: id });

test("a conversation branches: each goes on from the response that it names", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "Begin." }, "a");
  await say(conversations, after("a", { role: "user", content: "left" }), "left");
  await say(conversations, after("a", { role: "user", content: "right" }), "right");
  const said = async (id: string) =>
    asRecords((await say(conversations, after(id), `then ${id}`))["input"]).map(({ content }) => content);
  expect(await said("left")).toEqual(["Begin.", "a", "left", "left"]);
  expect(await said("right")).toEqual(["Begin.", "a", "right", "right"]);
});

test("ids that a gateway gives out twice name the last one, and nothing goes round in circles", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "one" }, "same", "first");
  const body = await say(conversations, after("same", { role: "user", content: "two" }), "same", "second");
  expect(asRecords(body["input"]).map(({ content }) => content)).toEqual(["one", "first", "two"]);
  const last = await say(conversations, after("same"), "same", "third");
  expect(asRecords(last["input"]).map(({ content }) => content)).toEqual(["one", "first", "two", "second"]);
});

test("what the agent does not have kept cannot be named", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "one", store: false }, "a");
  expect(await conversations.whole(after("a"), ANY_ROOM)).toMatchObject({
    unknown: expect.stringContaining("previous_response_id"),
  });
  expect(await conversations.whole({ input: [{ id: "msg_a" }] }, ANY_ROOM)).toMatchObject({
    unknown: expect.stringContaining("msg_a"),
  });
});

test("reasoning that an agent sends back without its content is sent as it came", async () => {
  const conversations = new Conversations();
  const whole = await conversations.whole({ input: "one" }, ANY_ROOM);
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
  if ("body" in whole) whole.keep?.({ id: "a", output: [reasoning] });
  const stripped = { type: "reasoning", id: "rs_1", summary: [] };
  expect(await conversations.whole({ input: [stripped] }, ANY_ROOM)).toMatchObject({ body: { input: [reasoning] } });
});

test("what was used longest ago is forgotten first, and what still goes on is not", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "Begin." }, "main");
  const large = "x".repeat(1_000_000);
  for (let nth = 0; nth < 50; nth += 1) {
    await say(conversations, { input: large }, `side ${nth}`);
    expect(await conversations.whole(after("main"), ANY_ROOM)).toHaveProperty("body");
  }
  expect(await conversations.whole(after("side 49"), ANY_ROOM)).toHaveProperty("body");
  expect(await conversations.whole(after("side 0"), ANY_ROOM)).toMatchObject({
    unknown: expect.stringContaining("up to 33554432 bytes"),
  });
});

test("a response whose beginning is forgotten is refused", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "one" }, "a");
  await say(conversations, after("a"), "b");
  for (let nth = 0; nth < 1_999; nth += 1) await say(conversations, { input: `${nth}` }, `r${nth}`);
  expect(await conversations.whole(after("b"), ANY_ROOM)).toHaveProperty("unknown");
  expect(await conversations.whole(after("r0"), ANY_ROOM)).toHaveProperty("body");
});

test("others have their turn while a large conversation is put together", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "x".repeat(7_000_000) }, "a");
  // Joined, encoded, counted in 27 slices, read.
  expect(await turnsDuring(() => conversations.whole(after("a"), ANY_ROOM))).toBeGreaterThan(10);
});

test("references that would make a small request a huge one are refused before it is built", async () => {
  const conversations = new Conversations();
  await say(conversations, { input: "one" }, "a", "x".repeat(1_000_000));
  const input = new Array(100_000).fill({ type: "item_reference", id: "msg_a" });
  expect(await conversations.whole({ input }, ANY_ROOM)).toMatchObject({
    refused: { status: 413, message: expect.stringContaining("characters, at most") },
  });
});

const ITEM = { type: "message", id: "msg_1", role: "assistant", content: [] };
const found = (...pieces: readonly string[]) => {
  const replies: unknown[] = [];
  const finder = new ReplyFinder((reply) => replies.push(reply));
  for (const piece of pieces) atOnce(finder.push(Buffer.from(piece)));
  return replies;
};
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

test("a gateway's stream that does not repeat its items at the end is kept with them", () => {
  const done = event({ type: "response.output_item.done", item: ITEM });
  const completed = event({ type: "response.completed", response: { id: "resp_1", output: [] } });
  expect(found(done, completed)).toEqual([{ id: "resp_1", output: [ITEM] }]);
});

test("replies that are none are kept by nobody", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(found("{", "[1]", event({ type: "response.completed" }), event(null), `{"id":"x","output":${deep}}`)).toEqual(
    [],
  );
  expect(found(`{"id":7,"output":[]}`, event({ type: "response.failed", response: { id: "a" } }))).toEqual([]);
});

test("a reply of megabytes is looked at in many steps", () => {
  const replies: ReplyItems[] = [];
  const finder = new ReplyFinder((reply) => replies.push(reply));
  const output = [{ ...ITEM, text: "x".repeat(7_000_000) }];
  const bytes = Buffer.from(event({ type: "response.completed", response: { id: "resp_1", output } }));
  expect([...finder.push(bytes)].length).toBeGreaterThan(10);
  expect(replies).toEqual([{ id: "resp_1", output }]);
});
