import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent } from "../src/domain/event.ts";
import type { SessionOutcome } from "../src/domain/session.ts";
import type { SessionListing } from "../src/domain/session-list.ts";
import type { Served } from "../test/http/served.ts";
import { Fleet, LEASE_S, type StoredEntry, startRun, streamed } from "../test/postgres/fleet.ts";
import { type PostgresProxy, proxyTo } from "../test/postgres/proxy.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../test/postgres/server.ts";
import { problemsOfLogs, problemsOfLosses, problemsOfStream } from "../test/postgres/whole-logs.ts";
import { type Campaign, type Case, hold, numbered, Skip } from "./campaign.ts";
import { failover } from "./failover.ts";
import { fullDatabase } from "./full-database.ts";
import { problemsOf } from "./invariants.ts";
import { type Random, randomOfCase, whole } from "./random.ts";

const KILLS = 40;
const STOPS = 10;
const PARTITIONS = 12;
const RESTARTS = 12;
const FULL_DISKS = 8;
const FAILOVERS = 6;

/** Of one worker, side by side. */
const RUNS = 4;
/** Entries that the log of one of them has at its end. */
const ENTRIES = 48;

/** A worker is lost, or the way between it and its database, with runs in flight. Each run ends once. */
export const campaign: Campaign = {
  about: `${KILLS + STOPS + PARTITIONS + RESTARTS + FULL_DISKS + FAILOVERS} faults of workers that share a database, and of the database`,
  at_once: 2,
  cases: async ({ seed, count }) => {
    const faults = [
      ...Array(count(KILLS)).fill(killed),
      ...Array(count(STOPS)).fill(stopped),
      ...Array.from({ length: count(PARTITIONS) }, (_, index) => PARTITION_FAULTS[index % PARTITION_FAULTS.length]),
      ...Array.from({ length: count(RESTARTS) }, (_, index) => restarted(index % 2 === 0 ? "fast" : "immediate")),
    ] as readonly Fault[];
    const lost = faults.map((fault, index) => faultCase(fault, randomOfCase(seed, index)));
    const full = numbered(count(FULL_DISKS), (index) => fullDatabase(randomOfCase(seed, lost.length + index)));
    const begun = lost.length + full.length;
    const promoted = numbered(count(FAILOVERS), (index) =>
      failover(randomOfCase(seed, begun + index), index % 2 === 0 ? "a proxy" : "PgBouncer"),
    );
    return [...lost, ...full, ...promoted];
  },
};

interface Scene {
  readonly postgres: PostgresServer;
  /** Of the worker that has all runs, to the database. */
  readonly way: PostgresProxy;
  readonly victim: Served;
}

interface Fault {
  readonly name: string;
  readonly strike: (scene: Scene) => Promise<void> | void;
  /** What becomes of it when all runs have ended. */
  readonly pass?: (scene: Scene) => Promise<void> | void;
  /** The worker lives on: what it still does changes nothing. */
  readonly returns: boolean;
}

const killed: Fault = {
  name: "its worker is killed",
  strike: ({ victim }) => void victim.stop("SIGKILL"),
  returns: false,
};

const stopped: Fault = {
  name: "its worker is stopped until others have done its work",
  strike: ({ victim }) => victim.child.kill("SIGSTOP"),
  pass: ({ victim }) => victim.child.kill("SIGCONT"),
  returns: true,
};

const PARTITION_FAULTS: readonly Fault[] = [
  {
    name: "its worker is cut off for a second",
    async strike({ way }) {
      way.hold();
      await sleep(1_000);
      way.go();
    },
    returns: true,
  },
  {
    name: "its worker is cut off for two leases",
    async strike({ way }) {
      way.hold();
      // It goes on while others take over.
      setTimeout(() => way.go(), 2_000 * LEASE_S);
    },
    returns: true,
  },
  { name: "its worker is cut off for ever", strike: ({ way }) => way.hold(), returns: false },
];

const restarted = (mode: "fast" | "immediate"): Fault => ({
  name: `the database is restarted (${mode})`,
  strike: ({ postgres }) => postgres.restart(mode),
  returns: true,
});

function faultCase(fault: Fault, random: Random): Case {
  const entries = 1 + whole(random, ENTRIES);
  return {
    name: `after ${entries} entries of a run ${fault.name}`,
    async run() {
      if (!POSTGRES.met) throw new Skip(`needs ${POSTGRES.what}`);
      await using postgres = await postgresServer();
      const { url, urlBy } = await postgres.create();
      using way = await proxyTo(postgres.port);
      await using fleet = new Fleet(url);
      const [server, victim] = await Promise.all([fleet.server(), fleet.worker(RUNS, urlBy(way.port))]);
      const scene = { postgres, way, victim };
      const ids = await Promise.all(Array.from({ length: RUNS }, () => startRun(server, "steps")));
      const streams = ids.map((id) => heardOf(fleet, server, id));
      const [first = ""] = ids;
      await fleet.until(`abeval.sessions WHERE session_id = '${first}' AND length < ${entries}`);
      await fault.strike(scene);
      const late = ids.map((id) => heardOf(fleet, server, id));
      const rescuer = await fleet.worker(RUNS);
      await fleet.untilAllEnded();
      await fault.pass?.(scene);
      if (fault.returns) await idle(fleet);
      await checkRuns(fleet, server, [...(await Promise.all([...streams, ...late]))]);
      for (const process of [server, rescuer, ...(fault.returns ? [victim] : [])]) {
        const { status } = await process.stop();
        hold(status === 0, "each process to stop with 0", process.log());
      }
    },
  };
}

/** Resolves when the three processes are seen again and none runs anything. */
const idle = (fleet: Fleet) =>
  fleet.until(`(SELECT WHERE 3 > (SELECT count(*) FROM abeval.workers
    WHERE running = 0 AND seen > now() - interval '${LEASE_S / 2} s')) AS fewer`);

interface Heard {
  readonly id: string;
  /** Undefined: it had ended. */
  readonly events: readonly RunEvent[] | undefined;
}

async function heardOf(fleet: Fleet, server: Served, id: string): Promise<Heard> {
  const events = await streamed(server, id);
  const open = events ? [] : await fleet.ask(`SELECT FROM abeval.sessions WHERE session_id = '${id}' AND NOT ended`);
  hold(open.length === 0, "a stream as long as the run goes on", id);
  return { id, events };
}

async function checkRuns(fleet: Fleet, { url }: Served, streams: readonly Heard[]): Promise<void> {
  const entries = await fleet.entries();
  const logs = Map.groupBy(entries, ({ session_id }) => session_id);
  const listed = (await (await fetch(`${url}/api/sessions`)).json()) as readonly SessionListing[];
  hold(listed.length === RUNS && logs.size === RUNS, `${RUNS} sessions, each listed once`, listed);
  const problems: string[] = [...problemsOfLogs(entries)];
  for (const [id, log] of logs) {
    const outcome = (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;
    const asked = streams.filter((stream) => stream.id === id);
    // On a busy machine a run may have ended before anybody asked.
    const heard =
      asked.some(({ events = [] }) => events.length > 0) || asked.every(({ events }) => events === undefined);
    problems.push(...problemsOfSession(outcome, log), ...(heard ? [] : [`${id} was not heard of`]));
  }
  for (const { id, events } of streams) if (events) problems.push(...problemsOfStream(events, logs.get(id) ?? []));
  hold(problems.length === 0, "every run to end once, with what it lost, for every reader", problems.join("; "));
  await fleet.until("abeval_queue.job WHERE state < 'completed'");
}

const problemsOfSession = (outcome: SessionOutcome, log: readonly StoredEntry[]): readonly string[] => [
  ...problemsOf(outcome),
  ...problemsOfLosses(log, outcome),
  ...(outcome.state === "completed" ? [] : [`${outcome.session_id} ${outcome.state}: ${outcome.failure?.message}`]),
];
