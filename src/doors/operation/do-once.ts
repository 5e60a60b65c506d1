import type { Requester } from "../../comparison/session/started-session.ts";
import { Failure } from "../../domain/failure.ts";
import { KeyHeld } from "../../store/request-keys.ts";
import type { Services } from "./operation.ts";

/** What is asked, and what it is when it was asked before and has an id. */
interface Asked<T> {
  readonly start: () => Promise<T>;
  readonly again: (id: string) => Promise<T>;
}

/** Does what is asked once for each key of a requester. @throws Failure `invalid_request` when the key was used for something else */
export async function doOnce<T>(services: Services, requester: Requester = {}, { start, again }: Asked<T>): Promise<T> {
  for (;;) {
    const before = await doneBefore(services, requester);
    if (before !== undefined) return await again(before);
    try {
      return await start();
    } catch (error) {
      // Another request with the key came at the same moment; it may have been refused since.
      if (!(error instanceof KeyHeld)) throw error;
    }
  }
}

async function doneBefore({ store }: Pick<Services, "store">, { key }: Requester): Promise<string | undefined> {
  const held = key && (await store.request_keys.read(key));
  if (held === undefined || held.request === key?.request) return held?.id;
  throw new Failure(
    "invalid_request",
    `this Idempotency-Key was used for another request, which is ${held.id}: use a new key for each request`,
    { details: { field: "Idempotency-Key" } },
  );
}
