/** Figures beside their yardsticks, measured in turns in one run: the machine's noise hits both alike. */
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

/** One line: what was measured, its median with the range, the yardstick of the same run, and the goal if there is one. */
export function report(
  name: string,
  figure: Sample,
  { unit, yardstick, goal, met }: { unit: string; yardstick: string; goal?: string; met?: boolean },
): void {
  const range = `${round(figure.median)} ${unit} (${round(figure.min)} to ${round(figure.max)})`;
  const mark = goal === undefined ? "info" : met ? "ok  " : "MISS";
  const aim = goal === undefined ? "" : `goal ${goal}`;
  console.log(`${mark} ${name.padEnd(44)} ${range.padEnd(32)} ${yardstick.padEnd(44)} ${aim}`.trimEnd());
}

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
