import type { SessionOutcome } from "../src/domain/session.ts";
import type { Served } from "../test/http/served.ts";
import { jsonPost } from "../test/http/service.ts";
import { Fleet } from "../test/postgres/fleet.ts";
import { POSTGRES, postgresServer, UNPRIVILEGED } from "../test/postgres/server.ts";
import { problemsOfLogs } from "../test/postgres/whole-logs.ts";
import { type Case, hold, Skip } from "./campaign.ts";
import { openCaseDirectories } from "./case-directories.ts";
import { problemsOf } from "./invariants.ts";
import { type Random, whole } from "./random.ts";
import { smallDisk, usedKilobytes } from "./small-disk.ts";

const LARGEST_KB = 600;
const SPACE_KB = 256 * 1024;
const PLACES = 3;

/** The disk of the database fills up while runs are accepted and executed. Later there is space again. */
export function fullDatabase(random: Random): Case {
  const kilobytes = 8 + whole(random, LARGEST_KB);
  return {
    name: `a database on a disk that has ${kilobytes} kB left`,
    async run() {
      if (!POSTGRES.met) throw new Skip(`needs ${POSTGRES.what}`);
      using directories = openCaseDirectories();
      using disk = smallDisk(directories, SPACE_KB, UNPRIVILEGED);
      await using postgres = await postgresServer();
      const { sql, urlFor } = await postgres.create();
      await sql(`CREATE TABLESPACE small LOCATION '${directories.state}'`);
      await sql("CREATE DATABASE small TABLESPACE small");
      await using fleet = new Fleet(urlFor("abeval", "small"));
      const server = await fleet.server(PLACES);
      await completes(server, "brief");
      disk.resize(usedKilobytes(directories) + kilobytes);
      const accepted = await untilFull(server);
      disk.resize(SPACE_KB);
      await fleet.untilAllEnded();
      for (const id of accepted) await checkEnd(server, id);
      await completes(server, "steps");
      const problems = problemsOfLogs(await fleet.entries());
      hold(problems.length === 0, "every run to end once", problems);
      const { status } = await server.stop();
      hold(status === 0, "the server to stop with 0", server.log());
    },
  };
}

/** Starts runs until one is refused. Gives the others. */
async function untilFull({ url }: Served): Promise<readonly string[]> {
  const accepted: string[] = [];
  for (;;) {
    const answer = await fetch(`${url}/api/runs/async`, jsonPost({ scenario: "steps" }));
    const text = await answer.text();
    if (answer.status !== 202 && answer.status !== 200) {
      hold(answer.status === 507 && text.includes('"storage_full"'), "507 storage_full", text);
      return accepted;
    }
    accepted.push((JSON.parse(text) as { session_id: string }).session_id);
  }
}

async function checkEnd({ url }: Served, id: string): Promise<void> {
  const outcome = (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;
  const { state, failure } = outcome;
  hold(state === "completed", `${id} to complete when there is space again`, { state, failure });
  const problems = problemsOf(outcome);
  hold(problems.length === 0, "nothing half", problems);
}

async function completes({ url }: Served, scenario: string): Promise<void> {
  const answer = await fetch(`${url}/api/runs`, jsonPost({ scenario }));
  const text = await answer.text();
  hold(answer.status === 200, "a run to complete where there is space", text);
}
