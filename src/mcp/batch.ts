import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** The answers of one batch, which JSON-RPC sends back together, as an array. A cancelled request has none. */
export class Batch {
  readonly #waiting = new Set<RequestId>();
  readonly #answers: unknown[] = [];
  #isRead = false;

  /** A request of it that will be answered. */
  expect(id: RequestId): void {
    this.#waiting.add(id);
  }

  /** False when the answer belongs elsewhere. */
  take(answer: JSONRPCMessage): boolean {
    if ("method" in answer || answer.id === undefined || !this.#waiting.delete(answer.id)) return false;
    this.#answers.push(answer);
    return true;
  }

  /** An answer that is known while the batch is read. */
  add(answer: unknown): void {
    this.#answers.push(answer);
  }

  cancel(id: unknown): void {
    this.#waiting.delete(id as RequestId); // what is no id is not in the set
  }

  /** All its messages were read. */
  close(): void {
    this.#isRead = true;
  }

  /** Every answer once the last is there; undefined before. */
  get answers(): readonly unknown[] | undefined {
    return this.#isRead && this.#waiting.size === 0 ? this.#answers : undefined;
  }
}
