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
