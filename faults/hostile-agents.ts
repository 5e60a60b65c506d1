import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { Action, SeenRequest } from "../test/fake-provider/exchange.ts";
import { FAKE_KEY, type FakeProvider, startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { SANDBOX } from "../test/machine.ts";
import { FLOODS } from "./agent-floods.ts";
import { type Campaign, type Case, hold, Skip } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

/** Agents in the sandbox that send what no reader should trust, and providers that answer so. An honest agent beside them has to win. */
export const campaign: Campaign = {
  about: "hostile agents and providers beside an honest agent, through the API of a server",
  at_once: 1,
  cases: async ({ seed, shared }) => {
    const rows: Figures[] = [];
    shared.defer(() => printFigures("hostile agent", rows));
    return ATTACKS.map((attack, index) => attackCase(attack, rows, randomOfCase(seed, index)));
  },
};

interface Attack {
  readonly name: string;
  /** A module that runs in the sandbox after `TOOLBOX`. */
  readonly module: (random: Random) => string;
  /** What its model is answered. */
  readonly answer?: Action;
  /** Runs with it side by side; one when absent. */
  readonly at_once?: number;
}

/** What the modules of both arms begin with. */
const TOOLBOX = `
import { createConnection } from "node:net";
const base = process.env.OPENAI_BASE_URL;
const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
const tools = [{ type: "function", function: { name: "shell", parameters: { type: "object" } } }];
const send = (path, body) => fetch(base + path, { method: "POST", headers, body })
  .then((reply) => reply.text(), (error) => String(error));
const chat = (messages, more = {}) => send("/chat/completions", JSON.stringify({ model: "m", messages, tools, ...more }));
const user = { role: "user", content: "Write answer.txt." };
const many = (count, piece) => "[" + Array(count).fill(piece).join(",") + "]";
const around = (messages) => '{"model":"m","messages":' + messages + ',"tools":' + JSON.stringify(tools) + "}";
await chat([user]);
`;

const HONEST = `${TOOLBOX}
import { writeFileSync } from "node:fs";
for (let turn = 0; turn < 8; turn += 1) await chat([user]);
writeFileSync("answer.txt", "42\\n");
`;

const QUOTES = '"""'.repeat(130_000);

const pieceOf = (piece: string) => ({
  choices: [
    { index: 0, delta: { tool_calls: [{ index: 0, id: "c", function: { name: "shell", arguments: piece } }] } },
  ],
});

const streamed = (body: string): Action => ({ status: 200, headers: { "content-type": "text/event-stream" }, body });

const ATTACKS: readonly Attack[] = [
  {
    name: "20,000 calls in one request",
    module: () =>
      `await send("/responses", '{"model":"m","input":' + many(20_000, '{"type":"function_call","name":"a"}') + "}");`,
  },
  {
    name: "2,000,000 messages",
    module: () => `await send("/chat/completions", around(many(2_000_000, '{"role":"user","content":"a"}')));`,
  },
  { name: "45 MB of empty lists", module: () => 'await send("/chat/completions", around(many(15_000_000, "[]")));' },
  { name: "90,000 short strings", module: () => `await send("/chat/completions", around(many(90_000, '"a"')));` },
  {
    name: "lists in lists, 4 MB deep",
    module: () => 'await send("/chat/completions", around("[".repeat(2_000_000) + "]".repeat(2_000_000)));',
  },
  {
    name: "60 MB of escapes in one string",
    module: () =>
      'await send("/chat/completions", around(\'[{"role":"user","content":"\' + "\\\\u0041".repeat(10_000_000) + \'"}]\'));',
  },
  {
    name: "8,860 questions besides the work",
    module: () => `
      const sides = Array.from({ length: 8_860 }, (_, n) => n).values();
      const ask = async () => { for (const n of sides) await chat([{ role: "user", content: "title " + n }], { tools: undefined }); };
      await Promise.all(Array.from({ length: 64 }, ask));`,
  },
  {
    name: "200 requests that are never answered",
    module: () =>
      "await Promise.race([Promise.all(Array.from({ length: 200 }, () => chat([user]))), Bun.sleep(6_000)]);",
    answer: { text: "Late.", delay_ms: 8_000 },
  },
  {
    name: "a refusal of 64 kB that looks like keys",
    module: () => "for (let n = 0; n < 10; n += 1) await chat([user]);",
    answer: { refuse: 400, message: "sk-".repeat(22_000) },
  },
  {
    name: "names of 3.9 MB",
    module: () => "for (let n = 0; n < 10; n += 1) await chat([user]);",
    answer: { calls: [{ name: "n".repeat(3_900_000), input: {} }] },
  },
  {
    name: "broken arguments of 400 kB",
    module: () => "for (let n = 0; n < 4; n += 1) await chat([user]);",
    answer: { calls: [{ name: "shell", arguments: `{"command":"x",${QUOTES}\\` }] },
  },
  {
    name: "250 short requests that rest on 7 MB",
    module: () => `
      const ask = (more) => send("/responses", JSON.stringify({ model: "m", tools: [{ type: "function", name: "shell" }], ...more }));
      const { id } = JSON.parse(await ask({ input: "x".repeat(7_000_000) }));
      await Promise.all(Array.from({ length: 250 }, () => ask({ input: "more", previous_response_id: id })));`,
  },
  {
    name: "four at once, each of which keeps 28 MB",
    module: () => `
      const ask = (more) => send("/responses", JSON.stringify({ model: "m", tools: [{ type: "function", name: "shell" }], ...more }));
      const ids = [];
      for (let n = 0; n < 4; n += 1) ids.push(JSON.parse(await ask({ input: "x".repeat(7_000_000) })).id);
      for (let n = 0; n < 3; n += 1) await Promise.all(ids.map((id) => ask({ input: "more", previous_response_id: id })));`,
    at_once: 8,
  },
  {
    name: "16 calls at once, each in 100,000 pieces",
    module: () => "await Promise.all(Array.from({ length: 16 }, () => chat([user], { stream: true })));",
    answer: streamed(`data: ${JSON.stringify(pieceOf("abcd"))}\n\n`.repeat(100_000)),
  },
  {
    name: "events of 8 MB",
    module: () => "for (let n = 0; n < 4; n += 1) await chat([user], { stream: true });",
    answer: streamed(`data: ${JSON.stringify({ ...pieceOf("abcd"), pad: "x".repeat(8_000_000) })}\n\n`),
  },
  {
    name: "16 streams of events of 8 MB",
    module: () =>
      "for (let n = 0; n < 2; n += 1) await Promise.all(Array.from({ length: 16 }, () => chat([user], { stream: true })));",
    answer: streamed(`data: ${JSON.stringify({ ...pieceOf("abcd"), pad: "x".repeat(8_000_000) })}\n\n`),
  },
  { name: "bytes and headers that its proxy is not for", module: stray },
  ...FLOODS,
];

const STRAY = [
  "CONNECT provider.example:443 HTTP/1.1\r\nHost: provider.example:443\r\n\r\n",
  "GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
  "GET http://169.254.169.254/latest/meta-data HTTP/1.1\r\nHost: 169.254.169.254\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "POST BASE/chat/completions HTTP/1.1\r\nHost: evil.example\r\nCookie: session=stolen\r\nProxy-Authorization: Basic eDp5\r\nX-Forwarded-For: 1.2.3.4\r\nAUTHContent-Type: application/json\r\nContent-Length: LENGTH\r\n\r\nBODY",
  "POST BASE/chat/completions HTTP/1.1\r\nHost: a\r\nAUTHContent-Type: application/json\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST BASE/hidden HTTP/1.1\r\n\r\n",
  "POST BASE/chat/completions HTTP/1.1\r\nHost: a\r\nAUTHContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
  "POST BASE/..%2f..%2fadmin HTTP/1.1\r\nHost: a\r\nAUTHContent-Length: 2\r\n\r\n{}",
  "GET BASE/models/%0d%0aX-Injected:%201 HTTP/1.1\r\nHost: a\r\nAUTH\r\n",
  "POST BASE/chat/completions HTTP/1.1\r\nHost: a\r\nAUTHX: FILL\r\n\r\n",
];

/** Raw bytes over the agent's way out, in an order that chance chooses. */
function stray(random: Random): string {
  const texts = Array.from({ length: 60 }, () => {
    const text = pick(random, STRAY);
    return random() < 0.2 ? text.slice(0, 1 + whole(random, text.length)) : text;
  });
  return `
    const { hostname, port, pathname } = new URL(base);
    const body = around(JSON.stringify([user]));
    const words = { BASE: pathname, AUTH: "Authorization: " + headers.authorization + "\\r\\n", LENGTH: body.length, BODY: body, FILL: "x".repeat(200_000) };
    const exchange = (text) => new Promise((resolve) => {
      const socket = createConnection(Number(port), hostname);
      socket.on("error", resolve).on("close", resolve).setTimeout(300, () => socket.destroy());
      socket.write(text.replaceAll(/BASE|AUTH|LENGTH|BODY|FILL/g, (word) => words[word]));
    });
    for (const text of ${JSON.stringify(texts)}) await exchange(text);`;
}

const attackCase = (attack: Attack, rows: Figures[], random: Random): Case => ({
  name: attack.name,
  async run() {
    if (!SANDBOX.met) throw new Skip(`needs ${SANDBOX.what}`);
    using directories = openCaseDirectories();
    await using provider = await startFakeProvider({ reply: (request) => answerOf(request, attack) });
    writeScenario(directories, attack.module(random));
    const args = ["--scenarios-dir", directories.path, "--state-dir", directories.state, "--log", "none"];
    await using served = await serve(args, { ...provider.environment, TMPDIR: directories.scratch });
    await watched({ name: attack.name, served, directory: directories.path, rows }, async () => {
      await Promise.all(Array.from({ length: attack.at_once ?? 1 }, () => runAttacked(served.url)));
    });
    checkSeen(provider);
  },
});

async function runAttacked(url: string): Promise<void> {
  const response = await fetch(`${url}/api/runs`, jsonPost({ scenario: "attacked" }));
  const text = await response.text();
  hold(response.ok, "an outcome", text);
  hold(text.length < MOST_STORED, `a session of at most ${MOST_STORED} characters`, `${text.length}`);
  checkOutcome(JSON.parse(text) as SessionOutcome);
}

const MOST_STORED = 40_000_000;

const answerOf = ({ model }: SeenRequest, { answer }: Attack): Action =>
  model === "hostile" && answer ? answer : { text: "Go on.", delay_ms: 100 };

function checkOutcome(outcome: SessionOutcome): void {
  hold(outcome.state === "completed", "a session with a verdict", { state: outcome.state, failure: outcome.failure });
  const ends = outcome.arms.map(({ arm_id, status, stop_reason, stalled_ms }) => ({
    arm_id,
    status,
    stop_reason,
    stalled_ms,
  }));
  hold(outcome.arms[1].status === "finished", "the honest arm to finish", ends);
  hold(outcome.verdict?.winner === "right", "the honest arm to win", { ends, said: outcome.verdict?.statement });
}

/** Only what belongs to a request reaches the provider, with our key and its own name. */
function checkSeen({ requests, visits, url }: FakeProvider): void {
  const seen = [...requests, ...visits];
  const names = seen.flatMap(({ headers }) => Object.keys(headers));
  const strays = names.filter((name) => /cookie|proxy|forwarded|upgrade|inject|^x$/.test(name));
  hold(strays.length === 0, "no header of the agent's own", [...new Set(strays)]);
  const hosts = new Set(seen.map(({ headers }) => headers["host"]));
  hold(hosts.size === 1 && hosts.has(new URL(url).host), "the provider's own host", [...hosts]);
  hold(
    seen.every(({ headers }) => headers["authorization"] === `Bearer ${FAKE_KEY}`),
    "our key on every request",
  );
  const paths = visits.map(({ path }) => path).filter((path) => !path.startsWith("/v1/models"));
  hold(paths.length === 0, "no address but those of the wire", paths);
}

function writeScenario({ path }: CaseDirectories, module: string): void {
  const agent = (text: string) => ({
    command: ["bun", "/home/agent/agent.mjs", "{prompt}"],
    files: { files: { "agent.mjs": text } },
    wires: ["chat"],
  });
  const scenario = {
    name: "attacked",
    task: {
      prompt: "Write answer.txt.",
      fixture: { files: { "a.txt": "a\n" } },
      probe: { checks: [{ id: "answer", run: "test -f answer.txt", required: true }] },
    },
    policies: { budget: { max_seconds: 30, max_turns: 100 } },
    arms: [
      { id: "left", model: "openai/hostile", agent: agent(`${TOOLBOX}${module}`) },
      { id: "right", model: "openai/honest", agent: agent(HONEST) },
    ],
    rubric: { criteria: [{ id: "checks", measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  };
  // JSON is YAML.
  writeFileSync(join(path, "attacked.yaml"), JSON.stringify(scenario));
}
