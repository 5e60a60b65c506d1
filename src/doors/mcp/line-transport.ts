import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ErrorCode,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { wholeJson } from "../../domain/whole-json.ts";
import { isMalformed } from "../../runtime/bounded-json.ts";
import { type JsonLine, jsonLines, LINE_BYTES, terminated } from "../../runtime/lines.ts";
import { requestProblem } from "./errors.ts";
import { Batch, MAX_OPEN, OpenRequests } from "./open-requests.ts";

/** The two directions of a client: bytes from it, lines to it. */
export interface Wire {
  readonly input: AsyncIterable<Uint8Array>;
  /** @throws when the client has gone away. */
  write(line: string): Promise<void>;
}

/** Of one message. The largest tool input has a few hundred values. */
const MESSAGE_LIMITS = { bytes: LINE_BYTES, values: 10_000 };

/** Milliseconds that a request waits when too many are open. Meanwhile nothing is read. */
const ROOM_MS = 250;

/** Characters of an id, which is kept until its answer. */
const ID_CHARS = 1_000;

/**
 * Reads one message from each line, and counts its values before anything parses it. A line that is no message goes to `onerror`
 * and is answered where that is possible. Only the end of the input ends the connection; requests from before it are still answered.
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
      if (batch === undefined) await this.#wire.write(`${wholeJson(message)}\n`);
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
      for await (const line of jsonLines(terminated(this.#wire.input), MESSAGE_LIMITS, tooLong))
        await this.#receive(line);
    } catch (error) {
      this.#fault(error);
    }
    await this.onend?.();
    await this.close();
  }

  async #receive({ bytes, json }: JsonLine): Promise<void> {
    if (this.#closed || isBlank(bytes)) return;
    if ("value" in json) {
      if (Array.isArray(json.value)) await this.#receiveBatch(json.value);
      else await this.#receiveMessage(json.value);
    } else if (isMalformed(json.fault)) {
      this.#fault("a line was refused that is no JSON");
      await this.#reply(null, ErrorCode.ParseError, "the line is no JSON; send one JSON-RPC message a line");
    } else {
      this.#fault(`a line was refused: it has ${json.fault}`);
      await this.#reply(null, ErrorCode.InvalidRequest, `the line has ${json.fault}`);
    }
  }

  /** Only one version of the protocol has batches. */
  async #receiveBatch(values: readonly unknown[]): Promise<void> {
    const reason = this.#batchProblem(values.length);
    if (reason !== undefined) {
      this.#fault(`a line was refused: ${reason}`);
      return await this.#reply(null, ErrorCode.InvalidRequest, `${reason}; send one message a line`);
    }
    const batch = new Batch();
    this.#batches.add(batch);
    for (const value of values) await this.#receiveMessage(value, batch);
    batch.close();
    await this.#sendWhole(batch);
  }

  #batchProblem(length: number): string | undefined {
    if (length === 0) return "a batch is empty";
    if (this.#version !== BATCH_VERSION)
      return `batches are not part of protocol ${this.#version ?? "before it is agreed on"}`;
    return length > MAX_OPEN ? `a batch has ${length} messages, at most ${MAX_OPEN} are taken` : undefined;
  }

  /** Sends the answers of a batch when all are there. A batch of notifications has none. */
  async #sendWhole(batch: Batch): Promise<void> {
    const { answers } = batch;
    if (answers === undefined || !this.#batches.delete(batch) || answers.length === 0) return;
    await this.#wire.write(`${wholeJson(answers)}\n`);
  }

  async #receiveMessage(value: unknown, batch?: Batch): Promise<void> {
    const message = JSONRPCMessageSchema.safeParse(value);
    if (!message.success) {
      this.#fault("a line was refused that is JSON but no JSON-RPC message");
      return await this.#refuse(value, batch);
    }
    if (!("method" in message.data)) return this.#fault("an answer was left out: this server asks nothing");
    if (!("id" in message.data)) return await this.#hand(message.data, batch);
    await this.#requests.room(ROOM_MS);
    const refusal = this.#refusalOf(message.data);
    if (refusal === undefined) return await this.#hand(message.data, batch);
    this.#fault(`a request was refused: ${refusal.message}`);
    await this.#reply(refusal.id, refusal.code, refusal.message, batch);
  }

  #refusalOf(request: JSONRPCRequest): Refusal | undefined {
    const { id } = request;
    const invalid = { code: ErrorCode.InvalidRequest, id: null };
    const size = String(id).length;
    if (size > ID_CHARS) return { ...invalid, message: `an id has ${size} characters, at most ${ID_CHARS} are taken` };
    // The refusal carries no id: the client would take it for the answer to the open call.
    const twin = `the id ${JSON.stringify(id).slice(0, 100)} is that of a request without an answer yet; give each its own`;
    if (this.#requests.isTwin(request)) return { ...invalid, message: twin };
    const full = `${MAX_OPEN} requests have no answer yet, and no more are taken; send it again when one has`;
    if (this.#requests.isFull) return { ...invalid, id, message: full };
    const problem = requestProblem(request);
    return problem === undefined ? undefined : { code: ErrorCode.InvalidParams, id, message: problem };
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

  /** Answers a malformed request, whose client would wait for ever. */
  async #refuse(value: unknown, batch?: Batch): Promise<void> {
    if (isUnanswerable(value)) return;
    await this.#reply(idOf(value), ErrorCode.InvalidRequest, "not a valid JSON-RPC 2.0 request", batch);
  }

  /** @param id null when the message has none that can be read */
  async #reply(id: string | number | null, code: ErrorCode, message: string, batch?: Batch): Promise<void> {
    const answer = { jsonrpc: "2.0", id, error: { code, message } };
    if (batch) batch.add(answer);
    else await this.#wire.write(`${wholeJson(answer)}\n`).catch(() => this.close());
  }

  #fault(fault: unknown): void {
    this.onerror?.(fault instanceof Error ? fault : new Error(String(fault)));
  }
}

interface Refusal {
  readonly code: ErrorCode;
  readonly id: string | number | null;
  readonly message: string;
}

const CARRIAGE_RETURN = 0x0d;

const isBlank = (line: Uint8Array) => line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN);

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
