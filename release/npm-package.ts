import { readFile } from "node:fs/promises";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { LIBRARY_EXPORTS, libraryFiles } from "./npm-library.ts";
import type { TarEntry } from "./tar.ts";
import { TARGETS, type Target } from "./targets.ts";

/** What `npm pack` would make: the name of its file, and what stands in it. */
export interface NpmPackage {
  readonly file: string;
  readonly entries: readonly TarEntry[];
}

const { version, description, license } = manifest;

/**
 * The package that users name: `files`, the library, and a shim that starts the executable of their platform's package. npm installs
 * that one alone, by its `os`, `cpu` and `libc`.
 */
export async function mainPackage(files: readonly TarEntry[]): Promise<NpmPackage> {
  const shim = await readFile(join(import.meta.dir, "npm/abeval.cjs"));
  const described = {
    name: "abeval",
    version,
    description,
    license,
    bin: { abeval: "abeval.cjs" },
    exports: LIBRARY_EXPORTS,
    engines: { node: ">=20" },
    optionalDependencies: Object.fromEntries(TARGETS.map((target) => [nameOf(target), version])),
  };
  return packed(`abeval-${version}.tgz`, described, [
    ...files,
    ...(await libraryFiles()),
    { path: "abeval.cjs", bytes: shim, executable: true },
  ]);
}

/** The package of one platform: `files`, the executable among them as `abeval`. */
export function platformPackage(target: Target, files: readonly TarEntry[]): NpmPackage {
  const described = {
    name: nameOf(target),
    version,
    description: `The executable of abeval for ${target.name}`,
    license,
    os: [target.os],
    cpu: [target.arch],
    ...(target.os === "linux" && { libc: [target.musl ? "musl" : "glibc"] }),
    // A program cannot be started in the archives that Yarn keeps packages in.
    preferUnplugged: true,
    // Packages with a scope are private otherwise.
    publishConfig: { access: "public" },
  };
  const readme = `# ${nameOf(target)}\n\n${described.description}. Install \`abeval\`, which chooses the right one.\n`;
  return packed(`abeval-${target.name}-${version}.tgz`, described, [
    ...files,
    { path: "README.md", bytes: Buffer.from(readme) },
  ]);
}

/** A scope has one owner, so nobody else can publish a platform that is missing. */
const nameOf = ({ name }: Target) => `@abeval/${name}`;

function packed(file: string, described: object, files: readonly TarEntry[]): NpmPackage {
  const json = { path: "package.json", bytes: Buffer.from(`${JSON.stringify(described, null, 2)}\n`) };
  return { file, entries: [...files, json].map((entry) => ({ ...entry, path: `package/${entry.path}` })) };
}
