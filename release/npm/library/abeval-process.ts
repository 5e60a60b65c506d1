import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { isAbsolute } from "node:path";

/** What abeval printed. */
export interface Finished {
  readonly status: number;
  readonly stdout: string;
  /** Its end. */
  readonly stderr: string;
}

export interface Start {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Characters of stderr that are kept for a message. */
const KEPT_CHARS = 16 * 1024;

/** Runs abeval to its end. What it tells is shown where stderr is a terminal. @throws Error where there is no program */
export async function runAbeval({ args, stdin, env, signal }: Start): Promise<Finished> {
  signal.throwIfAborted();
  const isShown = process.stderr.isTTY === true;
  const child = spawn(executable(), [...args, ...(isShown ? [] : ["--quiet"])], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    // A terminal's Ctrl+C reaches this process alone, which passes it on: twice would mean to end without a report.
    detached: true,
  });
  const stop = () => child.kill("SIGINT");
  signal.addEventListener("abort", stop, { once: true });
  live.add(child);
  try {
    return await finished(child, stdin, isShown);
  } finally {
    signal.removeEventListener("abort", stop);
    live.remove(child);
  }
}

async function finished(child: ChildProcess, stdin: string, isShown: boolean): Promise<Finished> {
  const stdout: Buffer[] = [];
  let stderr = "";
  child.stdout?.on("data", (part) => stdout.push(part));
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    if (isShown) process.stderr.write(text);
    stderr = (stderr + text).slice(-KEPT_CHARS);
  });
  // It may end before it has read all.
  child.stdin?.on("error", () => undefined).end(stdin);
  const status = await new Promise<number>((ended, failed) => {
    child.once("error", ({ message }) => failed(new Error(`abeval does not start: ${message}`)));
    child.once("close", (code) => ended(code ?? -1));
  });
  return { status, stdout: Buffer.concat(stdout).toString(), stderr };
}

/** @throws Error that says what to do */
function executable(): string {
  const given = process.env["ABEVAL_BIN"];
  if (given) {
    if (isAbsolute(given)) return given;
    throw new Error(`ABEVAL_BIN is ${given}; give an absolute path`);
  }
  return createRequire(import.meta.url)("../executable.cjs").executable();
}

type Ending = "SIGINT" | "SIGTERM" | "SIGHUP";
const ENDINGS: readonly Ending[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Everything that runs ends with this process, whatever ends it. */
class Live {
  readonly #children = new Set<ChildProcess>();
  #told: Ending | undefined;

  readonly #tell = (signal: Ending) => {
    this.#told = signal;
    for (const child of this.#children) child.kill(signal);
  };
  readonly #kill = () => {
    for (const child of this.#children) child.kill("SIGKILL");
  };

  add(child: ChildProcess): void {
    if (this.#children.size === 0) {
      for (const signal of ENDINGS) process.on(signal, this.#tell);
      process.on("exit", this.#kill);
    }
    this.#children.add(child);
  }

  remove(child: ChildProcess): void {
    this.#children.delete(child);
    if (this.#children.size > 0) return;
    for (const signal of ENDINGS) process.off(signal, this.#tell);
    process.off("exit", this.#kill);
  }

  /** When none is left this process ends as it would have without a listener here. */
  endAsTold(): void {
    if (this.#children.size > 0) return;
    const told = this.#told;
    this.#told = undefined;
    if (told !== undefined && process.listenerCount(told) === 0) process.kill(process.pid, told);
  }
}

const live = new Live();

/** For whoever has removed what abeval was given: a signal that came meanwhile ends this process. */
export const endAsTold = (): void => live.endAsTold();
