import { type Campaign, type Case, type Setting, Skip, within } from "./campaign.ts";

/** A case that takes longer hangs. On a busy machine one that waits for two leases of a database takes more than a minute. */
const CASE_LIMIT_MS = 180_000;
const PROGRESS_MS = 10_000;

export interface Report {
  readonly survived: number;
  readonly skipped: number;
  readonly failures: readonly string[];
}

export interface Order {
  readonly name: string;
  readonly campaign: Campaign;
  readonly seed: number;
  readonly count: Setting["count"];
  /** Only this case, by its number. */
  readonly only: number | undefined;
  /** How often each case is tried. */
  readonly times: number;
  readonly print: (line: string) => void;
}

/**
 * Runs the cases of a campaign, some side by side. Prints each failure with the command that repeats it.
 * @throws Error when the campaign has no case to run.
 */
export async function runCampaign({ name, campaign, seed, count, only, times, print }: Order): Promise<Report> {
  await using shared = new AsyncDisposableStack();
  const all = (await campaign.cases({ seed, count, shared })).map((given, index) => ({ given, index }));
  const waiting = only === undefined ? all : all.filter(({ index }) => index === only);
  if (waiting.length === 0) throw new Error(`${name} has no case ${only}; its cases are 0 to ${all.length - 1}`);
  const tries = waiting.flatMap((one) => Array.from({ length: times }, () => one));
  const failures: string[] = [];
  let [survived, skipped, lastTold] = [0, 0, performance.now()];
  const skips = new Set<string>();
  const queue = tries.values();

  const work = async () => {
    for (const { given, index } of queue) {
      const problem = await attempt(given);
      if (problem instanceof Skip) {
        skipped += 1;
        skips.add(problem.message);
      } else if (problem === undefined) survived += 1;
      else {
        failures.push(`${name} case ${index}: ${given.name}`);
        print(`FAILED ${name} case ${index}: ${given.name}\n  ${problem.message}`);
        print(`  repeat: bun run faults ${name} --seed ${seed} --case ${index}`);
      }
      if (performance.now() - lastTold > PROGRESS_MS) {
        lastTold = performance.now();
        print(`  ${name}: ${survived + skipped + failures.length} of ${tries.length}`);
      }
    }
  };
  await Promise.all(Array.from({ length: campaign.at_once }, work));
  for (const reason of skips) print(`  skipped: ${reason}`);
  return { survived, skipped, failures };
}

async function attempt(given: Case): Promise<Error | undefined> {
  try {
    await within(CASE_LIMIT_MS, "the case to end", given.run());
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
