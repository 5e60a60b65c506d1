import { ONE_IN } from "../src/domain/watch.ts";
import { type Simulated, simulateWatches } from "../test/statistics/watch.ts";

const YEARS = 500;
const SEED = 1;

const QUIET: Readonly<Record<string, Simulated>> = {
  "as in the reference, 80%": { reference: 0.8, now: 0.8 },
  "as in the reference, tasks of 20 and 80%": { reference: 0.5, now: 0.5, spread: 0.3 },
  "as bad as the lower end of its range": { reference: 0.8, now: "low" },
  "better, 70 to 90%": { reference: 0.7, now: 0.9 },
};

const FALLS: Readonly<Record<string, Simulated>> = {
  "80 to 0%": { reference: 0.8, now: 0 },
  "80 to 30%": { reference: 0.8, now: 0.3 },
  "80 to 30%, a reference of 30 runs": { reference: 0.8, now: 0.3, rounds: 3 },
  "80 to 50%": { reference: 0.8, now: 0.5 },
  "80 to 60%": { reference: 0.8, now: 0.6 },
  "80 to 60%, a reference of 500 runs": { reference: 0.8, now: 0.6, rounds: 50 },
};

/** What a watch tells, with a reference of 100 runs and 10 tasks a night where nothing else is said. */
export async function watch(): Promise<void> {
  console.log(`\nAlarms of a watch in ${YEARS} years each, from seed ${SEED}, one in ${ONE_IN} nights allowed`);
  for (const [what, simulated] of Object.entries(QUIET)) {
    const { alarms, nights } = simulateWatches(simulated, YEARS, SEED);
    console.log(`  ${what.padEnd(42)} ${alarms} alarms in ${nights} nights`);
  }
  console.log(`\nA fall is told after so many nights, ${YEARS} watches of 250 nights from seed ${SEED}`);
  for (const [what, simulated] of Object.entries(FALLS)) {
    const { first } = simulateWatches({ ...simulated, nights: 250 }, YEARS, SEED);
    const at = (share: number) => first[Math.floor(share * (first.length - 1))];
    const within = (nights: number) => first.filter((night) => night <= nights).length / first.length;
    console.log(
      `  ${what.padEnd(42)} median ${at(0.5)}, 9 of 10 in ${at(0.9)}; in 4 nights ${percent(within(4))}, in 250 ${percent(within(250))}`,
    );
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
