import type { Dependency } from "./dependency-tree.ts";
import { readLicenseText, readRuntimeNotice } from "./license-text.ts";

const RULE = "=".repeat(80);

/**
 * THIRD_PARTY_NOTICES: the runtime and every package with version, license and its full text.
 * @throws Error that names every package whose license text is nowhere to be found
 */
export async function thirdPartyNotices(packages: readonly Dependency[], bunVersion: string): Promise<string> {
  const texts = await Promise.all(packages.map(readLicenseText));
  const missing = packages.filter((_, index) => texts[index] === undefined).map(idOf);
  if (missing.length > 0)
    throw new Error(
      `no license text in ${missing.join(", ")}: put it from the package's repository into release/licenses/<name>@<version>.txt`,
    );
  const sections = packages.map((dependency, index) =>
    section(`${idOf(dependency)}  (${dependency.license})`, texts[index] ?? ""),
  );
  return [
    INTRODUCTION,
    section(`bun@${bunVersion}  (MIT; libraries below)`, await readRuntimeNotice()),
    ...sections,
  ].join("\n");
}

const INTRODUCTION = `Third-party software in this distribution of abeval

The executable is the Bun runtime and a bundle of JavaScript. Listed are the runtime and every package that the
project's production dependencies lead to; the bundle holds those parts of them that are used.
`;

const idOf = ({ name, version }: Dependency) => `${name}@${version}`;

const section = (title: string, text: string) => `${RULE}\n${title}\n${RULE}\n\n${text.trimEnd()}\n`;
