import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { LINE_BYTES, lines } from "../lines.ts";
import { Batch, OpenRequests } from "./open-requests.ts";
import { requestProblem } from "./request-problem.ts";

/** The two directions of a client: bytes from it, lines to it. */
export interface Wire {
  readonly input: AsyncIterable<Uint8Array>;
  /** @throws when the client has gone away. */
  write(line: string): Promise<void>;
}

/**
 * Reads one message from each line. A line that is no message goes to `onerror`, and is answered where that is possible.
 * Only the end of the input ends the connection; requests from before it are still answered.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onerror?: (error: Error) => void;
  onclose?: () => void;
  /** Called when the input has ended, before the connection is closed. */
  onend?: () => Promise<void>;
  readonly #wire: Wire;
  readonly #requests = new OpenRequests();
  readonly #batches = new Set<Batch>();
  #closed = false;
  /** The version of the protocol that was agreed on. */
  #version: string | undefined;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async start(): Promise<void> {
    void this.#read();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    this.#version = versionOf(message) ?? this.#version;
    this.#requests.sending(message);
    const batch = [...this.#batches].find((it) => it.take(message));
    try {
      if (batch === undefined) await this.#wire.write(`${JSON.stringify(message)}\n`);
      else await this.#sendWhole(batch);
      this.#requests.sent(message);
    } catch (error) {
      this.#fault(error);
      await this.close();
    }
  }

  /** Resolves when every request has its answer, or after `patience_ms`. */
  answered(patience_ms: number): Promise<void> {
    return this.#requests.answered(patience_ms);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }

  async #read(): Promise<void> {
    const tooLong = () => {
      this.#fault(`a line of more than ${LINE_BYTES} bytes was refused`);
      void this.#reply(null, ErrorCode.InvalidRequest, `a line has ${LINE_BYTES} bytes at most`);
    };
    try {
      for await (const line of lines(this.#wire.input, LINE_BYTES, tooLong)) await this.#receive(line);
    } catch (error) {
      this.#fault(error);
    }
    await this.onend?.();
    await this.close();
  }

  async #receive(line: Uint8Array): Promise<void> {
    if (this.#closed || isBlank(line)) return;
    const value = parsed(line);
    if (value === undefined) {
      this.#fault("a line was refused that is no JSON");
      return await this.#reply(null, ErrorCode.ParseError, "the line is no JSON; send one JSON-RPC message a line");
    }
    if (Array.isArray(value)) await this.#receiveBatch(value);
    else await this.#receiveMessage(value);
  }

  /** Only one version of the protocol has batches. */
  async #receiveBatch(values: readonly unknown[]): Promise<void> {
    if (this.#version === BATCH_VERSION && values.length > 0) {
      const batch = new Batch();
      this.#batches.add(batch);
      for (const value of values) await this.#receiveMessage(value, batch);
      batch.close();
      await this.#sendWhole(batch);
      return;
    }
    const reason =
      values.length === 0
        ? "a batch is empty"
        : `batches are not part of protocol ${this.#version ?? "before it is agreed on"}`;
    this.#fault(`a line was refused: ${reason}`);
    await this.#reply(null, ErrorCode.InvalidRequest, `${reason}; send one message a line`);
  }

  /** Sends the answers of a batch when all are there. A batch of notifications has none. */
  async #sendWhole(batch: Batch): Promise<void> {
    const { answers } = batch;
    if (answers === undefined || !this.#batches.delete(batch) || answers.length === 0) return;
    await this.#wire.write(`${JSON.stringify(answers)}\n`);
  }

  async #receiveMessage(value: unknown, batch?: Batch): Promise<void> {
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) {
      if (this.#requests.isTwin(message.data)) return await this.#refuseTwin(message.data, batch);
      const problem = requestProblem(message.data);
      if (problem === undefined) return await this.#hand(message.data, batch);
      if ("id" in message.data) await this.#reply(message.data.id ?? null, ErrorCode.InvalidParams, problem, batch);
      return;
    }
    this.#fault("a line was refused that is JSON but no JSON-RPC message");
    await this.#refuse(value, batch);
  }

  async #hand(message: JSONRPCMessage, batch: Batch | undefined): Promise<void> {
    this.#requests.received(message);
    if ("method" in message && "id" in message) batch?.expect(message.id);
    this.onmessage?.(message);
    if (!("method" in message) || message.method !== "notifications/cancelled") return;
    for (const open of this.#batches) {
      open.cancel(message.params?.["requestId"]);
      await this.#sendWhole(open);
    }
  }

  /** Answers without the id: the client would take the answer for that of the call which is open. */
  async #refuseTwin(message: JSONRPCMessage, batch: Batch | undefined): Promise<void> {
    const id = JSON.stringify(idOf(message)).slice(0, 100);
    const reason = `the id ${id} is that of a request without an answer yet; give each its own`;
    this.#fault(`a request was refused: ${reason}`);
    await this.#reply(null, ErrorCode.InvalidRequest, reason, batch);
  }

  /** Answers a malformed request, whose client would wait for ever. */
  async #refuse(value: unknown, batch?: Batch): Promise<void> {
    if (isUnanswerable(value)) return;
    await this.#reply(idOf(value), ErrorCode.InvalidRequest, "not a valid JSON-RPC 2.0 request", batch);
  }

  /** @param id null when the message has none that can be read */
  async #reply(id: string | number | null, code: ErrorCode, message: string, batch?: Batch): Promise<void> {
    const answer = { jsonrpc: "2.0", id, error: { code, message } };
    if (batch) batch.add(answer);
    else await this.#wire.write(`${JSON.stringify(answer)}\n`).catch(() => this.close());
  }

  #fault(fault: unknown): void {
    this.onerror?.(fault instanceof Error ? fault : new Error(String(fault)));
  }
}

const CARRIAGE_RETURN = 0x0d;

const isBlank = (line: Uint8Array) => line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);

/** Undefined for what is no JSON. */
function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return undefined;
  }
}

/** A malformed notification or answer. It gets no answer: two sides that answer each other's answers never stop. */
function isUnanswerable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return "method" in value ? !("id" in value) : "result" in value || "error" in value;
}

/** The id of a message; null when it has none that can be read. */
function idOf(value: unknown): string | number | null {
  const id = typeof value === "object" && value !== null && "id" in value ? value.id : null;
  return typeof id === "string" || Number.isInteger(id) ? (id as string | number) : null; // checked here
}

/** The only version of the protocol that has batches. */
const BATCH_VERSION = "2025-03-26";

function versionOf(message: JSONRPCMessage): string | undefined {
  const version = "result" in message ? message.result["protocolVersion"] : undefined;
  return typeof version === "string" ? version : undefined;
}
