import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** The requests of a client that wait for their answer. One that was cancelled gets none. */
export class OpenRequests {
  readonly #open = new Set<RequestId>();
  #allAnswered: (() => void) | undefined;

  received(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    if ("id" in message) this.#open.add(message.id);
    else if (message.method === "notifications/cancelled") this.#close(message.params?.["requestId"]);
  }

  sent(message: JSONRPCMessage): void {
    if (!("method" in message)) this.#close(message.id);
  }

  /** When none is open, or `patience_ms` have passed. */
  async answered(patience_ms: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allAnswered = resolve;
    const timer = setTimeout(resolve, patience_ms);
    await promise;
    clearTimeout(timer);
  }

  #close(id: unknown): void {
    this.#open.delete(id as RequestId); // what is no id is not in the set
    if (this.#open.size === 0) this.#allAnswered?.();
  }
}
