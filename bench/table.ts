import { join } from "node:path";
import type { SeriesStarted } from "../src/domain/series-request.ts";
import type { SessionListing } from "../src/domain/session-list.ts";
import { until } from "../test/turns.ts";
import { report, round, sampleOf } from "./measure.ts";
import { BenchDirectory, limits, scripted } from "./program.ts";

const ROWS = 2_000;
const TOGETHER = 8;
const ROUNDS = 5;
const LOOK_MS = 10;

/** A table of as many rows as there may be, beside one of a single row: each on a server of its own. */
export async function table(): Promise<void> {
  const dir = new BenchDirectory();
  for (const [name, rows] of [["one", 1] as const, ["many", ROWS] as const])
    dir.scenario(name, scripted(name).replace("Say hello.", '"Say hello {{n}}."') + inputs(rows));
  const figures = { one: [] as Figures[], many: [] as Figures[] };
  for (let n = 0; n < ROUNDS; n += 1)
    // Each on a server that nobody used.
    for (const name of ["one", "many"] as const) figures[name].push(await seriesOf(dir, name, `state-${name}-${n}`));
  const of = (name: keyof typeof figures, what: keyof Figures) => sampleOf(figures[name].map((one) => one[what]));
  const goals = { plan_ms: ["ms", 2_000], first_ms: ["ms", 1_000], peak_mib: ["MiB", 200] } as const;
  const names = {
    plan_ms: `a table of ${ROWS} rows: its plan`,
    first_ms: "  first trial, from the command on",
    peak_mib: "  peak memory",
  };
  for (const what of ["plan_ms", "first_ms", "peak_mib"] as const) {
    const [unit, most] = goals[what];
    const yardstick = `one row: ${round(of("one", what).median)} ${unit}, n=${ROUNDS}`;
    const figure = of("many", what);
    report(names[what], figure, { unit, yardstick, goal: `<= ${most} ${unit}`, met: figure.median <= most });
  }
}

const inputs = (rows: number) =>
  `inputs:\n${Array.from({ length: rows }, (_, n) => `  - {id: row-${n}, n: "${n}"}\n`).join("")}`;

interface Figures {
  /** Until the series is accepted: every row was planned then. */
  readonly plan_ms: number;
  /** From the same request until a list of sessions shows the first trial. */
  readonly first_ms: number;
  readonly peak_mib: number;
}

async function seriesOf(dir: BenchDirectory, scenario: string, state: string): Promise<Figures> {
  await using server = await dir.serve(["--state-dir", join(dir.path, state), ...limits(TOGETHER)]);
  const began = performance.now();
  const accepted = await fetch(new URL("/api/series", server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenarios: [scenario], parallel: TOGETHER }),
  });
  if (!accepted.ok) throw new Error(await accepted.text());
  const { series_id } = (await accepted.json()) as SeriesStarted;
  const plan_ms = performance.now() - began;
  const sessions = async () =>
    (await (await fetch(new URL("/api/sessions?limit=1", server.url))).json()) as SessionListing[];
  await until(async () => (await sessions()).length > 0, 50_000, LOOK_MS);
  const first_ms = performance.now() - began;
  await (await fetch(new URL(`/api/series/${series_id}/stream`, server.url))).arrayBuffer();
  return { plan_ms, first_ms, peak_mib: server.peak_mib() };
}
