import type { ChildProcessByStdio } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionOutcome } from "../src/domain/session.ts";
import { PROGRAM, ROOT } from "../test/abeval.ts";
import { CACHE } from "../test/agents/installs.ts";
import { serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { SANDBOX } from "../test/machine.ts";
import { fakeInstalls, hostileServer } from "../test/tool/mcp/fake-install.ts";
import { type Campaign, type Case, hold, Skip } from "./campaign.ts";
import { type CaseDirectories, openCaseDirectories } from "./case-directories.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

/** MCP servers of an arm that wear their client out, and clients that do so to `abeval mcp`. */
export const campaign: Campaign = {
  about: "hostile MCP servers of an arm, and garbage for `abeval mcp`",
  at_once: 1,
  cases: async ({ shared }) => {
    const [servers, clients]: [Figures[], Garbled[]] = [[], []];
    shared.defer(() => printFigures("MCP server that sends", servers));
    shared.defer(() => printGarbled(clients));
    return [
      ...ATTACKS.map(([family, bytes]) => serverCase(family, bytes, servers)),
      ...GARBAGE.map((garbage) => clientCase(garbage, clients)),
    ];
  },
};

const MB = 1_000_000;

/** Families of `hostile-server.mjs`. */
const ATTACKS: readonly (readonly [family: string, bytes: number])[] = [
  ["unknown-blocks", 1.3 * MB],
  ["unknown-blocks", 3.9 * MB],
  ["unknown-blocks", 10.4 * MB],
  ["empty-blocks", 10.4 * MB],
  ["text-blocks", 10.4 * MB],
  ["text-blocks", 0.9 * MB],
  ["properties", 5 * MB],
  ["structure", 0.5 * MB],
  ["deep", 10.4 * MB],
  ["escapes", 1.9 * MB],
  ["text", 10.4 * MB],
  ["bad-utf8", 10.4 * MB],
  ["error", 10.4 * MB],
  ["notifications", 500 * MB],
  ["requests", 500 * MB],
  ["newlines", 500 * MB],
  ["no-newline", 600 * MB],
  ["complaints", 600 * MB],
  ["list-tools", 10.4 * MB],
  ["list-properties", 5 * MB],
  ["list-description", 10.4 * MB],
  ["list-pages", 4 * MB],
  ["greet-experimental", 5 * MB],
];

const serverCase = (family: string, bytes: number, rows: Figures[]): Case => ({
  name: `${family}, ${bytes / MB} MB`,
  async run() {
    if (!SANDBOX.met) throw new Skip(`needs ${SANDBOX.what}`);
    using directories = openCaseDirectories();
    using installs = fakeInstalls(CACHE);
    writeScenario(directories, family, bytes);
    const places = [
      "--scenarios-dir",
      directories.path,
      "--state-dir",
      directories.state,
      "--agents-dir",
      installs.path,
    ];
    await using served = await serve([...places, "--log", "none"], { TMPDIR: directories.scratch });
    const name = `${family}, ${bytes / MB} MB`;
    await watched({ name, served, directory: directories.scratch, rows }, async () => {
      const response = await fetch(`${served.url}/api/runs`, jsonPost({ scenario: "attacked" }));
      if (/^(list|greet)-/.test(family)) checkRefusal(await response.text());
      else checkOutcome((await response.json()) as SessionOutcome);
    });
  },
});

/** An attack at the start is refused before a model is asked. */
const checkRefusal = (said: string) =>
  hold(said.includes('"setup_failed"') && said.length < 2_000, "a run that is refused in a sentence", said);

/** A later one costs its arm the tool, and nobody anything else. */
function checkOutcome({ state, failure, verdict }: SessionOutcome): void {
  hold(state === "completed", "a session with a verdict", { state, failure });
  hold(verdict?.winner === "right", "the honest arm to win", verdict?.statement);
}

function writeScenario({ path }: CaseDirectories, family: string, bytes: number): void {
  const { name, tools: _, ...server } = hostileServer(family, bytes);
  const arm = { model: "scripted/x", system_prompt: "Work." };
  const attack = { calls: [{ foe__go: {} }] };
  const answer = { calls: [{ write_file: { path: "answer.txt", content: "42\n" } }] };
  const scenario = {
    name: "attacked",
    varies: ["mcp"],
    task: {
      prompt: "Write answer.txt.",
      fixture: { files: { "a.txt": "a\n" } },
      probe: { checks: [{ id: "answer", run: "test -f answer.txt", required: true }] },
    },
    arms: [
      { id: "left", ...arm, mcp: { [name]: server }, script: [attack, attack, attack, { say: "Done." }] },
      { id: "right", ...arm, script: [answer, { say: "Done." }] },
    ],
    rubric: { criteria: [{ id: "checks", measure: "probe_score" }], judge: { model: "builtin/evidence" } },
  };
  // JSON is YAML.
  writeFileSync(join(path, "attacked.yaml"), JSON.stringify(scenario));
}

interface Garbage {
  readonly name: string;
  readonly pieces: () => Iterable<string>;
  /** Nothing is read until all of it is written, or the server takes no more. */
  readonly deaf?: true;
}

function* times(count: number, piece: string): Generator<string> {
  for (let written = 0; written < count; written += 1) yield piece;
}

const request = (method: string, params: object, id: unknown = 1) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const calls = (count: number) =>
  Array.from({ length: count }, (_, id) => request("tools/call", { name: "list_scenarios", arguments: {} }, id)).join(
    "",
  );
const notification = (method: string, params: object) => `${JSON.stringify({ jsonrpc: "2.0", method, params })}\n`;

const GARBAGE: readonly Garbage[] = [
  { name: "100 MB without a newline", pieces: () => times(100, "x".repeat(MB)) },
  { name: "10 MB of brackets, ten times", pieces: () => times(10, `${"[".repeat(10 * MB)}\n`) },
  { name: "10 MB of numbers, ten times", pieces: () => times(10, `[${"1,".repeat(5 * MB)}1]\n`) },
  { name: "10 MB of one text, ten times", pieces: () => times(10, request("ping", { text: "x".repeat(10 * MB) })) },
  { name: "200,000 lines of binary", pieces: () => times(200, "\xff\xfe\x00{[\n".repeat(1_000)) },
  { name: "100,000 empty requests", pieces: () => times(100, "{}\n".repeat(1_000)) },
  { name: "5 MB of newlines", pieces: () => times(5, "\n".repeat(MB)) },
  {
    name: "100,000 cancellations",
    pieces: () => times(100, notification("notifications/cancelled", { requestId: 1 }).repeat(1_000)),
  },
  { name: "100,000 answers", pieces: () => times(100, '{"jsonrpc":"2.0","id":1,"result":{}}\n'.repeat(1_000)) },
  { name: "10,000 calls", pieces: () => times(10, calls(1_000)) },
  { name: "calls of a client that does not read", pieces: () => times(10, calls(1_000)), deaf: true },
];

interface Garbled {
  readonly name: string;
  /** Until the ping behind it was answered. */
  readonly seconds: number;
  readonly memory_mb: number;
}

/** A server at rest has about 150 MB. */
const MOST_MEMORY_MB = 500;

/** Milliseconds in which a server that reads takes some of it. */
const STUCK_MS = 3_000;

const clientCase = (garbage: Garbage, rows: Garbled[]): Case => ({
  name: garbage.name,
  async run() {
    const [program = "", ...args] = [...PROGRAM, "mcp", "--scenarios-dir", join(ROOT, "scenarios")];
    const child = spawn(program, args, { cwd: ROOT, stdio: ["pipe", "pipe", "ignore"] });
    try {
      const began = performance.now();
      const answered = garbage.deaf ? undefined : answerIn(child.stdout);
      await writeAll(child, [...[GREETING], ...garbage.pieces(), `\n${request("ping", {}, "after")}`]);
      await (answered ?? answerIn(child.stdout));
      const [seconds, memory_mb] = [(performance.now() - began) / 1_000, peakMemory(child.pid)];
      rows.push({ name: garbage.name, seconds, memory_mb });
      child.stdin.end("half a line");
      const [status] = await once(child, "exit");
      hold(status === 0, "the server to end in peace with its input", `status ${status}`);
      hold(memory_mb < MOST_MEMORY_MB, `at most ${MOST_MEMORY_MB} MB of memory`, `${memory_mb} MB`);
    } finally {
      child.kill("SIGKILL");
    }
  },
});

const GREETING =
  request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } }) +
  notification("notifications/initialized", {});

type Served = ChildProcessByStdio<Writable, Readable, null>;

/** To its end, or until the server takes no more. Then the rest waits in this process for a reader of the answers. */
async function writeAll({ stdin }: Served, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (stdin.write(piece, "latin1")) continue;
    const taken = once(stdin, "drain");
    await Promise.race([taken, sleep(STUCK_MS, undefined, { ref: false })]);
  }
}

/** Reads until the ping behind the garbage is answered, and goes on reading. */
function answerIn(stdout: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let tail = "";
  stdout.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-100 - text.length);
    if (tail.includes('"id":"after"')) resolve();
    tail = tail.slice(-100);
  });
  return promise;
}

const peakMemory = (pid: number | undefined) =>
  Math.round(Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000);

function printGarbled(rows: readonly Garbled[]): void {
  if (rows.length === 0) return;
  console.log(`  ${"abeval mcp reads".padEnd(44)} seconds  memory MB`);
  for (const { name, seconds, memory_mb } of rows)
    console.log(`  ${name.padEnd(44)} ${seconds.toFixed(1).padStart(7)} ${String(memory_mb).padStart(10)}`);
}
