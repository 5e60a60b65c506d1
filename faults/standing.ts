import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type SessionOutcome } from "../src/domain/session.ts";
import { startAbeval } from "../test/abeval.ts";
import { freePort } from "../test/cli/free-port.ts";
import { startFakeProvider } from "../test/fake-provider/fake-provider.ts";
import { jsonPost } from "../test/http/service.ts";
import { until } from "../test/turns.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { LOADS, writeLoads } from "./load.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

const STANDS = 6;
const RUNS = 5;
/** The supervisor waits for 30 s and ends the server within 5; the rest is for the start of the next. */
const MOST_MS = 50_000;

/** A server stands still with runs in flight. Its supervisor names them and starts it again, and each of them completes. */
export const campaign: Campaign = {
  about: `${STANDS} servers that stand still`,
  at_once: 2,
  cases: async ({ seed, count }) => numbered(count(STANDS), (index) => standing(randomOfCase(seed, index))),
};

function standing(random: Random): Case {
  const after_ms = whole(random, 1_000);
  const names = Array.from({ length: RUNS }, () => pick(random, LOADS));
  return {
    name: `a server with ${names.join(", ")} stands still ${after_ms} ms after its last answer`,
    async run() {
      using directories = openCaseDirectories();
      await using provider = await startFakeProvider();
      const health = `127.0.0.1:${freePort()}`;
      const places = [
        "--scenarios-dir",
        writeLoads(directories.path, `${process.pid}`),
        "--state-dir",
        directories.state,
      ];
      const child = startAbeval(["serve", "--addr", "127.0.0.1:0", "--health-addr", health, ...places], {
        env: { ...provider.environment, TMPDIR: directories.scratch },
      });
      try {
        await stand({ child, health, names, after_ms });
      } finally {
        child.kill("SIGKILL");
        await child.exited;
      }
      await checkStateDirectory(directories.state);
    },
  };
}

interface Standing {
  readonly child: ReturnType<typeof startAbeval>;
  readonly health: string;
  readonly names: readonly string[];
  readonly after_ms: number;
}

async function stand({ child, health, names, after_ms }: Standing): Promise<void> {
  let log = "";
  void (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) log += chunk;
  })();
  const starts = () => log.split("listening on").length - 1;
  await until(() => starts() === 1);
  const url = /http:[^\s"]+/.exec(log)?.[0] ?? "";
  const ids = await Promise.all(names.map((name) => startRun(url, name)));
  await sleep(after_ms);
  const server = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").split(" ")[0]);
  const since = performance.now();
  process.kill(server, "SIGSTOP");
  await until(async () => (await fetch(`http://${health}/api/health`)).status === 503, MOST_MS);
  await until(() => starts() === 2, MOST_MS);
  console.log(`  served again after ${((performance.now() - since) / 1_000).toFixed(1)} s`);
  hold((await fetch(`http://${health}/api/health`)).status === 200, "health to be answered with 200 again");
  for (const id of ids) {
    const { state, lost_attempts } = await until(async () => {
      const outcome = (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;
      return isFinal(outcome.state) && outcome;
    });
    hold(state === "completed", `${id} completed`, state);
    if (lost_attempts) hold(log.includes(`${id} (`), `the log to name ${id}`, log);
  }
}

async function startRun(url: string, scenario: string): Promise<string> {
  const answer = await fetch(`${url}/api/runs/async`, jsonPost({ scenario }));
  return ((await answer.json()) as { session_id: string }).session_id;
}
