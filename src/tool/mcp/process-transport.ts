import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { LINE_BYTES, lines } from "../../lines.ts";
import { Pace } from "../../pace.ts";
import type { SandboxedProcess } from "../../sandbox/sandbox.ts";

/** Bytes that a server may leave unread: two of the longest messages. */
const MAX_UNREAD_BYTES = 2 * LINE_BYTES;

/** Milliseconds between the end of its output and that of the program. */
const ENDING_MS = 1_000;

/** Characters of stderr that are kept. */
const COMPLAINT_CHARS = 2_000;

/** Speaks to a program that nobody trusts, a message a line. A line that is no message is left out. */
export class ProcessTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  /** Called when the program is gone. */
  onclose?: () => void;
  /** Called for a message beyond LINE_BYTES, which is dropped. */
  ontoolong?: () => void;
  readonly #program: SandboxedProcess;
  #complaint = "";

  constructor(program: SandboxedProcess) {
    this.#program = program;
  }

  /** The last that it wrote to stderr. */
  get complaint(): string {
    return this.#complaint.trim();
  }

  async start(): Promise<void> {
    void this.#readErrors();
    void this.#readMessages();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#program;
    if (stdin.writableLength > MAX_UNREAD_BYTES) this.#program.kill();
    else stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.#program.kill();
  }

  async #readMessages(): Promise<void> {
    const pace = new Pace();
    for await (const line of lines(this.#program.stdout, LINE_BYTES, () => this.ontoolong?.())) {
      const message = messageIn(line);
      if (message) this.onmessage?.(message);
      await pace.bytes(line.length);
    }
    // Without its output it cannot answer any more. One that ends by itself can still say how.
    const insist = setTimeout(() => this.#program.kill(), ENDING_MS);
    await this.#program.ended.catch(() => undefined);
    clearTimeout(insist);
    this.onclose?.();
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

function messageIn(line: Uint8Array): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.safeParse(JSON.parse(new TextDecoder().decode(line))).data;
  } catch {
    return undefined;
  }
}
