import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** Requests that may wait for their answer, or for a client that does not read it. */
export const MAX_OPEN = 64;

/** The requests of a client that wait for their answer. One that was cancelled gets none. */
export class OpenRequests {
  readonly #open = new Set<RequestId>();
  /** Answers being written. The client may receive one and use its id again before the write ends here. */
  readonly #leaving = new Set<JSONRPCMessage>();
  #allAnswered: (() => void) | undefined;
  #roomMade: (() => void) | undefined;

  /** Whether another request of this id is open. An answer or a cancellation could not say which it means. */
  isTwin(message: JSONRPCMessage): boolean {
    return "method" in message && "id" in message && this.#open.has(message.id);
  }

  get isFull(): boolean {
    return this.#open.size + this.#leaving.size >= MAX_OPEN;
  }

  /** Resolves when there is room for one more, or after `patience_ms`. */
  async room(patience_ms: number): Promise<void> {
    if (!this.isFull) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#roomMade = resolve;
    await within(patience_ms, promise);
  }

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.add(message.id);
    else if (message.method === "notifications/cancelled") this.#close(message.params?.["requestId"]);
  }

  sending(message: JSONRPCMessage): void {
    this.#leaving.add(message);
    if (!("method" in message)) this.#close(message.id);
  }

  sent(message: JSONRPCMessage): void {
    this.#leaving.delete(message);
    this.#tellOfRoom();
  }

  /** Resolves when every request has its answer, or after `patience_ms`. */
  async answered(patience_ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allAnswered = resolve;
    this.#tellWhenAnswered();
    await within(patience_ms, promise);
  }

  #close(id: unknown): void {
    this.#open.delete(id as RequestId); // what is no id is not in the set
    this.#tellOfRoom();
  }

  #tellOfRoom(): void {
    if (!this.isFull) this.#roomMade?.();
    this.#tellWhenAnswered();
  }

  #tellWhenAnswered(): void {
    if (this.#open.size === 0 && this.#leaving.size === 0) this.#allAnswered?.();
  }
}

/** The answers of one batch, which JSON-RPC sends back together, as an array. A cancelled request has none. */
export class Batch {
  readonly #waiting = new Set<RequestId>();
  readonly #answers: unknown[] = [];
  #isRead = false;

  /** Notes a request of the batch that will be answered. */
  expect(id: RequestId): void {
    this.#waiting.add(id);
  }

  /** False when the answer is for a request outside the batch. */
  take(answer: JSONRPCMessage): boolean {
    if ("method" in answer || answer.id === undefined || !this.#waiting.delete(answer.id)) return false;
    this.#answers.push(answer);
    return true;
  }

  /** Adds an answer that is known before the request runs. */
  add(answer: unknown): void {
    this.#answers.push(answer);
  }

  cancel(id: unknown): void {
    this.#waiting.delete(id as RequestId); // what is no id is not in the set
  }

  /** Called when every message of the batch was read. */
  close(): void {
    this.#isRead = true;
  }

  /** All answers when the last one is there; undefined before. */
  get answers(): readonly unknown[] | undefined {
    return this.#isRead && this.#waiting.size === 0 ? this.#answers : undefined;
  }
}

/** The calls that have not been answered yet. */
export class WaitingCalls {
  readonly #pending = new Set<Promise<unknown>>();

  track<T>(call: Promise<T>): Promise<T> {
    const tracked = call.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return tracked;
  }

  /** Resolves when all have ended, or after `patience_ms`. */
  async settled(patience_ms: number): Promise<void> {
    await within(patience_ms, Promise.allSettled(this.#pending));
  }
}

/** Waits for `settled`, but no longer than this. */
async function within(limit_ms: number, settled: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limit_ms);
  await Promise.race([settled, promise]);
  clearTimeout(timer);
}
