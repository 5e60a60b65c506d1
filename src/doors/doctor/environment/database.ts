import { isOfProtocols, needOfProvider, protocolsAmong, SANDBOX_NEED } from "../../../comparison/planning/needs.ts";
import { counted } from "../../../domain/number-text.ts";
import type { SharedStore, StoreInspection, WaitingWork, WorkerRow } from "../../../store/shared-store.ts";
import { after, type Check, check, type Finding, fail, pass, warn } from "../check.ts";
import type { Services } from "../services.ts";

/** What servers need that share one database. It is looked at once for all of these. */
export function databaseChecks(shared: SharedStore): readonly Check<Services>[] {
  let inspection: Promise<StoreInspection> | undefined;
  let workers: Promise<readonly WorkerRow[]> | undefined;
  const looked = () => {
    inspection ??= shared.inspect();
    return inspection;
  };
  /** All living processes, and those among them that take runs. */
  const living = async () => {
    workers ??= shared.workers.alive();
    const rows = await workers;
    return { working: rows.filter(({ slots }) => slots > 0), rows };
  };
  const row = after("database.reachable");
  return [
    check("database.reachable", "Database", async () => pass((await looked()).name)),
    row("database.version", "Database version", async () => pass(`PostgreSQL ${(await looked()).server_version}`)),
    row("database.rights", "Database permissions", async () => rightsFound(await looked())),
    row("database.pooler", "Database notifications", async () => hearingFound(await looked())),
    row("database.latency", "Database latency", async () => latencyFound(await looked())),
    row("database.clock", "Clock difference", async () => clockFound(await looked())),
    row("workers.alive", "Workers", async () => workersFound(await living())),
    row("workers.capabilities", "Capabilities of workers", async ({ providers }) => {
      const configured = providers().filter(({ present, local }) => present && !local);
      const wanted = configured.map(({ provider }) => needOfProvider(provider));
      return capabilitiesFound((await living()).working, [...wanted, SANDBOX_NEED]);
    }),
    row("workers.version", "Versions of workers", async () => versionsFound((await living()).rows)),
    row("queue.drained", "Taking work", async () => {
      const since = await shared.drain.since();
      return since === undefined
        ? pass("servers and workers take work")
        : warn(`drained since ${since}: nobody takes any`, "when it may be taken again: abeval drain --end");
    }),
    row("queue.depth", "Waiting work", async () => depthFound(await shared.queue.waiting(), (await living()).working)),
  ];
}

const rightsFound = ({ lacking }: StoreInspection): Finding =>
  lacking.length === 0
    ? pass("reads and writes every table")
    : fail(`lacks ${lacking.join(", ")}`, "ask the owner of the tables to grant them to this user");

const hearingFound = ({ hears }: StoreInspection): Finding =>
  hears
    ? pass("arrive")
    : fail(
        "do not arrive, as behind a pooler in transaction mode: readers and workers get news seconds late",
        "set ABEVAL_DATABASE_LISTEN_URL to the address of the server itself",
      );

/** Milliseconds. A decision is stored before its arm goes on. */
const SLOW_MS = 20;

function latencyFound({ latency_ms }: StoreInspection): Finding {
  const detail = `${latency_ms.toFixed(1)} ms round trip`;
  return latency_ms <= SLOW_MS ? pass(detail) : warn(detail, "run servers and database closer to each other");
}

/** Milliseconds. What is measured holds half the way to the database. */
const SKEW_MS = 2_000;

/** Leases are counted by the database's clock, times of sessions are those of the machines. */
function clockFound({ clock_ahead_ms }: StoreInspection): Finding {
  const apart = Math.abs(clock_ahead_ms);
  if (apart <= SKEW_MS) return pass("agree");
  const way = clock_ahead_ms > 0 ? "ahead of" : "behind";
  return warn(
    `this machine's clock is ${(apart / 1_000).toFixed(1)} s ${way} the database's, so times of sessions are wrong by as much`,
    "run an NTP client on every machine",
  );
}

interface Living {
  readonly working: readonly WorkerRow[];
  readonly rows: readonly WorkerRow[];
}

function workersFound({ working, rows }: Living): Finding {
  const slots = working.reduce((sum, row) => sum + row.slots, 0);
  const running = working.reduce((sum, row) => sum + row.running, 0);
  const others = rows.length - working.length;
  const idle = others === 0 ? "" : `; ${others} other ${others === 1 ? "process" : "processes"}`;
  return working.length === 0
    ? warn(`none${idle}: every run is refused`, "start a worker: `abeval serve --worker` with this database")
    : pass(`${working.length}, running ${running} of at most ${slots} sessions${idle}`);
}

/** @param wanted what some worker should have */
function capabilitiesFound(working: readonly WorkerRow[], wanted: readonly string[]): Finding {
  const all = working.flatMap(({ capabilities }) => capabilities.filter((one) => !isOfProtocols(one)));
  const count = new Map([...new Set(all)].sort().map((one) => [one, all.filter((other) => other === one).length]));
  const detail = [...count].map(([name, of]) => `${name} on ${of} of ${working.length}`).join(", ") || "nothing";
  const missing = wanted.filter((one) => !count.has(one));
  return missing.length === 0
    ? pass(detail)
    : warn(
        `${detail}; on none: ${missing.join(", ")}`,
        "give workers the keys of these providers and a working sandbox; a run is refused when no worker has what it needs",
      );
}

/** Each version, and where they differ the protocols by which its workers work. */
function versionsFound(rows: readonly WorkerRow[]): Finding {
  const versions = Map.groupBy(rows, ({ version }) => version);
  const protocolsOf = ({ capabilities }: WorkerRow) => protocolsAmong(capabilities).join(" or ");
  const spoken = Map.groupBy(rows, protocolsOf);
  const told = [...(spoken.size > 1 ? spoken : versions)]
    .sort()
    .map(([name, [first]]) => (spoken.size > 1 ? `${first?.version} (${name})` : name));
  if (spoken.size > 1)
    return warn(
      `${told.join(", ")} on one database: what an older version accepted is done by its workers, and by newer ones when none of them is left; what a newer version accepted waits for workers of its own`,
      "finish the upgrade, or the way back: run one version everywhere, and stop the last newer worker when nothing waits for it",
    );
  return versions.size <= 1
    ? pass(told.join(", "))
    : warn(`${told.join(", ")} on one database`, "finish the upgrade: run one version everywhere");
}

function depthFound(waiting: readonly WaitingWork[], working: readonly WorkerRow[]): Finding {
  const detail = `${counted(piecesOf(waiting), "piece")} of work`;
  if (waiting.length > 0 && working.length === 0)
    return warn(`${detail}, and no worker runs any`, "start a worker: `abeval serve --worker` with this database");
  const unserved = waiting.filter(({ needs }) => !working.some(({ capabilities }) => isWithin(needs, capabilities)));
  const [first] = unserved;
  if (first === undefined) return pass(detail);
  const had = working.flatMap(({ capabilities }) => capabilities);
  const missing = first.needs.filter((need) => !had.includes(need));
  const what =
    missing.length > 0 ? `${missing.join(", ")}, which no worker has` : "a worker that has everything they need";
  return warn(
    `${detail}, of which ${piecesOf(unserved)} wait for ${what}`,
    protocolsAmong(missing).length > 0
      ? "start a worker of the version that accepted the work or of a newer one, or cancel it"
      : "give a worker what is missing, or cancel the work",
  );
}

const piecesOf = (waiting: readonly WaitingWork[]) => waiting.reduce((sum, { pieces }) => sum + pieces, 0);

const isWithin = (needs: readonly string[], capabilities: readonly string[]) =>
  needs.every((need) => capabilities.includes(need));
