import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { LINE_BYTES, lines } from "./lines.ts";
import { OpenRequests } from "./open-requests.ts";

/** The two directions of a client: bytes from it, lines to it. */
export interface Wire {
  readonly input: AsyncIterable<Uint8Array>;
  /** @throws when the client has gone away. */
  write(line: string): Promise<void>;
}

/**
 * A message a line. What is no message is told to `onerror` and answered where that is possible; nothing that a client
 * sends ends the connection but the end of its input, and what it asked before that is still answered.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** When the input has ended; the connection is closed after it. */
  onend?: () => Promise<void>;
  readonly #wire: Wire;
  readonly #requests = new OpenRequests();
  #closed = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#wire.write(`${JSON.stringify(message)}\n`);
      this.#requests.sent(message);
    } catch (error) {
      this.#fault(error);
      await this.close();
    }
  }

  /** When every request has its answer, or `patience_ms` have passed. */
  answered(patience_ms: number): Promise<void> {
    return this.#requests.answered(patience_ms);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    const tooLong = () => this.#fault(`a line of more than ${LINE_BYTES} bytes was passed over`);
    try {
      for await (const line of lines(this.#wire.input, LINE_BYTES, tooLong)) await this.#receive(line);
    } catch (error) {
      this.#fault(error);
    }
    await this.onend?.();
    await this.close();
  }

  async #receive(line: Uint8Array): Promise<void> {
    const value = this.#parsed(line);
    if (value === undefined || this.#closed) return;
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) return this.#hand(message.data);
    this.#fault("a line was passed over that is JSON but no JSON-RPC message");
    await this.#refuse(value);
  }

  #hand(message: JSONRPCMessage): void {
    this.#requests.received(message);
    this.onmessage?.(message);
  }

  /** Undefined for an empty line and for one that is no JSON. */
  #parsed(line: Uint8Array): unknown {
    if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return undefined;
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
    } catch {
      this.#fault("a line was passed over that is no JSON");
      return undefined;
    }
  }

  /** Whoever asked something in the wrong form hears of it, instead of waiting for ever. */
  async #refuse(value: unknown): Promise<void> {
    if (typeof value !== "object" || value === null || !("id" in value) || !("method" in value)) return;
    const { id } = value;
    if (typeof id !== "string" && !Number.isInteger(id)) return;
    const error = { code: ErrorCode.InvalidRequest, message: "not a valid JSON-RPC 2.0 request" };
    await this.send({ jsonrpc: "2.0", id: id as string | number, error }); // checked above
  }

  #fault(fault: unknown): void {
    this.onerror?.(fault instanceof Error ? fault : new Error(String(fault)));
  }
}

const CARRIAGE_RETURN = 0x0d;
