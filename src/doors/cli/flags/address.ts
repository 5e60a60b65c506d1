import { errorCode } from "../../../domain/failure.ts";
import { isHost, isOrigin } from "../../http/allowed-callers.ts";
import type { Address } from "../../http/listen.ts";
import { isUserHeader } from "../../http/requester.ts";
import { UsageError } from "./parse-arguments.ts";

/** `127.0.0.1:8080`, `localhost:0`, `[::1]:8080`, which keeps its brackets. @throws UsageError */
export function parseAddress(text: string, flag = "--addr"): Address {
  const [, hostname, digits] = /^(\[[0-9a-fA-F:.]+\]|[^:[\]\s/]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (hostname === undefined || port > 65_535)
    throw new UsageError(`${flag}: expected <host:port> with a port from 0 to 65535, got "${text}"`);
  return { hostname, port };
}

/** Why an address cannot be listened on, and what to do. */
export function listenProblem({ hostname, port }: Address, error: unknown, flag = "--addr"): string {
  const code = errorCode(error);
  const address = `${hostname}:${port}`;
  if (code === "EADDRINUSE")
    return `${address} is in use by another program; stop it or choose another port with ${flag} ${hostname}:0`;
  if (code === "EACCES") return `no permission to listen on ${address}; ports below 1024 belong to root`;
  return `cannot listen on ${address}; is ${hostname} an address of this machine?`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

/** @throws UsageError for what no browser sends as an origin. */
export function checkOrigin(text: string): void {
  if (text === "self" || isOrigin(text)) return;
  const near = URL.parse(text)?.origin ?? "null";
  const hint = isOrigin(near) ? `; did you mean ${near}?` : "";
  throw new UsageError(`--allowed-origin: expected an origin such as https://dash.example.com, got "${text}"${hint}`);
}

/** @throws UsageError for what is no header's name, or names one that holds a password */
export function checkUserHeader(text: string): void {
  if (isUserHeader(text)) return;
  throw new UsageError(
    `--user-header: expected the name of a header that the proxy sets and that holds no password, such as X-Remote-User, got "${text}"`,
  );
}

/** @throws UsageError for what no browser sends as a host. */
export function checkHost(text: string): void {
  if (isHost(text)) return;
  const addresses = text.includes("//") ? [text] : [`http://${text}`, `http://[${text}]`];
  const near = addresses.map((address) => URL.parse(address)?.hostname ?? "").find(isHost);
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  throw new UsageError(
    `--allowed-host: expected a whole host name such as eval.example.com, without scheme or port, got "${text}"${hint}`,
  );
}

/** The hosts and origins that a server answers, besides its own. */
interface Allowed {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** Warns of an address that other machines can reach: anybody there can spend money. */
export function warnWhenOpen({ hostname }: Address, { hosts, origins }: Allowed, notice: (line: string) => void): void {
  if (LOOPBACK.test(hostname)) return;
  notice(
    `warning: ${hostname} is reachable from elsewhere and there is no authentication: anybody there can start runs`,
  );
  const missing = [hosts.length === 0 && "--allowed-host", origins.length === 0 && "--allowed-origin"].filter(Boolean);
  if (missing.length > 0)
    notice(`warning: without ${missing.join(" and ")} any page in a browser that reaches it can start runs too`);
}
