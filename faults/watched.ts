import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Served } from "../test/http/served.ts";
import { hold } from "./campaign.ts";

/** What a fault cost the server. */
export interface Figures {
  readonly name: string;
  /** The longest that anybody waited for `/api/health`, of so many `samples`. */
  readonly pause_ms: number;
  readonly samples: number;
  /** The longest that anybody waited meanwhile for a server that does nothing else. */
  readonly bare_ms: number;
  readonly memory_mb: number;
  readonly disk_mb: number;
  readonly seconds: number;
}

/**
 * Bounds. The goal is an answer within 50 ms; a busy machine may add some, and what it does to a bare server is allowed on top.
 * Without their remedies hostile arms held the server up for 12 to 150 seconds, or for good, and took 400 MB to 5 GB. A server at
 * rest has about 150 MB, and a copy of the largest real workspace 120 MB.
 */
const MOST = { pause_ms: 250, memory_mb: 300, disk_mb: 700 };

interface Watched {
  readonly name: string;
  readonly served: Served;
  /** On the disk that is watched. */
  readonly directory: string;
  readonly rows: Figures[];
}

/** Measures a server while `work` lasts. The figures go into `rows`. @throws Error when they are above `most` */
export async function watched(
  { name, served, directory, rows }: Watched,
  work: () => Promise<void>,
  most: Readonly<Partial<typeof MOST>> = {},
): Promise<void> {
  const began = performance.now();
  const asking = Bun.spawn([process.execPath, join(import.meta.dir, "ask-health.ts"), served.url, directory], {
    ...{ stdin: "pipe", stdout: "pipe", stderr: "inherit" },
  });
  const lines = asking.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await lines.read();
  try {
    await work();
  } finally {
    await asking.stdin.end();
  }
  const { value: told = "" } = await lines.read();
  const { failed, ...health } = JSON.parse(told) as Omit<Figures, "name" | "memory_mb" | "seconds"> & {
    failed: number;
  };
  const figures = {
    ...{ name, ...health, memory_mb: peakMemory(served) },
    seconds: (performance.now() - began) / 1_000,
  };
  rows.push(figures);
  hold(failed === 0, "every question for health to be answered", `${failed} were not`);
  const { pause_ms, ...others } = { ...MOST, ...most };
  const limits = { ...others, pause_ms: pause_ms + figures.bare_ms };
  for (const [what, limit] of Object.entries(limits) as [keyof typeof MOST, number][])
    hold(figures[what] < limit, `${what} below ${limit}`, `${figures[what]}`);
}

const peakMemory = ({ child }: Served) =>
  Math.round(Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1_000);

/** A case that was tried several times is one line: the middle of its pauses, and the most that it took. */
export function printFigures(title: string, rows: readonly Figures[]): void {
  if (rows.length === 0) return;
  const cases = [...Map.groupBy(rows, ({ name }) => name).values()];
  const times = Math.max(...cases.map(({ length }) => length));
  const head = times > 1 ? `${title}, the median of ${times}` : title;
  console.log(`  ${head.padEnd(44)} pause ms  bare ms  of asked  memory MB  disk MB  seconds`);
  for (const tries of cases) {
    const [middle, most] = [figureOf(tries, median), figureOf(tries, (values) => Math.max(...values))];
    const figures = [middle("samples", 9), most("memory_mb", 10), most("disk_mb", 8), middle("seconds", 8, 1)];
    const name = `${tries[0]?.name}`.slice(0, 44).padEnd(44);
    console.log(`  ${name} ${[middle("pause_ms", 8), middle("bare_ms", 8), ...figures].join(" ")}`);
  }
  const middle = figureOf(rows, median);
  console.log(`  ${"the median".padEnd(44)} ${middle("pause_ms", 8)} ${middle("bare_ms", 8)}`);
}

const figureOf =
  (rows: readonly Figures[], of: (values: readonly number[]) => number) =>
  (what: Exclude<keyof Figures, "name">, width: number, digits = 0) =>
    of(rows.map((row) => row[what]))
      .toFixed(digits)
      .padStart(width);

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
