import { cut } from "../../../domain/excerpt.ts";
import { asRecord, asText, type LooseRecord } from "../../../domain/lenient.ts";
import { NO_JSON } from "../../../runtime/bounded-json.ts";
import { type Clock, startTimer } from "../../../runtime/clock.ts";
import { jsonLines, LINE_BYTES, terminated } from "../../../runtime/lines.ts";
import type { SandboxedProcess } from "../../sandbox/sandbox.ts";

/** Values of one message. A list of a thousand tools has some ten thousand. */
export const MESSAGE_VALUES = 100_000;

const MESSAGE_LIMITS = { bytes: LINE_BYTES, values: MESSAGE_VALUES };

/** Lines that a program may send in all, whatever is in them. */
const MAX_LINES = 100_000;

/** Bytes that a program may leave unread: two of the longest messages. */
const MAX_UNREAD_BYTES = 2 * LINE_BYTES;

/** Milliseconds between the end of its output and that of the program. */
const ENDING_MS = 1_000;

/** Characters that are kept of stderr, and of an error that is its answer. */
const COMPLAINT_CHARS = 2_000;
const ERROR_CHARS = 500;

/** Characters of an id of its own. */
const ID_CHARS = 100;

/** JSON-RPC's code for a method that is not there. */
const METHOD_NOT_FOUND = -32601;

interface Patience {
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

/**
 * Speaks JSON-RPC with a program that nobody trusts, a message a line. A line that is no JSON is left out. A message is
 * counted before it is parsed, no schema looks at it, and a program that goes beyond a limit is killed.
 */
export class JsonRpcPeer {
  readonly #program: SandboxedProcess;
  readonly #clock: Clock;
  readonly #hear: (method: string) => void;
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>();
  #asked = 0;
  #complaint = "";
  #excess: string | undefined;
  #isOver = false;

  /** @param hear is told the method of each notification */
  constructor(program: SandboxedProcess, clock: Clock, hear: (method: string) => void) {
    this.#program = program;
    this.#clock = clock;
    this.#hear = hear;
    void this.#readErrors();
    void this.#readMessages();
  }

  /** The last that it wrote to stderr. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  /** The limit that it went beyond, as in "it sent ..."; undefined while it keeps to all. */
  get excess(): string | undefined {
    return this.#excess;
  }

  /** Its answer. @throws PeerError; TimedOut; Gone; the signal's reason */
  async request(method: string, params: object, { timeout_ms, signal }: Patience): Promise<unknown> {
    signal.throwIfAborted();
    if (this.#isOver) throw new Gone();
    const id = this.#asked;
    this.#asked += 1;
    const answer = Promise.withResolvers<unknown>();
    const giveUp = (reason: unknown) => {
      this.notify("notifications/cancelled", { requestId: id });
      answer.reject(reason);
    };
    const stop = () => giveUp(signal.reason);
    using _timer = startTimer(this.#clock, timeout_ms, () => giveUp(new TimedOut()));
    signal.addEventListener("abort", stop, { once: true });
    this.#open.set(id, answer);
    this.#send({ id, method, params });
    try {
      return await answer.promise;
    } finally {
      this.#open.delete(id);
      signal.removeEventListener("abort", stop);
    }
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    const { stdin } = this.#program;
    const unread = stdin.writableLength;
    if (unread > MAX_UNREAD_BYTES)
      this.#stop(`it left ${unread} bytes of its input unread, at most ${MAX_UNREAD_BYTES}`);
    else stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  #stop(excess: string): void {
    this.#excess ??= excess;
    this.#program.kill();
  }

  async #readMessages(): Promise<void> {
    const tooLong = () => this.#stop(`it sent a message of more than ${LINE_BYTES} bytes`);
    for await (const { number, json } of jsonLines(terminated(this.#program.stdout), MESSAGE_LIMITS, tooLong)) {
      if (number > MAX_LINES) this.#stop(`it sent more than ${MAX_LINES} messages`);
      if (this.#excess !== undefined) break;
      if ("value" in json) this.#receive(asRecord(json.value) ?? {});
      else if (json.fault !== NO_JSON) this.#stop(`it sent a message of ${json.fault}`);
    }
    // A program that closed its output cannot answer any more. One that ends by itself can still say how.
    const insist = setTimeout(() => this.#program.kill(), ENDING_MS);
    await this.#program.ended.catch(() => undefined);
    clearTimeout(insist);
    this.#isOver = true;
    for (const { reject } of this.#open.values()) reject(new Gone());
  }

  /** Answers that nobody waits for are left out. */
  #receive(message: LooseRecord): void {
    const { id, method, result, error } = message;
    if (typeof method === "string") {
      if (id === undefined) this.#hear(method);
      else this.#decline(id, method);
      return;
    }
    const open = isId(id) ? this.#open.get(Number(id)) : undefined;
    if (error === undefined) open?.resolve(result);
    else open?.reject(new PeerError(asText(asRecord(error)?.["message"]) ?? "an error without a message"));
  }

  /** Declines every request of a server except `ping`. */
  #decline(id: unknown, method: string): void {
    if (!isId(id)) return;
    if (method === "ping") this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: "Method not found" } });
  }

  /** Read to its end: a program whose output nobody reads has to wait. */
  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#program.stderr) {
      const text = decoder.decode(chunk.subarray(-4 * COMPLAINT_CHARS), { stream: true });
      this.#complaint = (this.#complaint + text).slice(-COMPLAINT_CHARS);
    }
  }
}

const isId = (id: unknown): id is string | number =>
  typeof id === "number" || (typeof id === "string" && id.length <= ID_CHARS);

/** The answer is an error, in the program's own words. */
export class PeerError extends Error {
  constructor(message: string) {
    super(cut(message, ERROR_CHARS));
  }
}

/** No answer came in time. */
export class TimedOut extends Error {}

/** The program has ended. */
export class Gone extends Error {}
