import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ExternalAgent } from "../../domain/external-agent.ts";
import { Failure } from "../../domain/failure.ts";
import { refuseShortage } from "../../domain/shortage.ts";
import { AGENT_INSTALL } from "./inside.ts";
import { recipeOf } from "./recipes.ts";

/** An agent as it is installed below --agents-dir. */
export interface Install {
  /** Absolute directory on the host, to be mounted at /opt/agent. */
  readonly path: string;
  /** Its program, as seen from inside; null for a command that names no file of the install. */
  readonly entry: string | null;
  /** The version of its package; null when it has none. */
  readonly version: string | null;
  /** SHA-256 over the names and versions of its packages and the bytes of its entry. */
  readonly digest: string;
}

type Installed = Pick<ExternalAgent, "use" | "command" | "wires" | "install">;

/** Packages and bytes of one package.json that are read. The largest of today's agents has 1,200 packages. */
const MAX_PACKAGES = 20_000;
const PACKAGE_BYTES = 1_000_000;

/**
 * Null for an agent that needs no install.
 * @throws Failure `invalid_request` when it is not there or holds something else
 */
export async function installOf(agents_dir: string | undefined, agent: Installed): Promise<Install | null> {
  if (agent.install === null) return null;
  if (agents_dir === undefined)
    throw refused(`its install "${agent.install}" is looked for in --agents-dir <path>, which is not given`);
  const path = join(agents_dir, agent.install);
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory())
    throw refused(`there is no install "${agent.install}" in the directory of --agents-dir${howToInstall(agent)}`);
  const entry = await entryIn(path, agent);
  const packages = await packagesBelow(path);
  return {
    path,
    entry: entry === null ? null : `${AGENT_INSTALL}/${entry}`,
    version: versionOf(packages, recipeOf(agent).packages),
    digest: await digestOf(path, packages, entry),
  };
}

/**
 * What an install of any kind is known by, as `Install.digest`.
 * @param entry relative to `path`; one that is no file in it is left out
 * @throws Failure `invalid_request` when it holds too many packages
 */
export async function installDigest(path: string, entry: string | null): Promise<string> {
  const isThere = entry !== null && (await isFileIn(path, entry));
  return await digestOf(path, await packagesBelow(path), isThere ? entry : null);
}

async function digestOf(path: string, packages: readonly Package[], entry: string | null): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(packages.map(({ name, version }) => [name, version])));
  if (entry !== null) hash.update(await fileDigest(await realpath(join(path, entry))));
  return hash.digest("hex");
}

const refused = (why: string) => new Failure("invalid_request", why);

/** Relative to the install. */
async function entryIn(path: string, agent: Installed): Promise<string | null> {
  if (agent.command !== null) {
    const entry = entryOf(agent.command);
    if (entry === null || (await isFileIn(path, entry))) return entry;
    throw refused(`its command names ${AGENT_INSTALL}/${entry}, and the install "${agent.install}" has no such file`);
  }
  const { programs, title } = recipeOf(agent);
  for (const program of programs) {
    const entry = `node_modules/.bin/${program}`;
    if (await isFileIn(path, entry)) return entry;
  }
  throw refused(`the install "${agent.install}" has no ${title}${howToInstall(agent)}`);
}

/** The file of a command that its install holds, relative to the install; null when no argument names one. */
function entryOf(command: readonly string[]): string | null {
  const below = `${AGENT_INSTALL}/`;
  const named = command.find((argument) => argument.startsWith(below));
  return named === undefined ? null : named.slice(below.length);
}

function howToInstall(agent: Installed): string {
  const [name] = recipeOf(agent).packages;
  return name === undefined ? "" : `: npm install --prefix <agents-dir>/${agent.install} ${name}`;
}

/** Follows links, but not out of the install: what lies outside is not mounted. */
async function isFileIn(path: string, entry: string): Promise<boolean> {
  try {
    const [root, real] = [await realpath(path), await realpath(join(path, entry))];
    const steps = relative(root, real);
    return steps !== ".." && !steps.startsWith(`..${sep}`) && (await stat(real)).isFile();
  } catch (error) {
    refuseShortage(error);
    return false;
  }
}

interface Package {
  readonly place: string;
  readonly name: string;
  readonly version: string;
}

/** The package of the install itself and everything in its `node_modules`, in the order of their places. */
async function packagesBelow(path: string): Promise<Package[]> {
  const found: Package[] = [];
  const pending = [""];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const own = await packageAt(path, place);
    if (own) found.push(own);
    if (found.length > MAX_PACKAGES) throw refused(`it holds more than ${MAX_PACKAGES} packages`);
    pending.push(...(await packagePlaces(path, place)));
  }
  return found.sort((a, b) => (a.place < b.place ? -1 : 1));
}

/** Directories of packages in a package's `node_modules`. Links are not followed: what they name is found where it lies. */
async function packagePlaces(path: string, place: string): Promise<string[]> {
  const modules = join(place, "node_modules");
  const names = await directoriesIn(join(path, modules));
  const scoped = names.filter((name) => name.startsWith("@"));
  const inScopes = await Promise.all(
    scoped.map(async (scope) => (await directoriesIn(join(path, modules, scope))).map((name) => join(scope, name))),
  );
  return [...names.filter((name) => !/^[.@]/.test(name)), ...inScopes.flat()].map((name) => join(modules, name));
}

async function directoriesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => refuseShortage(error) ?? []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function packageAt(path: string, place: string): Promise<Package | null> {
  try {
    await using file = await open(join(path, place, "package.json"));
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(PACKAGE_BYTES), length: PACKAGE_BYTES });
    const { name, version } = JSON.parse(buffer.toString("utf8", 0, bytesRead)) as Record<string, unknown>; // null throws
    return typeof name === "string" && typeof version === "string" ? { place, name, version } : null;
  } catch (error) {
    refuseShortage(error);
    // No package, or one that npm could not read either.
    return null;
  }
}

/** The version of the recipe's package at the top of the install; for a command, that of the install's own package. */
function versionOf(packages: readonly Package[], names: readonly string[]): string | null {
  const places = names.length > 0 ? names.map((name) => join("node_modules", name)) : [""];
  return packages.find(({ place }) => places.includes(place))?.version ?? null;
}

/** Digests of large files by what the file is: agents have programs of 200 MB, and every trial asks. */
const digests = new Map<string, Promise<string>>();
const MAX_DIGESTS = 100;

/** SHA-256 of a file's bytes, read again only when the file has changed. */
async function fileDigest(path: string): Promise<string> {
  const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
  const file = [dev, ino, size, mtimeMs, ctimeMs].join(" ");
  const known = digests.get(file) ?? readDigest(path);
  if (digests.size >= MAX_DIGESTS) digests.clear();
  digests.set(file, known);
  return await known;
}

async function readDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest("hex");
}
