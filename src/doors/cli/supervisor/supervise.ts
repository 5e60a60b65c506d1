import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../../runtime/clock.ts";
import { ownProgram } from "../../../runtime/own-program.ts";
import type { HealthDoor } from "./health-door.ts";
import type { FromServer } from "./messages.ts";
import { type Limits, type ServerEnd, WatchedServer } from "./watched-server.ts";

/** Milliseconds. A step of the server takes 50. */
const LIMITS: Limits = { silence_ms: 30_000, obey_ms: 5_000 };

/** Milliseconds before the first new start after a crash, and at most. Each doubles the one before. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** A server that served for so many milliseconds has started well. */
const WELL_MS = 60_000;

/** Starts that may fail one after another. */
const MAX_FAILED = 8;

/** Milliseconds in which a server may end by itself after the second signal. */
const FORCE_MS = 1_000;

/** `abeval serve`: the server runs below this process, which sees that it goes on. It loads almost nothing itself. */
export async function command(args: readonly string[]): Promise<number> {
  const flags = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  const alone = flags.some((word) => ALONE.test(word)) || process.execArgv.some((word) => /^--inspect/.test(word));
  if (alone) return await (await import("../serve.ts")).command(args);
  return await new Supervisor([...ownProgram("__serve"), ...args], LIMITS).run();
}

/** Flags by which nothing is supervised. A debugger may hold the process for as long as it likes. */
const ALONE = /^(--help|-h|--no-supervise(=.*)?)$/;

const STOPPING = ["SIGTERM", "SIGINT"] as const;

export class Supervisor {
  readonly #program: readonly [string, ...string[]];
  readonly #limits: Limits;
  readonly #hangup_ignored = isHangupIgnored();
  readonly #stopped = new AbortController();
  #server: WatchedServer | undefined;
  /** It hears what it is told; before that a signal ends it as it ends any process. */
  #hears = false;
  #stops = 0;
  /** It was told to take no more work, and so is each server that it starts. */
  #drains = false;
  #failed = 0;
  #json = false;
  /** The port that the first server chose. */
  #port: number | undefined;
  /** What the runs of the last server are known by. */
  #owner: string | undefined;
  #health: HealthDoor | undefined;

  constructor(program: readonly [string, ...string[]], limits: Limits) {
    this.#program = program;
    this.#limits = limits;
  }

  /** Resolves with the exit status of a server that ended as it should, or could not be started. */
  async run(): Promise<number> {
    for (const name of STOPPING) process.on(name, () => this.#stop(name));
    process.on("SIGUSR2", () => this.#drain());
    const { nameProcess, NAMES_OF_SERVERS, sealProcess, showLeft } = await import("../services/own-process.ts");
    nameProcess(NAMES_OF_SERVERS.serves);
    for (;;) {
      this.#server = this.#start(showLeft);
      // The environment of this process holds the same keys.
      sealProcess();
      const end = await this.#server.ended;
      this.#server = undefined;
      if (this.#isLast(end)) return this.#over(end.status);
      await this.#pause(end);
      if (this.#stops > 0) return this.#over(0);
    }
  }

  #start(left: (left: number) => void): WatchedServer {
    this.#hears = false;
    return new WatchedServer(this.#program, {
      limits: this.#limits,
      left,
      opening: (told) => void this.#open(told),
      ready: ({ port, owner }) => {
        this.#port = port;
        this.#owner = owner;
      },
      stands: (silent_ms, work, step) => {
        const named = work.length > 0 ? `runs under way: ${work.join("; ")}` : "no run was under way";
        this.#say(
          `the server gave no sign of life for ${Math.round(silent_ms / 1_000)} s and is ended; last step of a run: ${step}; ${named}`,
        );
      },
    });
  }

  /** A server that was told its flags are wrong, or its port is taken, says so itself. */
  async #open({ json, health }: NonNullable<FromServer["opening"]>): Promise<void> {
    this.#hears = true;
    this.#json = json;
    const silent = () => this.#server?.silent_ms;
    if (health) this.#health ??= new (await import("./health-door.ts")).HealthDoor(health, silent);
    const fault = await this.#health?.opened;
    const go = {
      port: this.#port,
      after: this.#owner,
      hangup_ignored: this.#hangup_ignored,
      ...(fault !== undefined && { fault }),
    };
    this.#server?.tell({ go });
    if (this.#drains) this.#drain();
  }

  /** A server that does not hear yet is told when it does. */
  #drain(): void {
    this.#drains = true;
    if (this.#hears) this.#server?.tell({ drain: true });
  }

  #stop(name: NodeJS.Signals): void {
    this.#stops += 1;
    this.#stopped.abort();
    const server = this.#server;
    if (this.#hears) server?.tell({ stop: { count: this.#stops, name } });
    else server?.kill(name);
    // One that stands still hears nothing.
    if (this.#stops === 2) setTimeout(() => server?.kill("SIGKILL"), FORCE_MS).unref();
  }

  #isLast({ status, signal, served_ms, stood }: ServerEnd): boolean {
    if (this.#stops > 0 || (served_ms === undefined && this.#failed === 0)) return true;
    // Somebody ended the server itself.
    if (!stood && (status === 0 || signal === "SIGTERM" || signal === "SIGINT" || ASKED.has(status))) return true;
    this.#failed = served_ms !== undefined && served_ms >= WELL_MS ? 1 : this.#failed + 1;
    if (this.#failed <= MAX_FAILED) return false;
    this.#say(`the server failed ${MAX_FAILED} times one after another and is not started again`);
    return true;
  }

  async #pause({ status, signal, stood }: ServerEnd): Promise<void> {
    const pause_ms = stood ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (this.#failed - 1), MAX_PAUSE_MS);
    const how = signal === null ? `status ${status}` : signal;
    this.#say(`the server ended (${how}) and is started again${pause_ms > 0 ? ` in ${pause_ms / 1_000} s` : ""}`);
    await sleep(pause_ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  #over(status: number): number {
    this.#health?.close();
    return status;
  }

  /** As the server writes its own notices, which it cannot do now. */
  #say(line: string): void {
    const at = systemClock.now().toISOString();
    process.stderr.write(this.#json ? `${JSON.stringify({ at, notice: line })}\n` : `abeval: ${line}\n`);
  }
}

/** The statuses with which a server obeys a second signal. */
const ASKED: ReadonlySet<number> = new Set([130, 143]);

/** Whether this process was started to outlive its terminal, as by `nohup`. What it starts would not know. */
function isHangupIgnored(): boolean {
  try {
    const [, last = "0"] = /^SigIgn:\s*[0-9a-f]*([0-9a-f])$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return Number.parseInt(last, 16) % 2 === 1;
  } catch {
    return false;
  }
}
