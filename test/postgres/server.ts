import { randomInt } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { SQL } from "bun";
import type { Need } from "../machine.ts";
import { until } from "../turns.ts";

const DEBIAN = "/usr/lib/postgresql";

/** Debian installs the server's programs beside the path. */
function binaries(): string | undefined {
  const packaged = existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, "bin")) : [];
  return [...(process.env["PATH"] ?? "").split(delimiter), ...packaged.reverse()].find((directory) =>
    ["initdb", "postgres", "pg_basebackup"].every((program) => existsSync(join(directory, program))),
  );
}

const BINARIES = binaries();

export const POSTGRES: Need = { what: "PostgreSQL (apt-get install postgresql)", met: BINARIES !== undefined };

/** A server of PostgreSQL that belongs to the test, in a temporary directory; gone with it. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** A new, empty database. */
  create(): Promise<TestDatabase>;
  /** Of a standby: it takes writes from now on. */
  promote(): Promise<void>;
  /** As `pg_ctl restart` does: `fast` ends the clients, `immediate` is a crash. */
  restart(mode: "fast" | "immediate"): Promise<void>;
  stop(mode: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** It and what it has begun for its clients do nothing until `thaw`, and nobody is told. */
  freeze(): void;
  thaw(): void;
}

export interface TestDatabase {
  readonly name: string;
  /** Its owner may do everything. */
  readonly url: string;
  /** For another user, as the URL has it: `name:password`. Every user but `with_password` is let in without a password. */
  urlFor(user: string, database?: string): string;
  /** By way of another port. */
  urlBy(port: number): string;
  /** As the owner. */
  sql<T = Record<string, unknown>>(statement: string): Promise<T[]>;
}

const OWNER = "abeval";
const WITH_PASSWORD = "with_password";

const HBA = `host all ${WITH_PASSWORD} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n`;

/** A standby of `primary` that streams from it; from then on the primary answers what the standby has as well. */
export async function standbyOf(primary: PostgresServer): Promise<PostgresServer> {
  const standby = await postgresServer(primary);
  const admin = urlOf(primary.port, "postgres");
  await query(admin, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(admin, "SELECT pg_reload_conf()");
  const inStep = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until(async () => (await query(admin, inStep)).length === 1);
  return standby;
}

/** @param primary makes it a standby */
export async function postgresServer(primary?: PostgresServer): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), "abeval-postgres-"));
  chmodSync(directory, 0o755);
  const data = join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, UNPRIVILEGED, UNPRIVILEGED);
  const log = join(directory, "log");
  const run = (program: string, ...args: string[]) => ordinary(log, join(BINARIES ?? "", program), ...args);
  const made = primary
    ? run(
        "pg_basebackup",
        "-D",
        data,
        "-h",
        "127.0.0.1",
        "-p",
        String(primary.port),
        "-U",
        OWNER,
        "-R",
        "-c",
        "fast",
        "-N",
      )
    : run("initdb", "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync");
  if ((await made.exited) !== 0) throw new Error(`no cluster: ${readFileSync(log, "utf8")}`);
  await Bun.write(join(data, "pg_hba.conf"), HBA);
  const port = freePort();
  const settings = [
    ...["listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories=", "max_connections=60"],
    // No test takes its power away. After a crash a server that syncs does that with every file of every database first,
    // which takes minutes on a busy disk.
    "fsync=off",
  ];
  let running: ReturnType<typeof ordinary> | undefined;

  const start = async () => {
    running = run("postgres", "-D", data, ...settings.flatMap((setting) => ["-c", setting]));
    await until(() => {
      if (running?.exitCode !== null) throw new Error(`postgres: ${readFileSync(log, "utf8")}`);
      return answers(port);
    });
  };
  /** One that ends meanwhile needs no signal. */
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    for (const pid of familyOf(running?.pid))
      try {
        process.kill(pid, name);
      } catch {}
  };
  const stop = async (mode: "fast" | "immediate") => {
    signal("SIGCONT");
    running?.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await running?.exited;
    running = undefined;
  };

  await start();
  let databases = 0;
  return {
    port,
    start,
    stop,
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    async promote() {
      await query(urlOf(port, "postgres"), "SELECT pg_promote()");
    },
    async create() {
      databases += 1;
      const name = `test_${databases}`;
      await query(urlOf(port, "postgres"), `CREATE DATABASE ${name}`);
      const url = urlOf(port, name);
      return {
        name,
        url,
        urlBy: (other) => urlOf(other, name),
        urlFor: (user, database = name) => urlOf(port, database, user),
        sql: (statement) => query(url, statement),
      };
    },
    async restart(mode) {
      await stop(mode);
      await start();
    },
    async [Symbol.asyncDispose]() {
      await stop("immediate");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const urlOf = (port: number, database: string, user = OWNER) => `postgres://${user}@127.0.0.1:${port}/${database}`;

const isRoot = process.getuid?.() === 0;
/** As whom the server runs where this program is root. */
export const UNPRIVILEGED = 1000;

/** Such servers refuse to run as root. They end with the test's process, however that ends. */
export function ordinary(log: string, program: string, ...args: string[]) {
  const user = isRoot ? [`--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, "--clear-groups"] : [];
  return Bun.spawn(["setpriv", ...user, "--pdeathsig", "QUIT", program, ...args], {
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C" },
    stdout: "ignore",
    stderr: openSync(log, "a"),
  });
}

/** A process and those that it has begun. */
function familyOf(pid: number | undefined): readonly number[] {
  if (pid === undefined) return [];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return [pid, ...children.filter((child) => child !== "").map(Number)];
}

/** None that a system gives to connections and to who asks for any: nobody else takes it while the server is away. */
export function freePort(): number {
  for (;;) {
    const port = randomInt(10_000, 30_000);
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop(true);
      return port;
    } catch {}
  }
}

async function query<T>(url: string, statement: string): Promise<T[]> {
  await using sql = new SQL(url, { max: 1 });
  return [...(await sql.unsafe(statement))];
}

async function answers(port: number): Promise<boolean> {
  const sql = new SQL(urlOf(port, "postgres"), { max: 1, connectionTimeout: 5 });
  try {
    await sql.unsafe("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await sql.close({ timeout: 0 }).catch(() => undefined);
  }
}
