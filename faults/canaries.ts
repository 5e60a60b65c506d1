import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abeval } from "../test/abeval.ts";
import type { SeenRequest } from "../test/fake-provider/exchange.ts";
import { type FakeProvider, startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Campaign, type Case, hold } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";

/** Variables that hold a key. Each key has a text of its own. */
const VARIABLES = [
  "OPENAI_API_KEY",
  "ANTHROPIC_API_KEY",
  "GATEWAY_API_KEY",
  "OPENAI_ADMIN_KEY",
  "MISTRAL_API_KEY",
] as const;
const CANARIES = Object.fromEntries(
  VARIABLES.map((name, index) => [name, `sk-canary-${index}f2d8c41a07e93b6/+${index}`]),
);
const PASSWORD = "pass-canary-93b61f";
/** A variable that is not secret. No command in a sandbox may see it either. */
const PLAIN = "plain-canary-71c2e0";

/** How a provider gives a key away. */
const LEAKS = ["in a good answer", "in a 400", "in a 500", "in a redirect", "in a tool call"] as const;
type Leak = (typeof LEAKS)[number];

/** What a curious arm tries. One result goes into a file, and so into the evidence. */
const SNOOP = [
  "env; cat /proc/self/environ /proc/1/environ /proc/$PPID/environ 2>/dev/null; ps auxe 2>/dev/null; exit 0",
  "for p in /proc/[0-9]*; do cat $p/environ $p/cmdline 2>/dev/null; done | tee found.txt",
  "cat $HOME/* 2>/dev/null; ls -la /tmp /home 2>/dev/null; exit 0",
] as const;

const MODELS = ["openai", "anthropic", "gateway"] as const;

const scenario = (model: string) => `name: snoop
task: {prompt: Look around.}
arms:
  - {id: one, model: ${model}/m, system_prompt: One.}
  - {id: two, model: ${model}/m, system_prompt: Two.}
rubric: {criteria: [{question: Was it kind?}], judge: {model: ${model}/judge}}
`;

/** Searches every byte that a run leaves or prints for the keys of every provider. */
export const campaign: Campaign = {
  about: "canary keys in state, logs, streams, errors and sandboxes' environments",
  at_once: 2,
  cases: async ({ count }) => {
    const all = MODELS.flatMap((model) =>
      LEAKS.flatMap((leak) => [runCase(model, leak, "auto"), runCase(model, leak, "none"), serveCase(model, leak)]),
    );
    return [controlCase(), ...all.slice(0, count(all.length))];
  },
};

function leakingProvider(leak: Leak): Promise<FakeProvider> {
  return startFakeProvider({
    reply: (request) => {
      const key = keyOf(request);
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      const run = SNOOP[turn];
      if (run !== undefined && request.force_tool === undefined)
        return { text: `I was called with ${key}.`, calls: [{ name: "run_command", input: { command: run } }] };
      const headers = { "retry-after-ms": "1", "x-echo": key.slice(0, 8) };
      const body = { error: { type: "echo", message: JSON.stringify(request.headers) } };
      if (leak === "in a 400") return { status: 400, body };
      if (leak === "in a 500") return { status: 500, body, headers };
      if (leak === "in a redirect")
        return { status: 302, body, headers: { location: `http://127.0.0.1:9/?key=${key}` } };
      const input = { path: "key.txt", content: `${key} ${btoa(key)} ${encodeURIComponent(key)}` };
      if (leak === "in a tool call" && turn === SNOOP.length) return { calls: [{ name: "write_file", input }] };
      return { text: `The key is ${key}, that is ${btoa(key)}.` };
    },
  });
}

const keyOf = ({ headers }: SeenRequest) =>
  headers["x-api-key"] ?? headers["authorization"]?.replace("Bearer ", "") ?? "none";

function environmentOf({ environment }: FakeProvider, { scratch }: CaseDirectories): Record<string, string> {
  const secret = { ...CANARIES, MISTRAL_BASE_URL: `http://user:${PASSWORD}@127.0.0.1:9/v1` };
  return { ...environment, ...secret, PLAIN_VARIABLE: PLAIN, TMPDIR: scratch };
}

const runCase = (model: string, leak: Leak, sandbox: string): Case => ({
  name: `run with ${model}, the key ${leak}, sandbox ${sandbox}`,
  async run() {
    await using provider = await leakingProvider(leak);
    using directories = openCaseDirectories();
    const file = join(directories.path, "snoop.yaml");
    writeFileSync(file, scenario(model));
    const args = [
      "run",
      file,
      "--sandbox",
      sandbox,
      "--state-dir",
      directories.state,
      "--out",
      join(directories.path, "out.json"),
    ];
    const { stdout, stderr } = await abeval(args, { env: environmentOf(provider, directories) });
    hold(provider.requests.length > SNOOP.length, "an arm to have looked around", stderr);
    checkBytes(everyByte(directories.path) + stdout + stderr, sandbox === "auto");
    await checkStateDirectory(directories.state);
  },
});

const serveCase = (model: string, leak: Leak): Case => ({
  name: `serve with ${model}, the key ${leak}`,
  async run() {
    await using provider = await leakingProvider(leak);
    using directories = openCaseDirectories();
    writeFileSync(join(directories.path, "snoop.yaml"), scenario(model));
    const args = ["--scenarios-dir", directories.path, "--state-dir", directories.state, "--log", "json"];
    await using served = await serve(args, environmentOf(provider, directories));
    const ask = async (path: string, body?: unknown) =>
      await (await fetch(served.url + path, body === undefined ? {} : jsonPost(body))).text();
    const started = await ask("/api/runs/async", { scenario: "snoop" });
    const id = String(JSON.parse(started).session_id);
    const stream = await ask(`/api/runs/${id}/stream`);
    hold(/verdict_ready|session_failed/.test(stream), "the end of the run in its stream", stream.slice(-500));
    const arms = { arm_a: { session_id: id, arm_id: "one" }, arm_b: { session_id: id, arm_id: "two" } };
    const paths = ["/api/health", "/api/doctor", "/api/doctor?scenario=snoop", "/api/sessions", `/api/sessions/${id}`];
    const answers = await Promise.all([...paths.map((path) => ask(path)), ask("/api/verdicts", arms)]);
    // While the server runs, its write-ahead log and lock files can be searched as well.
    const living = everyByte(directories.path);
    await served.stop();
    checkBytes([living, everyByte(directories.path), served.log(), stream, ...answers].join("\n"), true);
    await checkStateDirectory(directories.state);
  },
});

/** Shows that the search finds a key in every form. */
const controlCase = (): Case => ({
  name: "control: the search finds each form of each canary",
  async run() {
    using directories = openCaseDirectories();
    for (const secret of [...Object.values(CANARIES), PASSWORD]) {
      for (const form of forms(secret)) {
        writeFileSync(join(directories.path, "leak.bin"), `\0\u0001${form}\0`);
        hold(found(everyByte(directories.path)).length > 0, "the search to find what is there", form);
      }
    }
  },
});

/** A secret as it is, in base64 at three alignments, in hex, in an address, and in JSON. */
function forms(secret: string): readonly string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.from("x".repeat(shift) + secret).toString("base64");
    // The characters at both ends depend on the text around the secret.
    return text.slice(shift === 0 ? 0 : 4, Math.floor((secret.length + shift) / 3) * 4);
  });
  const hex = Buffer.from(secret).toString("hex");
  return [secret, ...shifted, hex, hex.toUpperCase(), encodeURIComponent(secret), secret.replaceAll("/", "\\/")];
}

const found = (bytes: string) =>
  [...Object.values(CANARIES), PASSWORD].flatMap((secret) => forms(secret)).filter((form) => bytes.includes(form));

function checkBytes(bytes: string, contained: boolean): void {
  const hits = found(bytes);
  hold(hits.length === 0, "no key in any form in any byte", hits);
  hold(bytes.includes("I was called with"), "the search to have read what the arms said");
  if (contained) hold(!bytes.includes(PLAIN), "no variable of ours in a sandbox", PLAIN);
}

function everyByte(directory: string): string {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).map((name) => join(directory, name));
  return files
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}
