import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** A package that the program may contain. */
export interface Dependency {
  readonly name: string;
  readonly version: string;
  /** SPDX expression, as the package states it. */
  readonly license: string;
  /** Subresource integrity of what the registry serves, from the lock file: `sha512-...`. */
  readonly integrity: string;
  /** Where it is installed. */
  readonly directory: string;
  /** `name@version` of those it needs directly. */
  readonly needs: readonly string[];
}

export interface DependencyTree {
  /** Every package reachable from `dependencies` or vendored, once a version, sorted by name and version. */
  readonly packages: readonly Dependency[];
  /** `name@version` of what the project itself uses. */
  readonly direct: readonly string[];
}

/** What lies in the repository itself, and in the executable. */
export const VENDORED: readonly Dependency[] = [
  {
    name: "@scalar/api-reference",
    version: "1.72.1",
    license: "MIT",
    integrity: "sha512-XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
    directory: join(import.meta.dir, "../src/doors/http/openapi/scalar"),
    needs: [],
  },
];

/** What we read of bun.lock, text format 1 and 2. */
interface LockFile {
  readonly workspaces: Readonly<Record<string, { readonly dependencies?: Readonly<Record<string, string>> }>>;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}
type LockedPackage = readonly [id: string, registry: string, needs: LockedNeeds, integrity: string];
interface LockedNeeds {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalPeers?: readonly string[];
}

/**
 * The production dependencies of a project, from its lock file and what is installed, and what is vendored.
 * @throws Error when what is installed is not what the lock file says
 */
export async function readDependencyTree(root: string): Promise<DependencyTree> {
  const lock = Bun.JSONC.parse(await readFile(join(root, "bun.lock"), "utf8")) as LockFile; // written by the package manager
  const roots = Object.keys(lock.workspaces[""]?.dependencies ?? {}).map((name) => need(lock, "", name));
  const keys = reachable(lock, roots);
  const packages = [...(await Promise.all(keys.map((key) => describe(root, lock, key)))), ...VENDORED];
  const unique = new Map(packages.map((dependency) => [`${dependency.name}@${dependency.version}`, dependency]));
  return {
    packages: [...unique.keys()].sort().flatMap((id) => unique.get(id) ?? []),
    direct: [
      ...roots.map((key) => locked(lock, key)[0]),
      ...VENDORED.map((own) => `${own.name}@${own.version}`),
    ].sort(),
  };
}

function reachable(lock: LockFile, roots: readonly string[]): readonly string[] {
  const found = new Set(roots);
  // A set hands out what is added to it while it is walked.
  for (const key of found) for (const needed of needsOf(lock, key)) found.add(needed);
  return [...found].sort();
}

/** Keys of what a package needs. Optional peers are left out: nobody but another dependency installs them. */
function needsOf(lock: LockFile, key: string): readonly string[] {
  const [, , needs] = locked(lock, key);
  const peers = Object.keys(needs.peerDependencies ?? {}).filter((name) => !needs.optionalPeers?.includes(name));
  const optional = Object.keys(needs.optionalDependencies ?? {}).filter((name) => resolve(lock, key, name));
  const names = [...Object.keys(needs.dependencies ?? {}), ...peers, ...optional];
  return names.map((name) => need(lock, key, name));
}

function need(lock: LockFile, from: string, name: string): string {
  const key = resolve(lock, from, name);
  if (key === undefined) throw new Error(`bun.lock: ${from || "the project"} needs ${name}, which is not locked`);
  return key;
}

/** As modules are found: the nearest `node_modules` upwards that has it. Keys are paths without those words. */
function resolve(lock: LockFile, from: string, name: string): string | undefined {
  const owners = packageNames(from);
  for (let depth = owners.length; depth >= 0; depth--) {
    const key = [...owners.slice(0, depth), name].join("/");
    if (key in lock.packages) return key;
  }
  return undefined;
}

/** `@a/b/c` is `@a/b` and in it `c`. */
const packageNames = (key: string): readonly string[] => key.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];

function locked(lock: LockFile, key: string): LockedPackage {
  const found = lock.packages[key];
  if (found === undefined) throw new Error(`bun.lock: no package ${key}`);
  return found;
}

async function describe(root: string, lock: LockFile, key: string): Promise<Dependency> {
  const [id, , , integrity] = locked(lock, key);
  const directory = join(root, "node_modules", packageNames(key).join("/node_modules/"));
  const { name, version, license } = await readManifest(directory);
  if (`${name}@${version}` !== id)
    throw new Error(`${directory} holds ${name}@${version}, bun.lock says ${id}: run bun install --frozen-lockfile`);
  if (typeof license !== "string") throw new Error(`${id}: its package.json states no license`);
  const needs = needsOf(lock, key).map((needed) => locked(lock, needed)[0]);
  return { name, version, license, integrity, directory, needs: needs.sort() };
}

async function readManifest(directory: string): Promise<{ name: string; version: string; license: unknown }> {
  try {
    return JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  } catch (cause) {
    throw new Error(`${directory}: not installed; run bun install --frozen-lockfile`, { cause });
  }
}
