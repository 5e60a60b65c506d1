import { fstatSync, readSync } from "node:fs";
import { PassThrough, pipeline, type Readable, type Writable } from "node:stream";
import { Pace } from "../../../runtime/pace.ts";
import { AnonymousFiles } from "../isolation/anonymous-file.ts";
import { checkProgram, refusedScript } from "../isolation/check-program.ts";
import { MAX_PRINTED_BYTES } from "../limits.ts";
import type {
  ExecResult,
  ProcessEnd,
  Sandbox,
  SandboxedCommand,
  SandboxedProcess,
  SandboxedProgram,
  Scratch,
} from "../sandbox.ts";
import type { Supervision } from "./supervise.ts";

/** What a sandbox is told to start. */
export interface Launch extends Omit<SandboxedProgram, "command" | "max_printed_bytes"> {
  readonly argv: readonly string[];
  /** The file that it prints to, with nothing to read; null: pipes for all three streams. */
  readonly output: number | null;
  /** Used in place of `home`. */
  readonly scratch?: Scratch;
}

/** What a sandbox has started. */
export interface Started extends Supervision {
  /** Null where it prints to a file. */
  readonly pipes: Pipes | null;
}

export interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** `stream`, so that the end of its process does not throw away what nobody has read. */
export const kept = (stream: Readable): Readable => pipeline(stream, new PassThrough(), ignored);

/** A reader sees that the stream is over. */
const ignored = () => undefined;

const SHELL = ["/bin/sh", "-c"] as const;

/** A sandbox of either kind, which differ in how they launch a program. */
export abstract class Launcher implements Sandbox {
  abstract readonly kind: Sandbox["kind"];
  abstract readonly owner: Sandbox["owner"];
  abstract launch(launch: Launch, signal: AbortSignal): Promise<Started>;

  /** A command is a program that prints into a file and is waited for. */
  async run({ run, max_output_bytes, ...where }: SandboxedCommand, signal: AbortSignal): Promise<ExecResult> {
    signal.throwIfAborted();
    const refused = refusedScript(run);
    if (refused) return refused;
    checkProgram({ ...where, command: SHELL }, this);
    using files = new AnonymousFiles();
    const output = files.appending(this.owner);
    const started = await this.launch({ ...where, argv: [...SHELL, run], output }, signal);
    const { ended, full, exit_code, duration_ms } = await started.ended;
    // Only the signal kills a command.
    if (signal.aborted || ended === "killed") throw signal.reason;
    const printed = printedText(output, max_output_bytes);
    return { ended, ...(full !== undefined && { full }), exit_code, ...printed, duration_ms };
  }

  async start(program: SandboxedProgram, signal: AbortSignal): Promise<SandboxedProcess> {
    signal.throwIfAborted();
    checkProgram(program, this);
    const { command, max_printed_bytes = MAX_PRINTED_BYTES, ...how } = program;
    const argv = typeof command === "string" ? [...SHELL, command] : command;
    const running = new PipedProcess(await this.launch({ ...how, argv, output: null }, signal), max_printed_bytes);
    if (!signal.aborted) return running;
    await running[Symbol.asyncDispose]();
    throw signal.reason;
  }
}

/** Reading a pipe takes as long as looking at so many times the bytes. */
const READING_COST = 4;

class PipedProcess implements SandboxedProcess {
  readonly stdin: Writable;
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly ended: Promise<ProcessEnd>;
  readonly #started: Started;
  readonly #pipes: readonly (Readable | Writable)[];
  #bytesLeft: number;

  constructor(started: Started, maxBytes: number) {
    const { stdin, stdout, stderr } = started.pipes as Pipes; // it was launched with `output: null`
    this.#started = started;
    this.#pipes = [stdin, stdout, stderr];
    this.#bytesLeft = maxBytes;
    this.ended = started.ended;
    // Told to whoever awaits it; nobody has to.
    this.ended.catch(ignored);
    this.stdin = stdin;
    this.stdout = this.#bounded(stdout);
    this.stderr = this.#bounded(stderr);
  }

  signal(name: NodeJS.Signals): void {
    this.#started.signal(name);
  }

  async pause(): Promise<void> {
    await this.#started.pause();
  }

  async resume(): Promise<void> {
    await this.#started.resume();
  }

  kill(): void {
    this.#started.stop("killed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill();
    await this.ended.catch(ignored);
    for (const pipe of this.#pipes) pipe.destroy();
  }

  /** A program that prints as fast as it is read leaves no moment in which nothing is there: others get theirs. */
  async *#bounded(stream: Readable): AsyncGenerator<Uint8Array, void, void> {
    const pace = new Pace();
    try {
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        this.#bytesLeft -= chunk.length;
        if (this.#bytesLeft < 0) return this.#started.stop("output_limit");
        yield chunk;
        await pace.bytes(chunk.length * READING_COST);
      }
    } catch {
      // Disposal takes the pipe away from a reader.
    }
  }
}

/** What a command printed, from the file it went to: whole, or head and tail around a line that says what is missing. */
export function printedText(descriptor: number, maxBytes: number): { readonly output: string; readonly bytes: number } {
  const bytes = fstatSync(descriptor).size;
  if (bytes <= maxBytes) return { output: validText(read(descriptor, 0, bytes)), bytes };
  const head = Math.ceil(maxBytes / 2);
  const tail = maxBytes - head;
  const missing = `\n[... ${bytes - maxBytes} bytes left out ...]\n`;
  const output = validText(read(descriptor, 0, head)) + missing + validText(read(descriptor, bytes - tail, tail));
  return { output, bytes };
}

function read(descriptor: number, from: number, length: number): Uint8Array {
  const buffer = new Uint8Array(length);
  const count = length === 0 ? 0 : readSync(descriptor, buffer, 0, length, from);
  return buffer.subarray(0, count);
}

/** NUL and other invisible control characters would not survive in JSON stores and terminals; line ends and tabs stay. */
function validText(bytes: Uint8Array): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return new TextDecoder().decode(bytes).replace(/[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/g, "\ufffd");
}
