import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Dependency } from "./dependency-tree.ts";

/** Texts of packages that state a license and do not ship it, from their public repositories. */
const LICENSES = join(import.meta.dir, "licenses");

const NAMED = /^(licen[cs]e|copying|notice)([-.].*)?$/i;
const README_SECTION = /^#+\s*licen[cs]e\s*$/im;
/** What every permissive license that stands in a README says. */
const GRANT = /permission is hereby granted/i;

/**
 * The full license text of a package: its license and notice files, else the section of its README, else ours.
 * @returns undefined when there is none: then the package cannot be shipped
 */
export async function readLicenseText(dependency: Dependency): Promise<string | undefined> {
  return (
    (await fromFiles(dependency.directory)) ?? (await fromReadme(dependency.directory)) ?? (await fromOurs(dependency))
  );
}

async function fromFiles(directory: string): Promise<string | undefined> {
  const names = (await readdir(directory)).filter((name) => NAMED.test(name)).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  return joined(texts);
}

async function fromReadme(directory: string): Promise<string | undefined> {
  const name = (await readdir(directory)).find((file) => /^readme(\.|$)/i.test(file));
  if (name === undefined) return undefined;
  const [, section] = (await readFile(join(directory, name), "utf8")).split(README_SECTION);
  return section !== undefined && GRANT.test(section) ? joined([section]) : undefined;
}

async function fromOurs({ name, version }: Dependency): Promise<string | undefined> {
  const file = Bun.file(join(LICENSES, `${name.replace("/", "__")}@${version}.txt`));
  return (await file.exists()) ? joined([await file.text()]) : undefined;
}

/** The runtime in the executable and the libraries in it. */
export const readRuntimeNotice = async (): Promise<string> =>
  (await Promise.all(["bun.txt", "lgpl-2.0.txt"].map((name) => readFile(join(LICENSES, name), "utf8")))).join("\n");

function joined(texts: readonly string[]): string | undefined {
  const present = texts.map((text) => text.replaceAll("\r\n", "\n").trim()).filter((text) => text !== "");
  return present.length === 0 ? undefined : present.join("\n\n");
}
