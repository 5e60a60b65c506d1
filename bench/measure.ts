/** Figures and yardsticks are measured in turns in one run, so that the machine's noise hits both alike. */
export interface Sample {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function sampleOf(values: readonly number[]): Sample {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return { median: at(0.5), min: at(0), max: at(1) };
}

/** Runs each work once a round, in turns, and returns what each one took. */
export async function inTurns<Name extends string>(
  works: Readonly<Record<Name, () => Promise<number>>>,
  rounds: number,
): Promise<Record<Name, Sample>> {
  const names = Object.keys(works) as Name[];
  const values = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const name of names) values.get(name)?.push(await works[name]());
  return Object.fromEntries(names.map((name) => [name, sampleOf(values.get(name) ?? [])])) as Record<Name, Sample>;
}

export interface Row {
  readonly unit: string;
  /** Measured in the same run. */
  readonly yardstick: string;
  /** Absent for a figure that explains another. */
  readonly goal?: string;
  readonly met?: boolean;
}

export const printHead = () => print("", "figure", "median (min to max)", "yardstick of the same run", "goal");

/** One row of the table. */
export function report(name: string, figure: Sample, { unit, yardstick, goal, met }: Row): void {
  const range = figure.min === figure.max ? "" : ` (${round(figure.min)} to ${round(figure.max)})`;
  const mark = goal === undefined ? "" : met ? "ok" : "MISS";
  print(mark, name, `${round(figure.median)} ${unit}${range}`, yardstick, goal ?? "");
}

const print = (mark: string, name: string, figure: string, yardstick: string, goal: string) =>
  console.log(`${mark.padEnd(4)} ${name.padEnd(46)} ${figure.padEnd(34)} ${yardstick.padEnd(62)} ${goal}`.trimEnd());

export const round = (value: number) => (value >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

export interface ProcessFigures {
  readonly ms: number;
  readonly peak_mib: number;
  readonly status: number;
}

/** A whole process, from spawn to exit. */
export async function timeProcess(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProcessFigures> {
  const began = performance.now();
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", ...environment },
    stdio: ["ignore", "ignore", "ignore"],
  });
  const status = await child.exited;
  const ms = performance.now() - began;
  return { ms, peak_mib: (child.resourceUsage()?.maxRSS ?? 0) / 2 ** 20, status };
}
