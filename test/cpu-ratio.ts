/** A reader of text that nobody vouches for, and its worst input of any size. */
export interface Growth<Input> {
  /** So large that a quadratic reader takes ten milliseconds or more at `n`. */
  readonly n: number;
  readonly input: (n: number) => Input;
  readonly read: (input: Input) => unknown;
}

/** A linear reader takes about 4 times as long for 4 times as much, a quadratic one about 16 times. A test asks for less than this. */
export const LINEAR = 8;

/**
 * How many times as much CPU time 4n takes as n. Each size counts with its least time of several goes, and a go repeats short
 * work, so that a busy machine, the compiler and the garbage collector change little. It ends as soon as the ratio is below `LINEAR`.
 */
export async function cpuRatio<Input>({ n, input, read }: Growth<Input>): Promise<number> {
  const [small, large] = [input(n), input(4 * n)];
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let go = 0; go < GOES; go += 1) least = Math.min(least, await cpuOf(() => read(small)));
  for (let go = 0; go < 4 * GOES && most >= LINEAR * least; go += 1)
    most = Math.min(most, await cpuOf(() => read(large)));
  return most / least;
}

const GOES = 5;

/** A go is at least this long: a hundred times what the clock tells apart. */
const GO_MICROSECONDS = 2_000;

async function cpuOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    await work();
    const { user, system } = process.cpuUsage(start);
    if (user + system >= GO_MICROSECONDS) return (user + system) / times;
  }
}
