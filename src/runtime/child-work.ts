import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { type Bounded, OverLimit } from "./bounded.ts";
import { ownProgram } from "./own-program.ts";
import { Semaphore } from "./semaphore.ts";

/** Work that a child can do: it takes what JSON can hold, and gives back what JSON can hold. */
type ChildWork = (input: never) => unknown;

/** Works by name, each loaded in the child alone. */
export type ChildWorks = Readonly<Record<string, () => Promise<ChildWork>>>;

interface ChildLimits {
  /** Of what is resident. */
  readonly memory_mb: number;
  /** Of a processor: a machine with much else to do gives a child few of them, and changes no answer. */
  readonly cpu_ms: number;
  /** Of a clock, for a child that waits, and for a system that tells of no processor. */
  readonly wait_ms: number;
}

const LIMITS: ChildLimits = { memory_mb: 256, cpu_ms: 10_000, wait_ms: 60_000 };

/** Characters of what a child may answer. */
const MAX_ANSWER_CHARS = 32_000_000;

/** Children at once, so that other work has a processor. */
const places = new Semaphore(2);

/** Milliseconds between two looks at what a child has taken. */
const LOOK_EVERY_MS = 25;

const NEVER = new AbortController().signal;

interface ChildOptions {
  /** Absent: nobody ends it before its time. */
  readonly signal?: AbortSignal;
  readonly limits?: ChildLimits;
  /** What answers `<program...> <work>`; default: abeval itself. */
  readonly program?: readonly string[];
}

/**
 * Does work in a process of its own, for what would hold the event loop for longer than 50 ms, or whose steps cannot be counted.
 * The name is one of those in `doors/cli/bounded-work.ts`. What takes too long is tried once more.
 *
 * - `over`: the work threw `OverLimit`, or needed more memory than it may have
 * - `late`: it took too long twice, or the machine ended it
 *
 * @throws the signal's reason when it fires; Error for what the work throws
 */
export async function inChild<T>(work: string, input: unknown, options: ChildOptions = {}): Promise<Bounded<T>> {
  using _ = await places.acquire(options.signal ?? NEVER);
  const first = await tryOnce<T>(work, input, options);
  return "late" in first ? await tryOnce<T>(work, input, options) : first;
}

async function tryOnce<T>(
  work: string,
  input: unknown,
  { signal = NEVER, limits = LIMITS, program = ownProgram("__work") }: ChildOptions,
): Promise<Bounded<T>> {
  signal.throwIfAborted();
  const child = startChild([...program, work]);
  if ("late" in child) return child;
  const watch = new Watch(child, limits, signal);
  try {
    return await watch.answer<T>(JSON.stringify(input));
  } finally {
    watch.end();
    signal.throwIfAborted();
  }
}

/** A machine without a free descriptor starts none. */
function startChild(argv: readonly string[]): ChildProcess | { readonly late: string } {
  try {
    return spawn("/bin/sh", ["-c", FENCE, "sh", ...argv], {
      // Nothing of this directory says how it works, and no key is in its environment.
      cwd: "/",
      env: { HOME: homedir() },
      stdio: ["pipe", "pipe", "ignore"],
    });
  } catch (error) {
    return notStarted(error);
  }
}

const notStarted = (why: unknown) => ({ late: `could not be started on this machine (${why})` });

/**
 * The server goes first where processors are few. The kernel's fences are for when nobody watches any more: no dump, 30 s of CPU,
 * 4 GiB.
 */
const FENCE = '{ renice -n 10 -p $$; ulimit -c 0; ulimit -t 30; ulimit -d 4194304; } >/dev/null 2>&1; exec "$@"';

/** Follows one child to its end. */
class Watch {
  readonly #child: ChildProcess;
  readonly #limits: ChildLimits;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #signal: AbortSignal;
  #ended: Bounded<never> | undefined;
  #most_mb = 0;

  constructor(child: ChildProcess, limits: ChildLimits, signal: AbortSignal) {
    this.#child = child;
    this.#limits = limits;
    this.#signal = signal;
    const { wait_ms } = limits;
    this.#timers = [
      setTimeout(() => this.#stop({ late: `took more than ${wait_ms / 1_000} s on this machine` }), wait_ms),
      setInterval(() => this.#look(), LOOK_EVERY_MS),
    ];
    signal.addEventListener("abort", this.end, { once: true });
  }

  async answer<T>(input: string): Promise<Bounded<T>> {
    const { stdin, stdout } = this.#child;
    // It may end before it has read everything: its end says why.
    stdin?.on("error", () => undefined);
    stdin?.end(input);
    let text = "";
    stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER_CHARS)
        this.#stop({ over: `gives more than ${MAX_ANSWER_CHARS.toLocaleString("en")} characters` });
    });
    const { promise, resolve } = Promise.withResolvers<Error | NodeJS.Signals | number | null>();
    this.#child.once("error", resolve);
    this.#child.once("close", (status, by) => resolve(by ?? status));
    const end = await promise;
    if (this.#ended !== undefined) return this.#ended;
    return end === 0 ? readAnswer<T>(text) : this.#withoutAnswer(end);
  }

  readonly end = (): void => {
    for (const timer of this.#timers) clearInterval(timer);
    this.#signal.removeEventListener("abort", this.end);
    this.#child.kill("SIGKILL");
  };

  #stop(why: Bounded<never>): void {
    this.#ended ??= why;
    this.#child.kill("SIGKILL");
  }

  get #overMemory() {
    return { over: `takes more than ${this.#limits.memory_mb} MB of memory` };
  }

  #look(): void {
    this.#most_mb = Math.max(this.#most_mb, residentMb(this.#child.pid));
    const { memory_mb, cpu_ms } = this.#limits;
    if (this.#most_mb > memory_mb) this.#stop(this.#overMemory);
    if (processorMs(this.#child.pid) > cpu_ms)
      this.#stop({ late: `took more than ${cpu_ms / 1_000} s of a processor on this machine` });
  }

  /** A runtime that gets no memory ends itself by a signal. One that has taken little did not ask for too much. */
  #withoutAnswer(end: Error | NodeJS.Signals | number | null): Bounded<never> {
    if (end instanceof Error) return notStarted(end);
    if (typeof end === "number" && NOT_STARTED.has(end)) return notStarted(`status ${end}`);
    if (typeof end !== "string") throw new Error(`a child of abeval ended with status ${end}`);
    const isOver = this.#most_mb > this.#limits.memory_mb / 2 && !FROM_OUTSIDE.has(end);
    return isOver ? this.#overMemory : { late: `was ended by ${end} on this machine` };
  }
}

/** A shell's statuses for a program that it cannot start. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);

const FROM_OUTSIDE: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"]);

/** 0 where the system does not tell. */
function residentMb(pid: number | undefined): number {
  try {
    const [, kb] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kb ?? 0) / 1_000;
  } catch {
    return 0;
  }
}

/** What the kernel counts a processor's time in: 100 a second on every Linux. */
const TICK_MS = 10;

/** 0 where the system does not tell. */
function processorMs(pid: number | undefined): number {
  try {
    // Counted from the end of the name, which may hold anything: the 12th and the 13th field.
    const [, rest = ""] = /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    const fields = rest.split(" ");
    return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
  } catch {
    return 0;
  }
}

type Answer<T> = { readonly value: T } | { readonly over: string } | { readonly fault: string };

function readAnswer<T>(text: string): Bounded<T> {
  // Our own program wrote it.
  const answer = JSON.parse(text) as Answer<T>;
  if ("fault" in answer) throw new Error(answer.fault);
  return "over" in answer ? answer : { value: answer.value };
}

/** The child's side: does the work, and says what came of it. */
export async function answerChildWork(works: ChildWorks, name: string, input: string): Promise<string> {
  const work = await works[name]?.();
  const told = (answer: Answer<unknown>) => JSON.stringify(answer);
  if (work === undefined) return told({ fault: `there is no work called ${name}` });
  try {
    // Who asked by the name has made the input for it.
    return told({ value: await work(JSON.parse(input) as never) });
  } catch (error) {
    if (error instanceof OverLimit) return told({ over: error.message });
    if (error instanceof RangeError)
      return told({ over: `takes more memory or depth than there is (${error.message})` });
    return told({ fault: error instanceof Error ? error.message : String(error) });
  }
}
