import { readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Invocation, startAbeval } from "../abeval.ts";

/** A server listens; a worker that answers nobody is told from it by its words. */
const READY = /listening on (http:\/\/[^\s"]+)|working, \d+ sessions at once/;

export interface Served extends AsyncDisposable {
  /** Empty for a worker. */
  readonly url: string;
  readonly child: ReturnType<typeof startAbeval>;
  /** Everything on stderr so far. */
  readonly log: () => string;
  /** Sends the signal (SIGINT, unless another is named) and waits for the end. After SIGTERM work is accepted for 5 s more. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<{ readonly status: number }>;
}

/** The program, and whether it has a supervisor. */
export type ServedBy = Omit<Invocation, "env"> & { readonly supervised?: true };

/**
 * `abeval serve` as a process of its own on a free port, once it listens or works. Without a supervisor unless one is asked for, so
 * that its process is the server: tests stop, kill and measure that.
 */
export async function serve(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  { supervised, ...invocation }: ServedBy = {},
): Promise<Served> {
  const alone = supervised ? [] : ["--no-supervise"];
  const address = args.includes("--addr") ? [] : ["--addr", "127.0.0.1:0"];
  const before = new Set(readdirSync(tmpdir()));
  const child = startAbeval(["serve", ...alone, ...address, ...args], { ...invocation, env });
  const listening = Promise.withResolvers<string>();
  let text = "";
  const reading = (async () => {
    for await (const chunk of child.stderr.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const [ready, url = ""] = READY.exec(text) ?? [];
      if (ready !== undefined) listening.resolve(url);
    }
    listening.reject(new Error(`abeval serve ended: ${text}`));
  })();
  const url = await listening.promise;
  return {
    url,
    child,
    log: () => text,
    async stop(signal = "SIGINT") {
      child.kill(signal);
      const status = await child.exited;
      await reading;
      return { status };
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      removeTempDirs(child.pid, before);
    },
  };
}

/**
 * A killed server leaves its temporary directories to a sweep that comes a day later. Those that stood before it are
 * another's: process ids come again.
 */
function removeTempDirs(pid: number, before: ReadonlySet<string>): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(`abeval-run-${pid}-`) && !before.has(name));
  for (const name of names) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}
