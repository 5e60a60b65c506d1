import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Verdict } from "../src/domain/verdict.ts";
import { startAbeval } from "../test/abeval.ts";
import type { FakeProvider } from "../test/fake-provider/fake-provider.ts";
import { until } from "../test/turns.ts";
import { type Campaign, type Case, hold, numbered } from "./campaign.ts";
import { type CaseDirectories, checkGone, checkScratch, openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { killServe } from "./kill-serve.ts";
import { LOADS, type Load, loadProvider, writeLoads } from "./load.ts";
import { pick, type Random, randomOfCase, whole } from "./random.ts";

const KILLS = 200;

/** Milliseconds that most of these runs take on a busy machine after their first write. */
const RUN_SPAN_MS = 700;
/** Share of the kills that are timed from the start of the program. The others are timed from its first write. */
const EARLY = 0.2;

/** kill -9 at random moments of `run` and `serve`. The next start has to be clean. */
export const campaign: Campaign = {
  about: `kill -9 of run and serve at ${KILLS} random moments under load`,
  at_once: 3,
  cases: async ({ seed, count, shared }) => {
    const provider = shared.use(await loadProvider());
    return numbered(count(KILLS), (index) => {
      const random = randomOfCase(seed, index);
      return index % 2 === 0 ? killRun(random, provider) : killServe(random, provider);
    });
  },
};

/** In half of the cases another run works in the same directory. It must not notice the kill. */
function killRun(random: Random, provider: FakeProvider): Case {
  const load = pick(random, LOADS);
  const after_ms = whole(random, RUN_SPAN_MS);
  const early = random() < EARLY;
  const accompanied = random() < 0.5;
  return {
    name: `run ${load} killed ${after_ms} ms after its ${early ? "start" : "first write"}${accompanied ? " beside another run" : ""}`,
    async run() {
      using directories = openCaseDirectories();
      const marker = `${process.pid}${whole(random, 1_000_000_000)}`;
      const scenarios = writeLoads(directories.path, marker);
      const launch = (name: Load, out: string) =>
        runProgram(directories, provider, join(scenarios, `${name}.yaml`), out);
      const other = accompanied ? launch("scripted", "other.json") : undefined;
      const victim = launch(load, "out.json");
      if (!early) await until(() => existsSync(join(directories.state, "sessions.db")));
      await sleep(after_ms);
      victim.kill("SIGKILL");
      const [stdout] = await Promise.all([new Response(victim.stdout).text(), victim.exited]);
      if (other) await finishes(other);
      await checkGone(marker);
      await finishes(launch("scripted", "next.json"));
      checkScratch(directories, [victim.pid]);
      await checkRun(directories, stdout, accompanied ? 2 : 1);
    },
  };
}

function runProgram(directories: CaseDirectories, provider: FakeProvider, file: string, out: string) {
  const args = ["run", file, "--quiet", "--state-dir", directories.state, "--out", join(directories.path, out)];
  return startAbeval(args, { env: { ...provider.environment, TMPDIR: directories.scratch } });
}

/** A clean start: a verdict, exit status 0, nothing on stderr. */
async function finishes(child: ReturnType<typeof startAbeval>): Promise<void> {
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  hold(status === 0 && stderr === "", "the next run to end with 0 in silence", { status, stderr });
  hold(stdout.endsWith("}\n"), "a whole verdict on stdout", stdout);
}

/** The killed run is stored at most once. It is complete when it had printed its verdict. */
async function checkRun(directories: CaseDirectories, printed: string, others: number): Promise<void> {
  const outcomes = await checkStateDirectory(directories.state);
  const completed = outcomes.filter(({ state }) => state === "completed");
  const interrupted = outcomes.filter(({ state }) => state === "interrupted");
  hold(completed.length + interrupted.length === outcomes.length, "sessions completed or interrupted", outcomes);
  hold(completed.length >= others && outcomes.length <= others + 1, `${others} or ${others + 1} sessions`, outcomes);
  for (const { failure } of interrupted) hold(failure?.code === "interrupted", "the reason `interrupted`", failure);
  if (!printed.endsWith("\n")) return;
  const verdict = JSON.parse(printed) as Verdict; // what the program prints
  const stored = completed.find(({ session_id }) => session_id === verdict.arm_a.session_id);
  hold(stored?.verdict?.verdict_id === verdict.verdict_id, "the printed verdict to be stored", stored?.verdict);
  const out = readFileSync(join(directories.path, "next.json"), "utf8");
  hold(out.endsWith("}\n"), "--out of the next run to be whole", out);
}
