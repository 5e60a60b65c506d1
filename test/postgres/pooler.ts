import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { freePort, ordinary, type TestDatabase } from "./server.ts";

/** Debian installs it where ordinary users do not look. */
const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });

export const POOLER: Need = { what: "PgBouncer (apt-get install pgbouncer)", met: PROGRAM !== null };

interface Pooler extends Disposable {
  readonly port: number;
  /** The same database by way of a pool in session mode, for what listens. */
  readonly listening: string;
  /** Its settings name another server, and it reads them again. */
  leadTo(port: number): void;
}

/** PgBouncer in front of a database, in transaction mode. */
export async function poolerOf({ name, url, urlBy }: TestDatabase): Promise<Pooler> {
  const directory = temporaryDirectory();
  const [port, settings] = [freePort(), join(directory.path, "pgbouncer.ini")];
  const { hostname, port: first, username } = new URL(url);
  const lead = (to: string) =>
    writeFileSync(
      settings,
      `[databases]
${name} = host=${hostname} port=${to} user=${username}
${name}_session = host=${hostname} port=${to} user=${username} dbname=${name} pool_mode=session
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
server_login_retry = 1
`,
    );
  lead(first);
  chmodSync(directory.path, 0o755);
  const running = ordinary(join(directory.path, "log"), PROGRAM ?? "", settings);
  const stop = () => {
    running.kill("SIGQUIT");
    directory[Symbol.dispose]();
  };
  await until(() => {
    if (running.exitCode !== null) throw new Error(`pgbouncer: ${readFileSync(join(directory.path, "log"), "utf8")}`);
    return listensAt(port);
  });
  const leadTo = (to: number) => {
    lead(String(to));
    running.kill("SIGHUP");
  };
  return { port, listening: `${urlBy(port)}_session`, leadTo, [Symbol.dispose]: stop };
}

const listensAt = (port: number) =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
