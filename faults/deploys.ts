import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processTree, signalProcess } from "../src/arms/sandbox/process/process-table.ts";
import type { Series } from "../src/domain/series.ts";
import { isFinal } from "../src/domain/session.ts";
import { MAX_REPLACEMENTS } from "../src/domain/trial.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { until } from "../test/turns.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { type Random, randomOfCase, whole } from "./random.ts";

const CASES = 12;
const DEPLOYS = 10;
const TRIALS = 24;
/** Milliseconds after a trial has ended in which the next deploy comes: about as long as a trial takes. */
const SPAN_MS = 800;

const ALONE = "the server alone is told to stop";
const KILLED = "everything is killed";
const NOBODY = "nobody is told to stop";
/** What the service manager does. */
const MANNERS = ["everything below it, too, is told to stop", ALONE, KILLED, NOBODY] as const;
type Manner = (typeof MANNERS)[number];

/** The right arm is the better one, and takes longer: a signal meets its command or its check. */
const SCENARIO = `name: deployed
task:
  prompt: Do it.
  probe: { checks: [{ id: done, run: "test -f done && sleep 0.2 && true", required: true }] }
arms:
  - { id: left, model: scripted/left, script: [{ say: Done. }] }
  - { id: right, model: scripted/right, script: [{ calls: [{ run_command: { command: "sleep 0.2; touch done" } }] }, { say: Done. }] }
rubric: { criteria: [{ measure: probe_score }], judge: { model: builtin/evidence } }
`;

/** Deploys in the middle of a series: no trial has a wrong winner, and none is lost. */
export const campaign: Campaign = {
  about: `${CASES} series of ${TRIALS} trials, three quarters of them with ${DEPLOYS} deploys in the middle`,
  at_once: 1,
  cases: async ({ seed, count }) => numbered(count(CASES), (index) => deployed(randomOfCase(seed, index), index)),
};

function deployed(random: Random, index: number): Case {
  const manner = MANNERS[index % MANNERS.length] ?? NOBODY;
  return {
    name: `${TRIALS} trials; ${manner}`,
    async run() {
      using directories = openCaseDirectories();
      writeFileSync(join(directories.path, "deployed.yaml"), SCENARIO);
      const args = ["--scenarios-dir", directories.path, "--state-dir", directories.state, "--log", "none"];
      const start = () => serve(args, { TMPDIR: directories.scratch });
      let [server, series_id] = [await start(), ""];
      try {
        for (let deploys = manner === NOBODY ? DEPLOYS : 0; deploys < DEPLOYS; deploys += 1) {
          series_id = await goOn(server, series_id);
          await someTrial(server, series_id);
          await sleep(whole(random, SPAN_MS));
          await stop(server, manner);
          server = await start();
        }
        series_id = await goOn(server, series_id);
        await until(async () => (await seriesOf(server, series_id)).state !== "running");
        checkSeries(await seriesOf(server, series_id), manner);
      } finally {
        await server[Symbol.asyncDispose]();
      }
    },
  };
}

async function goOn({ url }: Served, series_id: string): Promise<string> {
  const before = series_id === "" ? {} : { continue: series_id };
  const answer = await fetch(
    `${url}/api/series`,
    jsonPost({ scenarios: ["deployed"], trials: TRIALS, parallel: 2, ...before }),
  );
  hold(answer.ok, "the series to go on", await answer.clone().text());
  return ((await answer.json()) as { readonly series_id: string }).series_id;
}

const seriesOf = async ({ url }: Served, series_id: string): Promise<Series> =>
  (await (await fetch(`${url}/api/series/${series_id}`)).json()) as Series;

const ended = ({ trials }: Series) => trials.filter(({ state }) => isFinal(state)).length;

/** Resolves when one more trial has ended. */
async function someTrial(server: Served, series_id: string): Promise<void> {
  const before = ended(await seriesOf(server, series_id));
  await until(async () => {
    const series = await seriesOf(server, series_id);
    return ended(series) > before || series.state !== "running";
  });
}

/** Whoever is below the server hears it first. */
async function stop({ child }: Served, manner: Manner): Promise<void> {
  const pids = (await processTree(child.pid)).map(({ pid }) => pid).filter((pid) => pid !== child.pid);
  const signal = manner === KILLED ? "SIGKILL" : "SIGTERM";
  if (manner !== ALONE) for (const pid of pids) signalProcess(pid, signal);
  child.kill(signal);
  const status = await child.exited;
  hold(status === (signal === "SIGKILL" ? 137 : 0), "the server to end as it was told", status);
}

function checkSeries({ state, trials }: Series, manner: Manner): void {
  hold(state === "completed", "the series to complete", state);
  const won = trials.filter(({ d }) => d !== null);
  const wrong = won.filter(({ d }) => d !== -1);
  hold(wrong.length === 0, "the right arm to win every trial", wrong);
  const killed = trials.filter(({ d }) => d === null);
  hold(manner !== NOBODY || killed.length === 0, "no trial to be killed where nobody is told to stop", killed);
  const given = new Set(won.map(({ round }) => round));
  const tries = Map.groupBy(killed, ({ round }) => round);
  const lost = [...tries].filter(([round, all]) => !given.has(round) && all.length <= MAX_REPLACEMENTS);
  hold(lost.length === 0, "every round to have a result, or to have been killed three times", lost);
  hold(new Set(trials.map(({ round }) => round)).size === TRIALS, `${TRIALS} rounds`, trials.length);
}
