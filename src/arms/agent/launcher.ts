import { spawn } from "node:child_process";
import { writeSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { constants } from "node:os";

// Runs inside a sandbox, where this file may be all that there is of abeval: it imports nothing of it.

/** Exit codes of the launcher itself, as sysexits.h has them; those of the program pass through. */
const WRONG_USE = 64;
const SOCKET_GONE = 69;
const CANNOT_LISTEN = 71;

/** The exit code of a shell for a program that it cannot run or find. */
const NOT_RUN = 126;
const NOT_FOUND = 127;

/**
 * Where the program prints to. It is not the launcher's own output: the runtime makes that non-blocking, for everybody who shares
 * it, and a program that prints a lot would be told to try again later, which few do.
 */
const STDOUT = 3;
const STDERR = 4;

/**
 * `<port> <socket> -- <program> [arguments]`: runs the program with 127.0.0.1:<port> leading to a unix socket outside, and
 * gives its exit code, 128 + n for an end by signal. A program whose socket is gone is killed: it would wait for minutes.
 */
export async function command([port = "", socket = "", dashes, ...argv]: readonly string[]): Promise<number> {
  if (!/^\d{1,5}$/.test(port) || socket === "" || dashes !== "--" || argv.length === 0)
    return complain(WRONG_USE, `usage: __launch <port> <socket> -- <program> [arguments] ${STDOUT}>&1 ${STDERR}>&2`, 2);
  const launcher = new Launcher(socket);
  const fault = await launcher.open(Number(port));
  if (fault !== undefined) return complain(CANNOT_LISTEN, `cannot listen on 127.0.0.1:${port} (${fault})`);
  const code = await run(argv, launcher);
  launcher.shut();
  return code;
}

function complain(code: number, why: string, to = STDERR): number {
  writeSync(to, `abeval launcher: ${why}\n`);
  return code;
}

async function run([program = "", ...args]: readonly string[], launcher: Launcher): Promise<number> {
  // A program that Bun compiled would act as bun itself. This one may have been started so.
  const { BUN_BE_BUN: _, ...environment } = process.env;
  // Before there is a program: it may be ended as soon as it begins.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => send(signal));
  // A group of its own: a signal reaches it once, with what it started.
  const child = spawn(program, args, { env: environment, stdio: ["ignore", STDOUT, STDERR], detached: true });
  const send = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal);
  };
  void launcher.gone.then(() => send("SIGKILL"));
  const { promise, resolve } = Promise.withResolvers<number>();
  child.on("error", (error: NodeJS.ErrnoException) => {
    if (child.pid !== undefined) return;
    resolve(complain(error.code === "ENOENT" ? NOT_FOUND : NOT_RUN, `${program} cannot be started (${error.code})`));
  });
  child.on("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]));
  const code = await promise;
  const { fault } = launcher;
  return fault === undefined ? code : complain(SOCKET_GONE, `the way out is gone (${fault}); its program was killed`);
}

/** Tries to connect, and milliseconds between them: a socket at which too many wait refuses as one that is gone does. */
const TRIES = 20;
const RETRY_MS = 50;

/** A port that leads to a socket, connection by connection. */
class Launcher {
  /** Settled when it leads nowhere any more. */
  readonly gone: Promise<void>;
  /** Why it leads nowhere; undefined while it does. */
  fault: string | undefined;
  readonly #socket: string;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #tellGone: () => void;

  constructor(socket: string) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    this.#tellGone = resolve;
    this.#socket = socket;
    this.#server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => this.#lead(client));
  }

  /** Undefined once it listens, else why it cannot. */
  async open(port: number): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    this.#server.listen(port, "127.0.0.1", () => resolve(undefined));
    return await promise;
  }

  shut(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }

  #lead(client: Socket): void {
    this.#keep(client);
    client.on("error", ignored);
    this.#tryToLead(client, TRIES);
  }

  #tryToLead(client: Socket, tries: number): void {
    if (client.destroyed) return;
    const way = connect({ path: this.#socket, allowHalfOpen: true });
    const refused = (error: NodeJS.ErrnoException) => {
      if (tries > 1) return setTimeout(() => this.#tryToLead(client, tries - 1), RETRY_MS);
      this.fault ??= error.code ?? error.message;
      return this.#tellGone();
    };
    way.once("error", refused);
    way.once("connect", () => {
      way.off("error", refused);
      way.on("error", ignored);
      this.#keep(way);
      join(client, way);
    });
  }

  #keep(connection: Socket): void {
    this.#connections.add(connection);
    connection.once("close", () => this.#connections.delete(connection));
  }
}

/** Bytes go both ways, each no faster than they are taken. The end of one way leaves the other open. */
function join(client: Socket, way: Socket): void {
  client.pipe(way);
  way.pipe(client);
  // One that breaks, or that is over both ways, takes the other along. What was written to that is sent before.
  client.once("close", (broken) => (broken ? way.destroy() : way.destroySoon()));
  way.once("close", (broken) => (broken ? client.destroy() : client.destroySoon()));
}

/** The end of the connection says it. */
const ignored = () => undefined;
