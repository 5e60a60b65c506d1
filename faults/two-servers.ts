import type { SessionOutcome } from "../src/domain/session.ts";
import { abeval } from "../test/abeval.ts";
import { type Served, serve } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { type Case, hold, numbered } from "./campaign.ts";
import { checkGone, openCaseDirectories } from "./case-directories.ts";
import { checkStateDirectory } from "./invariants.ts";
import { writeLoads } from "./load.ts";

const RUNS = 4;

/** Two servers on one directory. Each sees all sessions. When one dies, its own sessions are marked and no others. */
export const twoServerCases = (count: number): readonly Case[] =>
  numbered(count, (index) => ({
    name: `two servers on one directory, ${index % 2 === 0 ? "the first" : "the second"} killed`,
    async run() {
      using directories = openCaseDirectories();
      const marker = `${process.pid}00${index}`;
      const args = [
        "--scenarios-dir",
        writeLoads(directories.path, marker),
        "--state-dir",
        directories.state,
        "--log",
        "none",
      ];
      const env = { TMPDIR: directories.scratch };
      await using first = await serve(args, env);
      await using second = await serve(args, env);
      await checkPort(first, args);
      const [victim, survivor] = index % 2 === 0 ? [first, second] : [second, first];
      const doomed = await start(victim, "sleeping");
      const going = await start(survivor, "sleeping");
      const finished = await Promise.all(
        [...Array(RUNS).keys()].map((run) => runOn(run % 2 === 0 ? first : second, "scripted")),
      );
      hold(new Set([...finished, doomed, going]).size === RUNS + 2, "ids that are given once", finished);
      await victim.stop("SIGKILL");
      await using third = await serve(args, env);
      hold((await read(third, doomed)).state === "interrupted", "the dead server's session to be interrupted");
      hold((await read(third, going)).state === "running", "the living server's session to go on");
      for (const id of finished) hold((await read(third, id)).state === "completed", "what had finished to stay so");
      await Promise.all([third.stop(), survivor.stop("SIGKILL")]);
      await checkGone(marker);
      hold((await checkStateDirectory(directories.state)).length === RUNS + 2, "every session to be kept");
    },
  }));

/** A second server on the port of the first is refused: the system would give it half of the requests. */
async function checkPort({ url }: Served, args: readonly string[]): Promise<void> {
  const { status, stderr } = await abeval(["serve", "--addr", new URL(url).host, ...args]);
  hold(status === 2 && /is in use/.test(stderr), "a refusal of a port in use", { status, stderr });
}

const post = async ({ url }: Served, path: string, scenario: string) =>
  (await (await fetch(url + path, jsonPost({ scenario }))).json()) as { session_id: string };
const start = async (served: Served, scenario: string) => (await post(served, "/api/runs/async", scenario)).session_id;
const runOn = async (served: Served, scenario: string) => (await post(served, "/api/runs", scenario)).session_id;

const read = async ({ url }: Served, id: string) =>
  (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;
