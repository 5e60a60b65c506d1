import { Failure } from "../../domain/failure.ts";
import { inChild } from "../../runtime/child-work.ts";
import { Semaphore } from "../../runtime/semaphore.ts";
import { SharedWork } from "../../runtime/shared-work.ts";

/** Pictures that wait to be made. Each takes half a second, in a process of its own. */
const MOST_WAITING = 20;

/** Bytes of the pictures that are kept: some hundred. Whoever shows a page with them asks again and again. */
const KEPT_BYTES = 16 * 1024 * 1024;

const turns = new Semaphore(1, MOST_WAITING);
const making = new SharedWork<Uint8Array>();
/** By the digest of the drawing; the one that was asked for last is the last one. */
const kept = new Map<string, Uint8Array>();
let kept_bytes = 0;

/**
 * A drawing as PNG, made once however many ask for it, and one after the other: its renderer holds a processor for longer than
 * anybody may hold this process.
 * @throws Failure `overloaded` when too many wait, or this machine is too busy
 */
export async function pngOf(svg: string, digest: string, signal: AbortSignal): Promise<Uint8Array> {
  const known = kept.get(digest);
  if (known) {
    kept.delete(digest);
    kept.set(digest, known);
    return known;
  }
  return await making.of(digest, (stop) => made(svg, digest, stop), signal);
}

async function made(svg: string, digest: string, signal: AbortSignal): Promise<Uint8Array> {
  if (turns.isFull) throw busy(`${MOST_WAITING} pictures wait to be made`);
  using _ = await turns.acquire(signal);
  const drawn = await inChild<string>("draw-card", svg, { signal });
  if (!("value" in drawn)) throw busy(`the picture ${"over" in drawn ? drawn.over : drawn.late}`);
  const bytes = Buffer.from(drawn.value, "base64");
  keep(digest, bytes);
  return bytes;
}

const busy = (why: string) =>
  new Failure("overloaded", `${why}; ask again in some seconds, or for card.svg`, { retryable: true });

function keep(digest: string, bytes: Uint8Array): void {
  kept.set(digest, bytes);
  kept_bytes += bytes.length;
  for (const [oldest, { length }] of kept) {
    if (kept_bytes <= KEPT_BYTES) break;
    kept.delete(oldest);
    kept_bytes -= length;
  }
}
