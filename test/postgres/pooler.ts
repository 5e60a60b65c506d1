import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { freePort, ordinary, type TestDatabase } from "./server.ts";

/** Debian installs it where ordinary users do not look. */
const PROGRAM = Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });

export const POOLER: Need = { what: "PgBouncer (apt-get install pgbouncer)", met: PROGRAM !== null };

/** PgBouncer in front of a database, in transaction mode. */
export async function poolerOf({ name, url }: TestDatabase): Promise<{ readonly port: number } & Disposable> {
  const directory = temporaryDirectory();
  const [port, settings] = [freePort(), join(directory.path, "pgbouncer.ini")];
  const { hostname, port: server, username } = new URL(url);
  writeFileSync(
    settings,
    `[databases]
${name} = host=${hostname} port=${server} user=${username}
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
  return { port, [Symbol.dispose]: stop };
}

const listensAt = (port: number) =>
  Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).then(
    (socket) => {
      socket.end();
      return true;
    },
    () => false,
  );
