import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { apiReference } from "./api-reference.ts";
import { run } from "./command.ts";
import type { TarEntry } from "./tar.ts";

const ROOT = join(import.meta.dir, "..");

/** Files that every archive holds, whatever its platform, but for the notices. */
export async function commonFiles(uiDirectory: string): Promise<readonly TarEntry[]> {
  const reference = { path: "docs/api.md", bytes: Buffer.from(apiReference()) };
  return [...(await uiFiles(uiDirectory)), ...(await trackedFiles()), reference];
}

/** The README's links lead into `docs`. */
const TRACKED = ["README.md", "LICENSE", "CHANGELOG.md", "docs", "examples", "scenarios"];

async function uiFiles(directory: string): Promise<readonly TarEntry[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(
    files.map(async (file) => ({ path: `ui/${file.slice(directory.length + 1)}`, bytes: await readFile(file) })),
  );
}

/** Those under version control, so that nothing else which lies about gets in. */
async function trackedFiles(): Promise<readonly TarEntry[]> {
  const listed = (await run(["git", "ls-files", "-s", "-z", ...TRACKED])).split("\0").filter((line) => line !== "");
  return await Promise.all(
    listed.map(async (line) => {
      const [stat = "", path = ""] = line.split("\t");
      return { path, bytes: await readFile(join(ROOT, path)), executable: stat.startsWith("100755") };
    }),
  );
}
