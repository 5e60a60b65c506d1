/**
 * The results of tasks that are worth nothing without each other: when one fails, the others are stopped and paid for no
 * longer.
 * @throws what the first failing task throws.
 */
export async function allOrNone<Result>(
  tasks: readonly ((signal: AbortSignal) => Promise<Result>)[],
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const others = new AbortController();
  const either = AbortSignal.any([signal, others.signal]);
  try {
    return await Promise.all(tasks.map((task) => task(either)));
  } catch (error) {
    others.abort(error);
    throw error;
  }
}
