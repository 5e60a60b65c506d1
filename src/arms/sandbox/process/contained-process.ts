import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { OwnNetwork } from "../isolation/own-network.ts";
import type { MemoryGroups } from "../memory-group.ts";
import { CommandMemory } from "./command-memory.ts";
import { isForeign } from "./killed-from-outside.ts";
import { isGone, signalGroup, signalProcess } from "./process-table.ts";
import { kept, type Pipes, printedText } from "./started.ts";

/** A program that waits behind its gate: it says on `stdout` that it is there, and begins with a line on `stdin`. */
export type GatedChild = ChildProcessByStdio<Writable, Readable, Readable | null>;

interface Contained {
  readonly child: GatedChild;
  readonly pid: number;
  /** Descriptor of the file that bwrap reports to. */
  readonly status: number;
  /** The file that the program prints to; null: pipes. */
  readonly output: number | null;
  readonly groups: MemoryGroups | null;
  /** Bytes of memory of everything in it. */
  readonly tree_bytes: number;
}

/** A process of bubblewrap. Disposal waits until everything in it is gone. */
export class ContainedProcess implements AsyncDisposable {
  readonly #parts: Contained;
  readonly #helpers = new DisposableStack();
  readonly #memory: CommandMemory;
  readonly #stderr: Readable | null;
  #stdout: Readable | undefined;
  #init: number | undefined;
  #begun = false;
  #fault: string | undefined;
  /** What took its way out from it. */
  #foreign: string | undefined;

  constructor(parts: Contained) {
    this.#parts = parts;
    this.#memory = new CommandMemory(parts.groups, parts.pid, parts.tree_bytes);
    const { stdin, stdout, stderr } = parts.child;
    for (const pipe of [stdin, stdout]) pipe.on("error", goneMeanwhile);
    this.#stderr = stderr && kept(stderr);
  }

  /** True once something of the program may have run. */
  get begun(): boolean {
    return this.#begun;
  }

  /** The first process of its namespace; everything in it descends from that. Undefined until the program has begun. */
  get init(): number | undefined {
    return this.#init;
  }

  /** Lets the program begin when it has come to its gate. Returns when it began or when it never will. */
  async passGate(network: OwnNetwork | undefined): Promise<void> {
    const { stdin, stdout } = this.#parts.child;
    let isThere = await says(stdout);
    if (isThere && network) {
      // A program with a network of its own says first that its network is there.
      void this.#connect(network);
      isThere = await says(stdout);
    }
    if (isThere) {
      this.#begin();
      stdin.write("\n");
    }
    if (isThere && this.#stdout) return;
    stdin.end();
    stdout.destroy();
  }

  /** Null where it prints to a file. */
  pipes(): Pipes | null {
    const { stdin, stdout } = this.#parts.child;
    return this.#stderr && { stdin, stdout: this.#stdout ?? kept(stdout), stderr: this.#stderr };
  }

  /** Why the program did not begin. */
  async complaint(): Promise<string> {
    const { output } = this.#parts;
    const printed = output === null ? "" : printedText(output, MAX_STATUS_BYTES).output;
    return this.#fault ?? (this.#stderr ? await text(this.#stderr) : printed);
  }

  /** bwrap's own status tells less: both a fault of the sandbox and a failing command can be a 1. */
  exitCode(): number {
    return readStatus(this.#parts.status).exit_code ?? KILLED;
  }

  async tooMuchMemory(): Promise<boolean> {
    return await this.#memory.isExhausted();
  }

  /**
   * What ended it from outside. Nothing in the sandbox can send a signal to the processes around it, and only the kernel counts
   * kills for lack of memory.
   */
  foreignEnd(): string | undefined {
    const { pid, child } = this.#parts;
    // Its way out failed, and it was ended for that.
    if (this.#fault !== undefined || this.#foreign !== undefined) return this.#foreign;
    if (isForeign(child.signalCode)) return `${child.signalCode} ended the sandbox around it (process ${pid})`;
    return this.#memory.outerRanOut() ? OUTER_RAN_OUT : undefined;
  }

  /** The whole group at once: a first process that is still being set up is in it. Its namespace dies with it. */
  kill(): void {
    signalGroup(this.#parts.pid, "SIGKILL");
  }

  signal(name: NodeJS.Signals): void {
    if (this.#init !== undefined) signalGroup(this.#init, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#helpers[Symbol.dispose]();
    await isOver(readStatus(this.#parts.status).child_pid);
    await this.#memory[Symbol.asyncDispose]();
  }

  #begin(): void {
    this.#begun = true;
    this.#init = readStatus(this.#parts.status).child_pid;
    this.#memory.enter(this.#init);
    if (this.#stderr) this.#stdout = kept(this.#parts.child.stdout);
  }

  async #connect({ attach }: OwnNetwork): Promise<void> {
    if (this.#helpers.disposed) return;
    const { said, by } = await this.#helpers.use(attach(this.#parts.pid)).ended;
    if (this.#helpers.disposed) return;
    if (isForeign(by)) this.#foreign = `${by} ended the helper that led it to the network`;
    else if (this.#begun) return;
    else this.#fault = said.trim() || SILENT_HELPER;
    this.kill();
  }
}

const OUTER_RAN_OUT =
  "the machine, or a control group around abeval, ran out of memory, and the kernel killed a process of it";

const SILENT_HELPER = "it ended at once and said nothing";

/** The exit code of a shell for a program that SIGKILL ended. */
const KILLED = 137;

/** An input that is closed says no more than the end of its program. */
const goneMeanwhile = () => undefined;

/** False: the stream ended. What follows stays in it. */
async function says(stream: Readable): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  stream.once("data", () => {
    stream.pause();
    resolve(true);
  });
  stream.once("close", () => resolve(false));
  stream.resume();
  return await promise;
}

const MAX_STATUS_BYTES = 4_096;

/** What bwrap says of itself. */
function readStatus(descriptor: number): { readonly child_pid?: number; readonly exit_code?: number } {
  const { output } = printedText(descriptor, MAX_STATUS_BYTES);
  const child = /"child-pid":\s*(\d+)/.exec(output)?.[1];
  const exit = /"exit-code":\s*(\d+)/.exec(output)?.[1];
  return { ...(child && { child_pid: Number(child) }), ...(exit && { exit_code: Number(exit) }) };
}

/**
 * The kernel ends the process namespace a moment after bwrap; files are read only then. A sandbox that was killed while it
 * was being made does not yet die with its parent, so its first process is killed by its number.
 */
async function isOver(init: number | undefined): Promise<void> {
  if (init === undefined || isGone(init)) return;
  signalProcess(init, "SIGKILL");
  for (let tries = 0; !isGone(init) && tries < 5_000; tries += 1) await sleep(1);
}
