import { expect, test } from "bun:test";
import { testServices } from "../harness.ts";
import { againstScript, runText, serveAnswers } from "./served-answer.ts";

const served = (url: string, more = "") => againstScript(`{id: app, endpoint: {url: "${url}"${more}}}`);

test("a deployed program is an arm: it is asked once, and its answer is the work", async () => {
  await using server = serveAnswers(() =>
    Response.json({ answer: "all good", usage: { tokens_in: 3, tokens_out: 2 } }),
  );
  const { verdict, arms, failure } = await runText(served(server.url));
  expect(failure).toBeNull();
  expect(verdict).toMatchObject({ outcome: "winner", winner: "app" });
  expect(arms[0]).toMatchObject({
    ...{ model: "endpoint/app", status: "finished", stop_reason: "final_answer", final_answer: "all good" },
    ...{ turns: 1, tokens_in: 3, tokens_out: 2, cost_usd: null },
  });
  expect(server.asked.map(({ body }) => body)).toEqual([
    {
      ...{ protocol: "abeval/answer/1", scenario: "served", input: null, trial: 1, seed: expect.any(String) },
      ...{ messages: [{ role: "user", text: "Say something good." }], follow_up: 0 },
    },
  ]);
});

test("plain text is an answer, too; an object in JSON is read by its fields alone", async () => {
  await using server = serveAnswers(
    () => new Response('{"answer": "good"} as text', { headers: { "content-type": "text/plain" } }),
  );
  const { arms } = await runText(served(server.url));
  expect(arms[0].final_answer).toBe('{"answer": "good"} as text');
});

test("each follow-up is sent with all that was said before, under a key of its own", async () => {
  await using server = serveAnswers((_, nth) => Response.json({ answer: `good ${nth}`, usage: { cost_usd: 0.5 } }));
  const text = againstScript(
    `{id: app, endpoint: {url: "${server.url}"}}`,
    "",
    "  messages: [{role: user, text: Hi}, {role: assistant, text: Hello}]\n  follow_ups: [And now?]\n",
  ).replace("script: [{say: fine}]", "script: [{say: fine}, {say: fine}]");
  const { arms } = await runText(text);
  expect(arms[0]).toMatchObject({ answers: ["good 1", "good 2"], turns: 2, cost_usd: 1 });
  const said = ["Hi", "Hello", "Say something good.", "good 1", "And now?"];
  const sent = server.asked.map(({ body }) => body as { follow_up: number; messages: { text: string }[] });
  expect(sent.map(({ follow_up }) => follow_up)).toEqual([0, 1]);
  expect(sent.map(({ messages }) => messages.map((message) => message.text))).toEqual([said.slice(0, 3), said]);
  const keys = server.asked.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(2);
});

test("steps are decisions, so that a check of calls sees them", async () => {
  const steps = [
    { kind: "model_turn", output: "I look." },
    { kind: "tool_call", name: "search", input: { query: "x" }, output: { found: 2 }, ok: true },
    { kind: "tool_call", name: "search", input: { query: "y" }, output: "none", ok: false },
  ];
  await using server = serveAnswers(() => Response.json({ answer: "good", steps, stop: "stop", version: "7" }));
  const called = "      - {id: looked, called: {tool: search, min: 1}}\n";
  const { arms, decisions } = await runText(served(server.url).replace("arms:\n", `${called}arms:\n`));
  expect(arms[0]).toMatchObject({ turns: 2, tool_calls: 2, model_served: "7", final_answer: "good" });
  expect(arms[0].probe?.checks.map(({ id, status }) => [id, status])).toEqual([
    ["good", "pass"],
    ["looked", "pass"],
  ]);
  expect(decisions["app"]?.map(({ kind }) => kind)).toEqual([
    ...(["model_turn", "tool_call", "tool_call", "model_turn", "final_answer"] as const),
  ]);
});

const TABLE = "inputs:\n  - {id: one, question: Where?, wanted: good, hint: soon}\n";
const table = (arm: string) =>
  `${againstScript(arm).replace("good, required", '"{{wanted}}", required').replace("something good", "{{question}}")}${TABLE}`;

test("what a check reads is never sent, unless the scenario says so", async () => {
  await using server = serveAnswers(() => Response.json({ answer: "good" }));
  await runText(table(`{id: app, endpoint: {url: "${server.url}"}}`));
  await runText(table(`{id: app, endpoint: {url: "${server.url}", send: [wanted]}}`));
  expect(server.asked.map(({ body }) => body["input"])).toEqual([
    { id: "one", values: { id: "one", question: "Where?", hint: "soon" } },
    { id: "one", values: { wanted: "good" } },
  ]);
});

test("beside a command or a posted check, which may read any column, those alone are sent that the task shows", async () => {
  await using server = serveAnswers(() => Response.json({ answer: "good" }));
  const text = table(`{id: app, endpoint: {url: "${server.url}"}}`);
  await runText(text.replace("arms:\n", '      - {id: run, run: "true"}\narms:\n'));
  const posted = `      - {id: posted, posted: {url: "${server.url}"}}\narms:\n`;
  await runText(text.replace("arms:\n", posted));
  const values = server.asked.flatMap(({ body }) => (body["protocol"] === "abeval/answer/1" ? [body["input"]] : []));
  expect(values).toEqual(Array(2).fill({ id: "one", values: { question: "Where?" } }));
});

interface Fault {
  readonly answer: () => Response;
  readonly stop_reason: string;
  readonly words: string;
}

const json = (value: unknown, init?: ResponseInit) => () => Response.json(value, init);

const FAULTS: Readonly<Record<string, Fault>> = {
  "an error of its own": {
    answer: () => new Response("boom", { status: 500 }),
    stop_reason: "endpoint_failed",
    words: "it answered 500: boom",
  },
  "what it does not implement": {
    answer: () => new Response(null, { status: 501 }),
    stop_reason: "endpoint_failed",
    words: "it answered 501",
  },
  "a wrong request": {
    answer: () => new Response(null, { status: 404 }),
    stop_reason: "endpoint_failed",
    words: "it answered 404",
  },
  "a redirect to where credentials are": {
    answer: () =>
      new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" } }),
    ...{ stop_reason: "endpoint_failed", words: "it answered 302, a redirect, which is not followed" },
  },
  "no JSON": {
    answer: () => new Response("{no", { headers: { "content-type": "application/json" } }),
    ...{ stop_reason: "wrong_answer_shape", words: "its reply is no valid JSON" },
  },
  "no answer": {
    answer: json({ text: "good" }),
    stop_reason: "wrong_answer_shape",
    words: "answer: missing; expected text",
  },
  "an answer that is no text": {
    answer: json({ answer: 7 }),
    stop_reason: "wrong_answer_shape",
    words: "answer: expected text, got 7",
  },
  "a wrong step": {
    answer: json({ answer: "good", steps: [{ name: "a" }, { name: "b", ok: "yes" }] }),
    ...{ stop_reason: "wrong_answer_shape", words: 'steps[1].ok: expected true or false, got "yes"' },
  },
  "too many steps": {
    answer: json({ answer: "good", steps: Array.from({ length: 2_001 }, () => ({ name: "a" })) }),
    ...{ stop_reason: "wrong_answer_shape", words: "steps: expected at most 2000, found 2001" },
  },
  "too much": {
    answer: () => new Response("a".repeat(5 * 1024 * 1024)),
    ...{ stop_reason: "wrong_answer_shape", words: "its reply has more than 4194304 bytes" },
  },
  "deep JSON": {
    answer: () =>
      new Response(`{"answer": "good", "more": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`, {
        headers: { "content-type": "application/json" },
      }),
    ...{ stop_reason: "wrong_answer_shape", words: "its reply has 100003 values, at most 100000 are read" },
  },
  "JSON of many levels": {
    answer: () =>
      new Response(`{"answer": "good", "more": ${"[".repeat(1_000)}${"]".repeat(1_000)}}`, {
        headers: { "content-type": "application/json" },
      }),
    ...{ stop_reason: "wrong_answer_shape", words: "its reply has 1001 levels of nesting, at most 64 are read" },
  },
};

for (const [what, { answer, stop_reason, words }] of Object.entries(FAULTS))
  test(`${what} is the arm's own failure, told in words`, async () => {
    await using server = serveAnswers(answer);
    const { arms, decisions, verdict } = await runText(served(server.url).replace("fine", "good"));
    expect(arms[0]).toMatchObject({ status: "finished", stop_reason, final_answer: null });
    expect(decisions["app"]?.map(({ summary }) => summary)).toEqual([words]);
    expect(server.asked.length).toBe(1);
    expect(verdict).toMatchObject({ outcome: "winner", winner: "script" });
  });

test("a platform that never comes through is asked six times under one key, and then the run is nobody's", async () => {
  await using server = serveAnswers(() => new Response("later", { status: 429, headers: { "retry-after": "0" } }));
  const { failure, verdict } = await runText(served(server.url));
  expect(verdict).toBeNull();
  expect(failure).toMatchObject({ code: "provider_failed", class: "infra" });
  expect(failure?.message).toBe(`arm "app": its endpoint at ${new URL(server.url).host} answered 429 (6 tries)`);
  expect(server.asked.length).toBe(6);
  expect(new Set(server.asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
});

test("a gateway that comes back costs the arm nothing", async () => {
  await using server = serveAnswers((_, nth) =>
    nth < 4 ? new Response(null, { status: 501 + nth }) : Response.json({ answer: "good" }),
  );
  const { arms, decisions } = await runText(served(server.url));
  expect(arms[0].final_answer).toBe("good");
  const tried = decisions["app"]?.flatMap(({ kind, detail }) => (kind === "provider_retry" ? [detail?.status] : []));
  expect(tried).toEqual([502, 503, 504]);
});

test("a connection that is cut in the middle, or refused, is tried again, and then nobody's", async () => {
  let connections = 0;
  const cut = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data: (socket) => {
        connections += 1;
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{");
        socket.end();
      },
    },
  });
  const url = `http://127.0.0.1:${cut.port}/`;
  const first = await runText(served(url));
  expect(first.failure?.message).toEndWith("cut the connection (6 tries)");
  expect(connections).toBe(6);
  cut.stop(true);
  const second = await runText(served(url));
  expect(second.failure?.message).toEndWith("refused the connection (6 tries)");
});

test("an endpoint that hangs has its seconds, and no more", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await using server = serveAnswers(() => promise);
  const { arms, verdict } = await runText(`${served(server.url)}policies: {budget: {max_seconds: 0.2}}\n`);
  resolve(new Response("late"));
  expect(arms[0]).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
  expect(verdict).not.toBeNull();
});

test("a header comes from the environment alone, and its value stands nowhere", async () => {
  const services = testServices({ ABEVAL_ENDPOINT_TOKEN: "Bearer abcdefgh12345678" });
  await using server = serveAnswers(({ headers }) => Response.json({ answer: `good ${headers["authorization"]}` }));
  const outcome = await runText(served(server.url, ", headers_env: {authorization: ABEVAL_ENDPOINT_TOKEN}"), services);
  expect(server.asked[0]?.headers["authorization"]).toBe("Bearer abcdefgh12345678");
  expect(outcome.arms[0].final_answer).toBe("good [redacted]");
  expect(JSON.stringify(outcome)).not.toContain("abcdefgh12345678");
});

test("a secret that a refusal repeats stands nowhere, however long it is", async () => {
  const secret = "Qx7Zk2".repeat(40);
  const services = testServices({ ABEVAL_ENDPOINT_TOKEN: secret });
  const arm = (url: string) => served(url, ", headers_env: {x-token: ABEVAL_ENDPOINT_TOKEN}");
  for (const reply of [
    () => new Response(`bad token ${secret}`, { status: 401 }),
    () => Response.json({ answer: "good", usage: secret }),
  ]) {
    await using server = serveAnswers(reply);
    const outcome = await runText(arm(server.url), services);
    expect(outcome.arms[0].stop_reason).toMatch(/^(endpoint_failed|wrong_answer_shape)$/);
    expect(JSON.stringify(outcome)).not.toContain(secret.slice(0, 24));
  }
});

test("an endpoint that would speak another protocol ends its arm, and holds nobody up", async () => {
  using server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data: (socket) => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
      },
    },
  });
  const { arms, decisions } = await runText(served(`http://127.0.0.1:${server.port}/answer`));
  expect(arms[0].stop_reason).toBe("endpoint_failed");
  expect(decisions["app"]?.map(({ summary }) => summary)).toEqual(["it answered 101, another protocol"]);
});
