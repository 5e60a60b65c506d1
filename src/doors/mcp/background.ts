import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { CallContext } from "./tool.ts";

/** Something that was started and goes on without the call. */
interface Background {
  readonly done: Promise<unknown>;
  /** What there is to tell on the way, to the end or until the signal fires. */
  readonly news: (over: AbortSignal) => AsyncIterable<string>;
  readonly cancel: () => Promise<unknown>;
  /** What `cancel` fails with when it has ended before. */
  readonly ended: FailureCode;
}

/** Waits until the end or for `wait_ms`, whichever comes first, and tells the client on the way. A cancelled call cancels it. */
export async function waitFor(work: Background, wait_ms: number, { signal, tell }: CallContext): Promise<void> {
  if (wait_ms > 0) {
    const over = AbortSignal.any([signal, AbortSignal.timeout(wait_ms)]);
    const told = tell ? tellAll(work.news(over), tell) : Promise.resolve();
    await Promise.race([Promise.all([work.done, told]), aborted(over)]);
  }
  if (signal.aborted) await stop(work);
}

async function tellAll(news: AsyncIterable<string>, tell: NonNullable<CallContext["tell"]>): Promise<void> {
  for await (const text of news) await tell(text);
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

/** What has just ended needs no stopping. */
async function stop({ cancel, ended }: Background): Promise<void> {
  try {
    await cancel();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== ended) throw error;
  }
}
