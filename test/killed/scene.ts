import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processTree, signalProcess } from "../../src/arms/sandbox/process/process-table.ts";
import { ROOT } from "../abeval.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { playAgent } from "../fake-provider/play-agent.ts";
import { temporaryDirectory } from "../temporary.ts";
import { fakeInstalls } from "../tool/mcp/fake-install.ts";
import { until } from "../turns.ts";
import { processesWith } from "../workspace/harness.ts";

/** What runs processes for an arm: a command of its model, a hidden check, an agent, an MCP server. Each is a scenario's name. */
export const KINDS = ["agent", "check", "command", "server"] as const;
type Kind = (typeof KINDS)[number];

/** Scenarios that `right` wins, which takes longer than to be killed. */
export interface Scene extends AsyncDisposable {
  readonly scenarios: string;
  readonly state: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when something of each of these was seen at work; of the last one it still is. */
  atWork(kinds?: readonly Kind[]): Promise<void>;
}

/** Seconds that what is to be killed works. */
const WORK_S = 4;

export async function openScene(): Promise<Scene> {
  await using parts = new AsyncDisposableStack();
  const directory = parts.use(temporaryDirectory()).path;
  const [scenarios, scratch] = [join(directory, "scenarios"), join(directory, "tmp")];
  mkdirSync(join(scenarios, "plain"), { recursive: true });
  mkdirSync(scratch);
  // The sandbox's user has to reach its workspace.
  for (const path of [directory, scratch]) chmodSync(path, 0o755);
  const id = crypto.randomUUID();
  const markOf = (kind: Kind) => `mark-${kind}-${id}`;
  copyFileSync(join(ROOT, "scenarios/agents/plain/agent.mjs"), join(scenarios, "plain/agent.mjs"));
  for (const kind of KINDS) writeFileSync(join(scenarios, `${kind}.yaml`), scenarioText(kind, markOf(kind)));
  const shell = { calls: [{ name: "shell", input: { command: work(markOf("agent")) } }] };
  const reply = playAgent([{ knownBy: "Do it", turns: [shell, { text: "Done." }] }]);
  const { environment } = parts.use(await startFakeProvider({ reply }));
  // Not below /tmp, where others could change what is installed.
  const installs = parts.use(fakeInstalls("/var")).path;
  const held = parts.move();
  return {
    scenarios,
    state: join(directory, "state"),
    flags: ["--agents-dir", installs],
    env: { ...environment, TMPDIR: scratch },
    atWork: async (kinds = KINDS) => {
      const seen = new Set<Kind>();
      await until(() => {
        for (const kind of kinds) if (processesWith(markOf(kind)).length > 0) seen.add(kind);
        return seen.size === kinds.length;
      });
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const work = (mark: string) => `: ${mark}; sleep ${WORK_S}; touch done`;

function scenarioText(kind: Kind, mark: string): string {
  const check = kind === "check" ? `test -f done && { : ${mark}; sleep ${WORK_S}; true; }` : "test -f done";
  return `name: ${kind}
task:
  prompt: Do it.
  probe: { checks: [{ id: done, run: ${JSON.stringify(check)}, required: true }] }
arms:
  - { id: left, model: scripted/x, script: [{ say: Done. }] }
  - { id: right, ${armText(kind, mark)} }
${VARIES[kind] ?? ""}
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;
}

const VARIES: Partial<Readonly<Record<Kind, string>>> = { agent: "varies: [agent]", server: "varies: [mcp]" };

function armText(kind: Kind, mark: string): string {
  const fake = `[bun, /opt/mcp/fake/fake-server.mjs, ${mark}]`;
  switch (kind) {
    case "command":
      return scripted({ run_command: { command: work(mark) } });
    case "check":
      return scripted({ write_file: { path: "done", content: "" } });
    case "agent":
      return `model: openai/m, price_per_mtok: { in: 1, out: 2 },
      agent: { files: { dir: plain }, command: [bun, /home/agent/agent.mjs, "{base:openai}", "{model}", "{prompt}"] }`;
    case "server":
      return `${scripted({ fake__write: { path: "done", text: "" } }, { fake__silent: {} })},
      mcp: { fake: { install: fake, timeout_s: ${WORK_S}, command: ${fake} } }`;
  }
}

const scripted = (...calls: readonly object[]) =>
  `model: scripted/x, script: ${JSON.stringify([...calls.map((call) => ({ calls: [call] })), { say: "Done." }])}`;

export const SIGNALS = ["SIGTERM", "SIGKILL"] as const;

/** As a service manager, a control group and the kernel do it: process by process, the oldest first. */
export async function signalTree(root: number, signal: NodeJS.Signals): Promise<void> {
  const pids = (await processTree(root)).map(({ pid }) => pid);
  for (const pid of pids.sort((one, other) => one - other)) signalProcess(pid, signal);
}

/** Signals what a process of abeval has started, as the kernel does that lacks memory, but not abeval. */
export const signalBelow = async (pid: number, signal: NodeJS.Signals): Promise<void> =>
  void (await Promise.all(childrenOf(pid).map((child) => signalTree(child, signal))));

/** The server below a supervisor. */
export const serverOf = (supervisor: number): number => childrenOf(supervisor)[0] ?? Number.NaN;

const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
