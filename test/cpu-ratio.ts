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
 * How many times as much CPU time 4n takes as n: the median of pairs that are measured one right after the other, so that a slow
 * moment of the machine meets both sizes. It ends as soon as the median is below `limit`. The larger comes first: what is left
 * to compile makes the ratio larger, and no quadratic reader passes by it. Each pair takes longer than the one before: a busy
 * machine compiles late, and collects garbage once in many goes of the small text.
 */
export async function cpuRatio<Input>({ n, input, read }: Growth<Input>, limit = LINEAR): Promise<number> {
  const [small, large] = [input(n), input(4 * n)];
  const ratios: number[] = [];
  // The compiler is not the reader's time.
  await read(small);
  const least = STEPS_OF_A_GO * clockStep();
  do {
    const go = Math.max(least, GO_MICROSECONDS * (1 + ratios.length));
    const most = await cpuOf(() => read(large), go);
    ratios.push(most / (await cpuOf(() => read(small), go)));
  } while (ratios.length < MOST_PAIRS && median(ratios) >= limit);
  return median(ratios);
}

const MOST_PAIRS = 45;

/** The first go is at least this long. */
const GO_MICROSECONDS = 1_000;

/** Some machines count a thread's time in steps of 4 ms. A go lasts so many steps and begins on one, so the step does not decide. */
const STEPS_OF_A_GO = 5;

/** Microseconds of CPU that this thread takes for one go: what others compile and collect meanwhile is not the reader's. */
async function cpuOf(work: () => unknown, least: number): Promise<number> {
  const start = nextStep();
  for (let times = 1; ; times += 1) {
    await work();
    const taken = threadMicroseconds() - start;
    if (taken >= least) return taken / times;
  }
}

/** The longest of three steps of the clock: others may end one early. */
const clockStep = () => Math.max(...Array.from({ length: 3 }, () => -nextStep() + nextStep()));

/** The clock's time at the moment it moves on. */
function nextStep(): number {
  const before = threadMicroseconds();
  let now = before;
  while (now === before) now = threadMicroseconds();
  return now;
}

function threadMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
