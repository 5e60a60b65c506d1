import { UsageError } from "./arguments.ts";

export interface Address {
  /** An IPv6 address keeps its brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** `127.0.0.1:8080`, `localhost:0`, `[::1]:8080`. @throws UsageError */
export function parseAddress(text: string): Address {
  const [, hostname, digits] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (hostname === undefined || port > 65_535)
    throw new UsageError(`--addr: expected <host:port> with a port from 0 to 65535, got "${text}"`);
  return { hostname, port };
}

/** Why an address cannot be listened on, and what to do. */
export function listenProblem({ hostname, port }: Address, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const address = `${hostname}:${port}`;
  if (code === "EADDRINUSE")
    return `${address} is in use by another program; stop it or choose another port with --addr ${hostname}:0`;
  if (code === "EACCES") return `no permission to listen on ${address}; ports below 1024 belong to root`;
  return `cannot listen on ${address}; is ${hostname} an address of this machine?`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** Who can reach an open address can spend money on it. */
export function warnWhenOpen({ hostname }: Address, notice: (line: string) => void): void {
  if (LOOPBACK.test(hostname)) return;
  notice(
    `warning: ${hostname} is reachable from elsewhere and there is no authentication: anybody there can start runs`,
  );
}
