import { falseAlarms, gateRates, nightsToTell, type Simulated, wrongTables } from "../test/statistics/gates.ts";

const MANY: Simulated = { repetitions: 2_000, seed: 1 };
const TABLES: Simulated = { repetitions: 10_000, seed: 1 };

/** Scenarios and trials of each, points of `--not-worse-by`. */
const PLANS = [
  [3, 30, 10],
  [10, 20, 10],
  [100, 1, 10],
  [100, 3, 10],
  [1, 60, 20],
] as const;

/** How often a gate lets pass what is equal, and what is worse; what a nightly gate tells, and when. */
export async function gates(): Promise<void> {
  console.log(
    `\nThe gate lets a candidate pass, of ${MANY.repetitions} series from seed ${MANY.seed} (without stops, with them)`,
  );
  for (const [scenarios, trials, points] of PLANS)
    for (const control of [0.9, 0.5]) {
      const plan = { scenarios, trials, not_worse_by: points / 100, control };
      const told = [0, -0.1, -0.2].map((difference) => {
        const rates = [false, true].map((stops) =>
          gateRates({ ...plan, candidate: control + difference, stops }, MANY),
        );
        return `${rates.map(({ passes }) => percent(passes)).join(" ")}${rates.some((one) => one.lapsed_better > 0) ? " LAPSED" : ""}`;
      });
      const [equal, ten, twenty] = told;
      const what = `${scenarios} x ${trials}, by ${points} points, control ${percent(control)}`;
      console.log(`  ${what.padEnd(40)} equal ${equal}; 10 worse ${ten}; 20 worse ${twenty}`);
    }
  console.log(
    `\nNights of so many decided trials, ${MANY.repetitions} stores from seed ${MANY.seed}, after 250 equal nights`,
  );
  for (const decided of [10, 15, 20, 30]) {
    const nights = [0.25, 0.1].map((win) => median(nightsToTell(decided, win, MANY)));
    console.log(
      `  ${String(decided).padEnd(4)} false alarms ${percent(falseAlarms(decided, MANY))}; a fall to 25% is told in ${nights[0]} nights, to 10% in ${nights[1]} (medians)`,
    );
  }
  const { better, wrong } = await wrongTables(TABLES);
  console.log(
    `\nOf ${TABLES.repetitions} tables of scores from seed ${TABLES.seed}, ${better} open a gate with better, ${wrong} of them with a lower mean`,
  );
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] ?? 0;
