import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../domain/failure.ts";
import { counted } from "../../domain/number-text.ts";
import { systemClock } from "../../runtime/clock.ts";
import { complain, EXIT, exitCodeOfCommand } from "./exit-code.ts";
import { type CommandSpec, type ParsedArguments, parseArguments, UsageError } from "./flags/parse-arguments.ts";
import { NAMES_OF_SERVERS } from "./services/own-process.ts";
import { openStoredSessions } from "./services/services.ts";

/** The largest that Linux gives. */
const MAX_PID = 4_194_304;

export const DRAIN = {
  name: "abeval drain",
  usage: "abeval drain --pid <pid> | --database-url <url> [--end]",
  description:
    "Has a server, or all servers and workers of a database, take no more work, and waits until nothing runs there.\n" +
    "It answers what only reads meanwhile, until it is stopped. What waits in a database stays for whoever comes next;\n" +
    "without one nobody else could run it, so all that was accepted runs to its end first. Ctrl-C ends only the waiting.\n" +
    "A drained server is stopped with SIGTERM. A drained database stays so, also for what starts later, until --end.",
  examples: [
    "abeval drain --pid 4711 && kill 4711",
    "abeval drain --database-url postgres://abeval@db.example.com/abeval",
    "abeval drain --database-url postgres://abeval@db.example.com/abeval --end",
  ],
  parameters: [],
  flags: {
    pid: {
      value: "<pid>",
      range: { min: 1, max: MAX_PID },
      description: "drain the `abeval serve` with this process id, on this machine (Linux)",
    },
    "database-url": {
      value: "<url>",
      description: "drain all servers and workers of this database (default: ABEVAL_DATABASE_URL)",
    },
    end: { description: "with a database: let its servers and workers take work again" },
  },
} as const satisfies CommandSpec<string>;

type Arguments = ParsedArguments<keyof typeof DRAIN.flags>;

/** `abeval drain`: returns the exit status. */
export const command = (args: readonly string[]): Promise<number> =>
  exitCodeOfCommand(DRAIN.name, async () => {
    const parsed = await parseArguments(DRAIN, args);
    const pid = parsed.integer("pid");
    if (pid === undefined) return await drainDatabase(parsed);
    if (parsed.value("database-url") !== undefined) throw new UsageError("--pid and --database-url exclude each other");
    if (parsed.has("end"))
      throw new UsageError("--end is for a database: a drained server is stopped, and started again");
    return await drainServer(pid);
  });

/** Milliseconds between two looks at a process, which cost nothing, and at a database. */
const LOOK_MS = 200;
const ASK_MS = 1_000;

async function drainServer(pid: number): Promise<number> {
  demandServer(pid);
  signal(pid);
  say(`the server ${pid} takes no more work; this waits until nothing runs on it`);
  leaveOnSignal();
  for (let told = ""; ; ) {
    const name = nameOf(pid);
    if (name === NAMES_OF_SERVERS.drained) break;
    if (name === undefined || !IS_SERVER.test(name))
      return complain(`the server ${pid} ended before its runs had: the log of its next start says which`, EXIT.failed);
    const left = /^abeval drain (\d+)$/.exec(name)?.[1];
    if (left && name !== told) say(`${left} at work`);
    told = name;
    await sleep(LOOK_MS);
  }
  say(`nothing runs on the server ${pid} any more; it answers what only reads until it is stopped: kill ${pid}`);
  return EXIT.done;
}

const IS_SERVER = /^abeval (serve|drain)/;

/** @throws UsageError */
function demandServer(pid: number): void {
  if (process.platform !== "linux")
    throw new UsageError("--pid needs Linux, which says what a process is; stop the server with SIGTERM instead");
  const fact = factsOf(pid);
  if (fact("Tgid") !== String(pid) || fact("State") === "Z") throw noProcess(pid);
  if (pid === process.pid) throw new UsageError(`--pid: ${pid} is this command itself; name the server`);
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0 && fact("Uid") !== String(uid)) throw notOurs(pid, fact("Uid"));
  if (nameOf(pid) === NAMES_OF_SERVERS.supervised)
    throw new UsageError(`--pid: ${pid} is watched over by ${fact("PPid")}, which is the one to name`);
  demandListener(pid, fact("SigCgt"));
}

/** A signal that nobody expects would end the process. @throws UsageError */
function demandListener(pid: number, caught: string): void {
  const name = nameOf(pid) ?? "";
  // SIGUSR2 is the twelfth signal.
  if (IS_SERVER.test(name) && ((BigInt(`0x${caught || 0}`) >> 11n) & 1n) === 1n) return;
  throw new UsageError(
    isServing(pid)
      ? `--pid: ${pid} still starts, or is of a version that cannot be drained: try again, or stop it with SIGTERM`
      : `--pid: ${pid} is no \`abeval serve\`; its name is ${JSON.stringify(name)}`,
  );
}

/** What Linux says of a process; empty words where it is gone. */
function factsOf(pid: number): (name: string) => string {
  const facts = read(pid, "status") ?? "";
  return (name) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(facts)?.[1] ?? "";
}

const noProcess = (pid: number) => new UsageError(`--pid: there is no process ${pid}`);

const notOurs = (pid: number, uid: string) =>
  new UsageError(`--pid: ${pid} belongs to another user (${uid || "unknown"}): drain it as that user, or as root`);

function isServing(pid: number): boolean {
  const [program = "", ...words] = (read(pid, "cmdline") ?? "").split("\0");
  const file = words[0] === "serve" ? program : (words[words.indexOf("serve") - 1] ?? "");
  return ["abeval", "main.ts"].includes(basename(file));
}

const nameOf = (pid: number) => read(pid, "comm")?.trimEnd();

/** Undefined when the process is gone. */
function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

/** @throws UsageError */
function signal(pid: number): void {
  try {
    process.kill(pid, "SIGUSR2");
  } catch (error) {
    if (errorCode(error) === "EPERM") throw notOurs(pid, "");
    throw noProcess(pid);
  }
}

async function drainDatabase(args: Arguments): Promise<number> {
  await using opened = await openDatabase(args);
  const { drain } = opened.shared;
  if (args.has("end")) {
    await drain.end();
    say("the servers and workers of the database take work again");
    return EXIT.done;
  }
  const since = await drain.begin(systemClock.now().toISOString());
  say(`no server or worker of the database takes work (since ${since}); this waits until nothing runs`);
  leaveOnSignal();
  // Who looked for work a moment before may still take some: two looks in turn find nothing.
  for (let [told, still] = [0, 0]; still < 2; ) {
    const running = await drain.running();
    if (running > 0 && running !== told) say(`${counted(running, "run")} at work`);
    [told, still] = [running, running === 0 ? still + 1 : 0];
    if (still < 2) await sleep(ASK_MS);
  }
  say("nothing runs any more. To let work be taken again: abeval drain --end, with the same database");
  return EXIT.done;
}

/** @throws UsageError where no database is named; Failure as `openStore` does */
async function openDatabase(args: Arguments) {
  const database = (flag: "state-dir" | "database-url") => (flag === "state-dir" ? undefined : args.value(flag));
  const opened = await openStoredSessions(
    { value: database },
    "say what to drain: --pid <pid>, or --database-url <url>",
  );
  const { shared } = opened;
  if (shared) return { ...opened, shared };
  throw new Error("a database that is not shared");
}

/** The drain outlives whoever waits for it. */
function leaveOnSignal(): void {
  for (const [name, status] of [
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
  ] as const)
    process.once(name, () => {
      say("nobody waits any more; the drain goes on");
      process.exit(status);
    });
}

const say = (line: string) => void process.stderr.write(`abeval: ${line}\n`);
