import { expect, test } from "bun:test";
import { endpointHeaders } from "../../src/arms/endpoint/endpoint.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { CANCELLED } from "../../src/comparison/session/cancel.ts";
import { testServices } from "../harness.ts";
import { againstScript, runText, serveAnswers } from "./served-answer.ts";

/** An arm that says "good" and one that says "bad", whose answers are posted to a check. */
const checkedBy = (url: string, more = "", posted = "") => `name: served
task:
  prompt: Say something good.
  probe:
    checks:
      - {id: polite, posted: {url: "${url}"${posted}}${more}}
arms:
  - {id: good, model: scripted/x, script: [{say: good}]}
  - {id: bad, model: scripted/x, script: [{say: bad}]}
rubric:
  criteria: [{measure: probe_score}]
  judge: {model: builtin/evidence}
`;

const isGood = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => body["answer"] === "good";

async function checksOf(text: string, services?: SessionServices) {
  const outcome = await runText(text, services);
  expect(outcome.failure).toBeNull();
  const [a, b] = outcome.arms.map(({ probe }) => probe?.checks[0]);
  return { a, b, outcome, verdict: outcome.verdict };
}

test("what an arm left is posted, and the reply decides, with its reason", async () => {
  await using server = serveAnswers((asked) =>
    Response.json({ pass: isGood(asked), why: isGood(asked) ? "it is polite" : "it is rude" }),
  );
  const { a, b, verdict } = await checksOf(checkedBy(server.url, ", required: true"));
  expect(a).toMatchObject({ status: "pass", reason: null, why: "it is polite" });
  expect(b).toMatchObject({ status: "fail", reason: "did not pass", why: "it is rude" });
  expect(verdict).toMatchObject({ outcome: "winner", winner: "good", decided_by: "probe" });
  const asked = { protocol: "abeval/check/1", check: "polite", input: null, steps: [], change: "" };
  expect(server.asked.map(({ body }) => body).sort((one) => (one["answer"] === "good" ? -1 : 1))).toEqual([
    { ...asked, answer: "good" },
    { ...asked, answer: "bad" },
  ]);
  expect(new Set(server.asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(2);
});

test("a row, calls and a change are posted as they are, and nothing says which arm it was", async () => {
  await using server = serveAnswers(() => Response.json({ pass: true }));
  const text = checkedBy(server.url)
    .replace("Say something good.", '"{{question}}"')
    .replace("[{say: good}]", "[{calls: [{write_file: {path: a.txt, content: hi}}]}, {say: good}]")
    .replace("model: scripted/x, script: [{calls", "model: scripted/x, tools: [write_file], script: [{calls");
  await runText(`${text}inputs:\n  - {id: one, question: Where?, wanted: here}\n`);
  const body = server.asked.map((one) => one.body).find(({ answer }) => answer === "good");
  expect(body).toMatchObject({
    input: { id: "one", values: { id: "one", question: "Where?", wanted: "here" } },
    steps: [{ kind: "tool_call", name: "write_file", input: '{"path":"a.txt","content":"hi"}', ok: true }],
  });
  expect(body?.["change"]).toContain("+++ b/a.txt");
  expect(JSON.stringify(body)).not.toMatch(/scripted|"arm/);
});

test("a number is a score, and by min_score a pass or a failure", async () => {
  await using server = serveAnswers((asked) => Response.json({ score: isGood(asked) ? 0.75 : 0.25, why: "so so" }));
  const alone = await checksOf(checkedBy(server.url, ", score: true"));
  expect(alone.a).toMatchObject({ status: "scored", score: 0.75, why: "so so" });
  expect(alone.outcome.arms[1].probe).toMatchObject({ score: 0.25, passed: 0, total: 0 });
  const least = await checksOf(checkedBy(server.url, ", score: true, min_score: .5, required: true"));
  expect(least.a).toMatchObject({ status: "pass", score: 0.75, min_score: 0.5 });
  expect(least.b).toMatchObject({ status: "fail", score: 0.25, reason: "0.25 is less than 0.5" });
  expect(least.verdict?.winner).toBe("good");
});

const json = (value: unknown, init?: ResponseInit) => () => Response.json(value, init);

/** What is no result, and in which words it is told behind the host. */
const FAULTS: Readonly<Record<string, readonly [reply: () => Response, words: string]>> = {
  "an error": [() => new Response("boom", { status: 500 }), ": it answered 500: boom"],
  "a redirect to where credentials are": [
    () => new Response(null, { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data/" } }),
    ": it answered 302, a redirect, which is not followed",
  ],
  "5 MB": [() => new Response("a".repeat(5_000_000)), ": its reply has more than 4194304 bytes"],
  "no JSON": [() => new Response("yes"), ": its reply is no valid JSON"],
  "JSON of another shape": [json({ passed: true }), ": pass: missing; expected true or false"],
  "a word for a truth": [json({ pass: "yes" }), ': pass: expected true or false, got "yes"'],
  "many levels": [
    () => new Response(`{"pass": true, "more": ${"[".repeat(1_000)}${"]".repeat(1_000)}}`),
    ": its reply has 1001 levels of nesting, at most 64 are read",
  ],
  "429 for ever": [
    () => new Response("later", { status: 429, headers: { "retry-after": "0" } }),
    " answered 429 (6 tries)",
  ],
};

for (const [what, [reply, words]] of Object.entries(FAULTS))
  test(`${what} is no result, and nobody's fault`, async () => {
    await using server = serveAnswers((asked, nth) => (isGood(asked) ? reply() : json({ pass: nth > 0 })()));
    const { a, b, verdict } = await checksOf(checkedBy(server.url, ", required: true"));
    const { host } = new URL(server.url);
    expect(a?.status).toBe("error");
    expect(a?.could_not_run).toEndWith(`${host}${words}`);
    expect(a?.reason).toBe(`could not be checked: ${a?.could_not_run}`);
    expect(b?.status).toBe("pass");
    expect(verdict).toMatchObject({ outcome: "invalid", winner: null });
    expect(verdict?.flags).toContain("check_could_not_run");
  });

test("a number out of range is no result, and scores nothing", async () => {
  await using server = serveAnswers(json({ score: 7 }));
  const { a } = await checksOf(checkedBy(server.url, ", score: true"));
  expect(a).toMatchObject({ status: "error", score: 0 });
  expect(a?.could_not_run).toEndWith(": score: expected a number from 0 to 1, got 7");
});

test("a program that hangs has the check's seconds, and is nobody's fault", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  await using server = serveAnswers(() => promise);
  const { a, verdict } = await checksOf(checkedBy(server.url, ", timeout_s: .2"));
  resolve(new Response("late"));
  expect(a?.could_not_run).toBe(`${new URL(server.url).host} gave no result within 0.2 s`);
  expect(verdict?.outcome).toBe("invalid");
});

test("a connection that closes in the middle is tried again, and then nobody's fault", async () => {
  using cut = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{");
        socket.end();
      },
    },
  });
  const { a, verdict } = await checksOf(checkedBy(`http://127.0.0.1:${cut.port}/`));
  expect(a?.could_not_run).toEndWith("cut the connection (6 tries)");
  expect(verdict?.outcome).toBe("invalid");
});

test("a check is cancelled with its run", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const asked = Promise.withResolvers<void>();
  await using server = serveAnswers(() => {
    asked.resolve();
    return promise;
  });
  const services = testServices();
  const running = runText(checkedBy(server.url), services);
  await asked.promise;
  for (const run of services.runs.all()) run.cancel(CANCELLED);
  expect((await running).state).toBe("cancelled");
  resolve(new Response("late"));
});

/** Services whose name server gives no answer, and what settles when it is asked. */
function withHangingLookup() {
  const asked = Promise.withResolvers<void>();
  const { endpoints } = testServices();
  const lookup = () => {
    asked.resolve();
    return new Promise<never>(() => undefined);
  };
  const services = testServices({}, { endpoints: { ...endpoints, rules: { ...endpoints.rules, lookup } } });
  return { services, asked: asked.promise };
}

test("a name server that hangs has the check's seconds, too", async () => {
  const { services } = withHangingLookup();
  const { a, verdict } = await checksOf(checkedBy("https://slow.example/check", ", timeout_s: .2"), services);
  expect(a?.could_not_run).toBe("slow.example gave no result within 0.2 s");
  expect(verdict?.outcome).toBe("invalid");
});

test.each([
  ["a check", checkedBy("https://slow.example/check")],
  ["an arm", againstScript('{id: app, endpoint: {url: "https://slow.example/"}}')],
])("%s is cancelled while a name server hangs", async (_who, text) => {
  const { services, asked } = withHangingLookup();
  const running = runText(text, services);
  await asked;
  for (const run of services.runs.all()) run.cancel(CANCELLED);
  expect((await running).state).toBe("cancelled");
});

test("an arm whose name server hangs has its seconds, and no more", async () => {
  const { services } = withHangingLookup();
  const app = '{id: app, endpoint: {url: "https://slow.example/"}, limits: {max_seconds: 1}}';
  const { arms } = await runText(againstScript(app), services);
  expect(arms[0]).toMatchObject({ status: "limit_reached", stop_reason: "budget:seconds" });
});

test("an address that may not be asked refuses the run before anybody is asked", async () => {
  const refused = async (url: string, services = testServices()) =>
    await runText(checkedBy(url), services).then(
      () => "nothing",
      (error: unknown) => String(error),
    );
  expect(await refused("http://169.254.169.254/latest")).toContain(
    'check "polite": its endpoint may not be asked: 169.254.169.254 is a link-local address',
  );
  expect(await refused("http://app.internal/check")).toContain("http sends the request in clear text to app.internal");
  const { endpoints } = testServices();
  const served = testServices({}, { endpoints: { ...endpoints, rules: { ...endpoints.rules, server: true } } });
  await using server = serveAnswers(json({ pass: true }));
  expect(await refused(server.url, served)).toContain("a server asks only hosts that it was started with");
  expect(server.asked).toEqual([]);
});

test("a header comes from ABEVAL_ENDPOINT_… alone, and its value stands nowhere", async () => {
  const secret = "Qx7Zk2".repeat(40);
  const services = testServices({ ABEVAL_ENDPOINT_CHECK: secret });
  const posted = ", headers_env: {x-token: ABEVAL_ENDPOINT_CHECK}";
  for (const reply of [json({ pass: false, why: `${"a".repeat(400)} ${secret}` }), json({ pass: secret })]) {
    await using server = serveAnswers(reply);
    const { outcome } = await checksOf(checkedBy(server.url, "", posted), services);
    expect(server.asked[0]?.headers["x-token"]).toBe(secret);
    expect(JSON.stringify(outcome)).not.toContain(secret.slice(0, 24));
  }
  const missing = runText(checkedBy("http://127.0.0.1:9/", "", posted), testServices());
  await expect(missing).rejects.toThrow(
    'check "polite": the header x-token of an endpoint comes from ABEVAL_ENDPOINT_CHECK',
  );
});

/** Variables with secrets of which none may be sent, whatever a scenario asks for. */
const OTHERS = [
  ...["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GATEWAY_API_KEY", "ABEVAL_DATABASE_URL", "ABEVAL_WORKER_TOKEN", "PATH"],
  ...["abeval_endpoint_check", "ABEVAL_ENDPOINTS_CHECK", "XABEVAL_ENDPOINT_CHECK"],
];

test.each(OTHERS)("no header holds %s", async (variable) => {
  const services = testServices({ [variable]: "Qx7Zk2".repeat(8) });
  await using server = serveAnswers(json({ pass: true }));
  const posted = `, headers_env: {x-token: ${variable}}`;
  await expect(runText(checkedBy(server.url, "", posted), services)).rejects.toThrow(
    "task.probe.checks[0].posted.headers_env.x-token: expected text that fits ^ABEVAL_ENDPOINT_",
  );
  // What a worker is given was no file of its machine.
  expect(() => endpointHeaders(services.endpoints, { "x-token": variable })).toThrow(`comes from ${variable}; set it`);
  expect(server.asked).toEqual([]);
});

test("what is sent in headers is what protocols need, and what the scenario names", async () => {
  const secrets = Object.fromEntries(OTHERS.map((variable) => [variable, `Qx7Zk2${variable}`]));
  const services = testServices({ ...secrets, ABEVAL_ENDPOINT_CHECK: "mine", ABEVAL_ENDPOINT_OTHER: "Qx7Zk2other" });
  await using server = serveAnswers(json({ pass: true }));
  await checksOf(checkedBy(server.url, "", ", headers_env: {x-token: ABEVAL_ENDPOINT_CHECK}"), services);
  for (const { headers, body } of server.asked) {
    expect(Object.keys(headers).sort()).toEqual([
      ...["accept", "accept-encoding", "connection", "content-length", "content-type", "host"],
      ...["idempotency-key", "user-agent", "x-token"],
    ]);
    expect(headers).toMatchObject({ "x-token": "mine", "user-agent": "abeval/test" });
    expect(JSON.stringify([headers, body])).not.toContain("Qx7Zk2");
  }
  expect(server.asked).toHaveLength(2);
});
