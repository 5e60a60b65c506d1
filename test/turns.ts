/** Counts the turns of the event loop until it is disposed. */
export function countTurns(): Disposable & { readonly count: number } {
  let count = 0;
  let over = false;
  const next = () => {
    count += 1;
    if (!over) setImmediate(next);
  };
  setImmediate(next);
  return {
    get count() {
      return count;
    },
    [Symbol.dispose]: () => {
      over = true;
    },
  };
}

/** How often others have their turn while this work goes on. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  using turns = countTurns();
  await work();
  return turns.count;
}

/** Looks every `pause_ms` until there is something, and gives it. @throws when there is still nothing after `longest_ms` */
export async function until<T>(look: () => T | Promise<T>, longest_ms = 50_000, pause_ms = 5): Promise<Found<T>> {
  const end = performance.now() + longest_ms;
  for (;;) {
    const seen = await look();
    if (isFound(seen)) return seen;
    if (performance.now() > end) throw new Error(`after ${longest_ms / 1_000} s there is still nothing: ${look}`);
    await Bun.sleep(pause_ms);
  }
}

type Found<T> = Exclude<T, undefined | false>;

const isFound = <T>(seen: T): seen is Found<T> => seen !== undefined && seen !== false;
