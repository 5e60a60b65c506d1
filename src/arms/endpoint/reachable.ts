import { isIP } from "node:net";
import { Failure } from "../../domain/failure.ts";
import { unlessAborted } from "../../runtime/shared-work.ts";
import { bareHost, type PinnedAddress } from "./post.ts";

/** A host that the person who started the program named; without a port all of its ports. */
export interface AllowedEndpoint {
  readonly host: string;
  readonly port: string | undefined;
}

/** Which endpoints may be asked. */
export interface EndpointRules {
  readonly allowed: readonly AllowedEndpoint[];
  /** A server runs what others ask for: no host but those that are allowed, and none of its own. */
  readonly server: boolean;
  /** Ports on which this process itself listens; whoever listens adds its own. */
  readonly own_ports: Set<string>;
  /** Addresses of this machine. */
  readonly own_addresses: () => readonly string[];
  /** @throws when the name leads nowhere */
  readonly lookup: (host: string) => Promise<readonly PinnedAddress[]>;
}

/** `<host>` or `<host>:<port>`, an IPv6 address in brackets; null for anything else. */
export function parseAllowedEndpoint(text: string): AllowedEndpoint | null {
  const [, host = "", port] = /^(\[[\da-fA-F:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const parsed = host === "" ? null : URL.parse(`http://${host}/`);
  return parsed === null ? null : { host: parsed.hostname, port };
}

/** Names under which clouds hand out credentials to whoever asks from inside. */
const METADATA_NAMES = /^(metadata(\.google\.internal|\.goog)?|instance-data(\.ec2\.internal)?)\.?$/i;

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

const isAllowed = ({ allowed }: Pick<EndpointRules, "allowed">, url: URL): boolean =>
  allowed.some(({ host, port }) => host === url.hostname && (port === undefined || port === portOf(url)));

const flagFor = (url: URL) => `--allow-endpoint ${url.hostname}${url.port === "" ? "" : `:${url.port}`}`;

/** Why the address may not be asked, as far as it says itself; null: it may. */
export function faultOfUrl(url: URL, rules: EndpointRules): string | null {
  if (rules.server && !isAllowed(rules, url))
    return `a server asks only hosts that it was started with: ${flagFor(url)}`;
  if (isAllowed(rules, url)) return isIP(bareHost(url)) ? faultOfAddress(bareHost(url), url, rules) : null;
  if (METADATA_NAMES.test(url.hostname)) return `${url.hostname} is a name by which clouds hand out credentials`;
  if (isIP(bareHost(url))) return faultOfAddress(bareHost(url), url, rules);
  if (url.protocol === "http:" && !isLoopbackName(url.hostname)) return cleartext(url);
  return null;
}

const cleartext = (url: URL) =>
  `http sends the request in clear text to ${url.hostname}; use https, or allow it with ${flagFor(url)}`;

const isLoopbackName = (hostname: string) => /^(.+\.)?localhost\.?$/i.test(hostname);

/** Why a connection to the address may not be made; null: it may. */
function faultOfAddress(address: string, url: URL, rules: EndpointRules): string | null {
  const kind = kindOf(address);
  const opened = isAllowed(rules, url);
  if (kind === "nowhere") return `${address} is no address of one machine`;
  if (kind === "link_local" && (rules.server || !opened))
    return `${address} is a link-local address, where clouds hand out credentials${rules.server ? "" : `; if that is meant, ${flagFor(url)}`}`;
  if (rules.server && rules.own_ports.has(portOf(url)) && isOwn(address, kind, rules))
    return `${address}:${portOf(url)} is this server itself`;
  if (kind !== "loopback" && url.protocol === "http:" && !opened) return cleartext(url);
  return null;
}

const isOwn = (address: string, kind: AddressKind, { own_addresses }: EndpointRules) =>
  kind === "loopback" || own_addresses().some((own) => groupsOf(own).join() === groupsOf(address).join());

type AddressKind = "loopback" | "link_local" | "nowhere" | "other";

/** By its value, however it is written: `::ffff:a9fe:a9fe` is 169.254.169.254. */
function kindOf(address: string): AddressKind {
  const groups = groupsOf(address);
  const v4 = embeddedIn(groups);
  return v4 === undefined ? kindOfGroups(groups) : kindOfBytes(v4);
}

function kindOfGroups(groups: readonly number[]): AddressKind {
  const [first = 0, second = 0] = groups;
  if (groups.join() === "0,0,0,0,0,0,0,1") return "loopback";
  if (groups.every((group) => group === 0) || first >= 0xff00) return "nowhere";
  // The address at which one cloud answers over IPv6.
  return (first & 0xffc0) === 0xfe80 || (first === 0xfd00 && second === 0xec2) ? "link_local" : "other";
}

function kindOfBytes(bytes: readonly number[]): AddressKind {
  const [a = 0, b = 0] = bytes;
  if (a === 0 || a >= 224) return "nowhere";
  if (a === 127) return "loopback";
  // The address at which one cloud answers.
  return (a === 169 && b === 254) || bytes.join(".") === "100.100.100.200" ? "link_local" : "other";
}

/** Its eight groups. An IPv4 address is the one that IPv6 writes for it. */
function groupsOf(address: string): readonly number[] {
  const v6 = isIP(address) === 4 ? `::ffff:${address}` : (address.split("%")[0] ?? "");
  const plain = URL.parse(`http://[${v6}]/`)?.hostname.slice(1, -1) ?? "::";
  const [head = "", tail] = plain.split("::");
  const numbers = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

/** The IPv4 address that it stands for: mapped, compatible, translated (64:ff9b::/96) or tunnelled (2002::/16). */
function embeddedIn(groups: readonly number[]): readonly number[] | undefined {
  const [g0, g1, g2, g3, g4, g5, g6 = 0, g7 = 0] = groups;
  const isLow = [g0, g1, g2, g3, g4].every((group) => group === 0) && (g5 === 0xffff || (g5 === 0 && g6 > 0));
  const isTranslated = g0 === 0x64 && g1 === 0xff9b && [g2, g3, g4, g5].every((group) => group === 0);
  if (isLow || isTranslated) return bytesOf(g6, g7);
  return g0 === 0x2002 ? bytesOf(g1 ?? 0, g2 ?? 0) : undefined;
}

const bytesOf = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255];

/**
 * Where the endpoint is, looked up once: whoever connects goes there and nowhere else.
 * @throws Failure `setup_failed` for a name that leads nowhere, or to an address that may not be asked; the signal's reason, also while a
 * name server hangs
 */
export async function reachEndpoint(
  url: URL,
  rules: EndpointRules,
  signal: AbortSignal,
): Promise<readonly PinnedAddress[]> {
  signal.throwIfAborted();
  const refuse = (why: string, cause?: unknown) =>
    new Failure("setup_failed", `its endpoint cannot be asked: ${why}`, { cause });
  const fault = faultOfUrl(url, rules);
  if (fault !== null) throw refuse(fault);
  const host = bareHost(url);
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  const lookup = rules.lookup(host).catch((cause: unknown) => {
    throw refuse(`no address is known for ${host}`, cause);
  });
  const found = await unlessAborted(lookup, signal);
  const faults = found.flatMap(({ address }) => faultOfAddress(address, url, rules) ?? []);
  if (faults[0] !== undefined) throw refuse(faults[0]);
  if (found.length === 0) throw refuse(`no address is known for ${host}`);
  return found;
}
