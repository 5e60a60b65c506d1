import { readFileSync } from "node:fs";

/** A server in a process of its own, driven over sockets. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: URL;
  /** Resident memory now, MiB. */
  readonly resident_mib: () => number;
  /** The most that was ever resident, MiB. */
  readonly peak_mib: () => number;
  /** CPU time so far, milliseconds. */
  readonly cpu_ms: () => number;
}

/** Starts it and waits until it says where it listens. */
export async function startServer(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = Bun.spawn([...command], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/dev/null/home", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await addressOf(child.stderr);
  return {
    url,
    resident_mib: () => Number(statusOf(child.pid, "VmRSS")) / 1024,
    peak_mib: () => Number(statusOf(child.pid, "VmHWM")) / 1024,
    cpu_ms: () => cpuOf(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

async function addressOf(stderr: ReadableStream<Uint8Array>): Promise<URL> {
  const found = Promise.withResolvers<URL>();
  let text = "";
  void (async () => {
    // Read to the end, or the pipe would fill and stop the server.
    for await (const chunk of stderr) {
      if (text.length > 10_000) continue;
      text += new TextDecoder().decode(chunk);
      const [, url] = /listening on (http:\/\/[^\s"]+)/.exec(text) ?? [];
      if (url !== undefined) found.resolve(new URL(url));
    }
    found.reject(new Error(`the server ended: ${text}`));
  })();
  return await found.promise;
}

const read = (path: string) => readFileSync(path, "utf8");

const statusOf = (pid: number, field: string) =>
  new RegExp(`${field}:\\s+(\\d+)`).exec(read(`/proc/${pid}/status`))?.[1];

/** User and system time; the kernel counts them in hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
