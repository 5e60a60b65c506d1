import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../src/runtime/version.ts";
import { run, runScript } from "./command.ts";
import { commonFiles } from "./contents.ts";
import { type DependencyTree, readDependencyTree } from "./dependency-tree.ts";
import { thirdPartyNotices } from "./notices.ts";
import { mainPackage, platformPackage } from "./npm-package.ts";
import { sbom } from "./sbom.ts";
import { type TarEntry, tar } from "./tar.ts";
import { archiveName, nativeTarget, TARGETS, type Target } from "./targets.ts";

const ROOT = join(import.meta.dir, "..");
const GZIP_LEVEL = 6;

const { values } = parseArgs({
  options: {
    native: { type: "boolean", default: false },
    out: { type: "string", default: join(ROOT, "dist/release") },
  },
});

await release(values.native ? [nativeTarget()] : TARGETS, values.out);

/** Fills a directory with an archive and an npm package a target, the package that chooses among these, and what installs them. */
async function release(targets: readonly Target[], out: string): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "abeval-release-"));
  try {
    await warnAboutChanges();
    await rm(out, { recursive: true, force: true });
    await mkdir(out, { recursive: true });
    await runScript("bundle:ui", "--outdir", join(work, "ui"));
    const tree = await readDependencyTree(ROOT);
    const notices = text("THIRD_PARTY_NOTICES", await thirdPartyNotices(tree.packages, Bun.version));
    const common: readonly TarEntry[] = [...(await commonFiles(join(work, "ui"))), notices];
    const legal = common.filter(({ path }) => path === "LICENSE" || path === notices.path);
    const time_s = await commitTime();
    const sums: string[] = [];
    for (const target of targets) {
      const own = await platformFiles(target, tree, work, time_s);
      sums.push(await publish(out, archiveName(version, target), pack([...common, ...own], time_s)));
      const npm = platformPackage(target, [...legal, ...own]);
      sums.push(await publish(out, npm.file, pack(npm.entries, time_s)));
    }
    const npm = await mainPackage(common);
    sums.push(await publish(out, npm.file, pack(npm.entries, time_s)));
    for (const name of ["install.sh", "Dockerfile"])
      sums.push(await publish(out, name, await readFile(join(ROOT, name))));
    await writeFile(join(out, "SHA256SUMS"), sums.join(""));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function platformFiles(
  target: Target,
  tree: DependencyTree,
  work: string,
  time_s: number,
): Promise<readonly TarEntry[]> {
  // The file's own name gets into the executable, so it must not depend on the target or the place.
  const outfile = join(work, target.name, "abeval");
  await mkdir(join(work, target.name));
  await runScript("compile", `--target=${target.compiler_target}`, "--outfile", outfile);
  const executable = await readFile(outfile);
  const described = { version, bun_version: Bun.version, target, tree, executable, time_s };
  return [{ path: "abeval", bytes: executable, executable: true }, text("sbom.cdx.json", sbom(described))];
}

/** libdeflate writes neither name nor time, and the same bytes on every processor. */
function pack(entries: readonly TarEntry[], time_s: number): Uint8Array {
  return Bun.gzipSync(tar(entries, time_s), { level: GZIP_LEVEL, library: "libdeflate" });
}

/** Writes a file and returns its line in SHA256SUMS. */
async function publish(out: string, name: string, bytes: Uint8Array): Promise<string> {
  await writeFile(join(out, name), bytes);
  console.log(`${name}  ${(bytes.length / 1e6).toFixed(1)} MB`);
  return `${createHash("sha256").update(bytes).digest("hex")}  ${name}\n`;
}

function text(path: string, content: string): TarEntry {
  return { path, bytes: Buffer.from(content) };
}

/** Seconds since 1970; SOURCE_DATE_EPOCH wins (reproducible-builds.org). */
async function commitTime(): Promise<number> {
  return Number(process.env["SOURCE_DATE_EPOCH"] || (await run(["git", "log", "-1", "--format=%ct"])));
}

async function warnAboutChanges(): Promise<void> {
  const changed = await run(["git", "status", "--porcelain", "--untracked-files=no"]);
  if (changed !== "") console.warn("the working tree has changes: this is not the release of a commit");
}
