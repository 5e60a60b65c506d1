import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Series } from "../src/domain/series.ts";
import { type FakeProvider, startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { until } from "../test/turns.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";
import { type Figures, printFigures, watched } from "./watched.ts";

const CASES = 24;

/** Series under cost limits whose trials cost anything between nothing and all that they may. They are continued, side by side, and killed. */
export const campaign: Campaign = {
  about: `${CASES} series under cost limits, continued, side by side and killed`,
  at_once: 1,
  cases: async ({ seed, count, shared }) => {
    const rows: Figures[] = [];
    const spent: Spent[] = [];
    shared.defer(() => {
      printFigures("series", rows);
      printSpent(spent);
    });
    return numbered(count(CASES), (index) => spendingCase(randomOfCase(seed, index), { rows, spent }));
  },
};

/** USD for a million tokens, and tokens of an arm. Two arms make a trial of 0.4 USD at most. */
const PRICE = 10;
const MOST_TOKENS = 20_000;
const DEAREST_TRIAL = (2 * MOST_TOKENS * PRICE) / 1_000_000;
const TRIALS = 16;

interface Spent {
  readonly name: string;
  readonly limit_usd: number;
  readonly spent_usd: number;
}

interface Told {
  readonly rows: Figures[];
  readonly spent: Spent[];
}

function spendingCase(random: Random, { rows, spent }: Told): Case {
  const parallel = pick(random, [1, 2, 4, 8]);
  const limits = Array.from({ length: 1 + whole(random, 4) }, () => cents(DEAREST_TRIAL * (1 + 3 * random())));
  const day = random() < 0.5 ? cents(DEAREST_TRIAL * (1 + 4 * random())) : undefined;
  const killed = random() < 0.4;
  const name = `${limits.join(" ")} USD, ${parallel} at once${day ? `, ${day} a day` : ""}${killed ? ", killed" : ""}`;
  return {
    name,
    async run() {
      using directories = openCaseDirectories();
      await using provider = await startFakeProvider({
        reply: () => ({ text: "Done.", usage: usageOf(random), delay_ms: whole(random, 30) }),
      });
      writeFileSync(join(directories.path, "paid.yaml"), SCENARIO);
      const args = ["--scenarios-dir", directories.path, "--state-dir", directories.state, "--log", "none"];
      if (day) args.push("--max-cost-per-day", String(day));
      const env = { ...provider.environment, TMPDIR: directories.scratch };
      let series_id: string | undefined;
      if (killed) series_id = await killedSeries(await serve(args, env), { parallel, limit: limits[0] ?? 0 });
      await using served = await serve(args, env);
      await watched({ name, served, directory: directories.path, rows }, async () => {
        for (const limit of limits) {
          series_id = await wholeSeries(served, { parallel, limit, series_id });
          hold(billed(provider) <= bound(limits, parallel), "spending within its limit", `${billed(provider)} USD`);
        }
      });
      spent.push({
        name,
        limit_usd: Math.min(Math.max(...limits), day ?? Number.POSITIVE_INFINITY),
        spent_usd: billed(provider),
      });
      hold(day === undefined || billed(provider) <= day + 1e-9, `at most ${day} USD a day`, `${billed(provider)} USD`);
    },
  };
}

/** Trials that run when the limit comes near may cost more than those before, and what a killed process ran is run again. */
const bound = (limits: readonly number[], parallel: number): number => Math.max(...limits) + parallel * DEAREST_TRIAL;

const cents = (usd: number): number => Math.ceil(usd * 100) / 100;

/** Mostly little, now and then all that an arm may use. */
function usageOf(random: Random) {
  const tokens = random() < 0.2 ? MOST_TOKENS : 1 + whole(random, MOST_TOKENS / 20);
  return { in: tokens - 1, out: 1 };
}

const billed = ({ billed: { in: given, out } }: FakeProvider): number => ((given + out) * PRICE) / 1_000_000;

interface Asked {
  readonly parallel: number;
  readonly limit: number;
  readonly series_id?: string | undefined;
}

async function begin({ url }: Served, { parallel, limit, series_id }: Asked): Promise<string | undefined> {
  const more = series_id === undefined ? {} : { continue: series_id };
  const asked = { scenarios: ["paid"], trials: TRIALS, parallel, max_cost_usd: limit, ...more };
  const response = await fetch(`${url}/api/series`, jsonPost(asked));
  const text = await response.text();
  if (response.ok) return (JSON.parse(text) as Series).series_id;
  hold(response.status < 500 || response.status === 503, "a series, or a refusal", text);
  return undefined;
}

/** One that runs until it ends. What is refused leaves the series as it was. */
async function wholeSeries(served: Served, asked: Asked): Promise<string | undefined> {
  const series_id = await begin(served, asked);
  if (series_id === undefined) return asked.series_id;
  const isOver = async () =>
    ((await (await fetch(`${served.url}/api/series/${series_id}`)).json()) as Series).state !== "running";
  await until(isOver, 600_000, 50);
  return series_id;
}

async function killedSeries(served: Served, asked: Asked): Promise<string | undefined> {
  await using _killed = served;
  const series_id = await begin(served, asked);
  await sleep(150);
  await served.stop("SIGKILL");
  return series_id;
}

const SCENARIO = `name: paid
task: {prompt: Say hello.}
policies: {budget: {max_tokens: ${MOST_TOKENS}}}
arms:
  - {id: left, model: openai/m, system_prompt: Left., tools: [], params: {max_output_tokens: 16}, price_per_mtok: {in: ${PRICE}, out: ${PRICE}}}
  - {id: right, model: openai/m, system_prompt: Right., tools: [], params: {max_output_tokens: 16}, price_per_mtok: {in: ${PRICE}, out: ${PRICE}}}
rubric: {criteria: [{id: tokens, measure: tokens}], judge: {model: builtin/evidence}}
`;

function printSpent(spent: readonly Spent[]): void {
  const over = spent.map(({ limit_usd, spent_usd }) => spent_usd - limit_usd);
  const count = over.filter((usd) => usd > 1e-9).length;
  const most = Math.max(0, ...over);
  console.log(
    `  ${count} of ${spent.length} spent more than their limit, by ${most.toFixed(3)} USD at most; a trial costs up to ${DEAREST_TRIAL}`,
  );
}
