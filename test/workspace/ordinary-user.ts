import { chmodSync, constants, copyFileSync } from "node:fs";
import { join } from "node:path";
import { isReachable } from "../../src/arms/sandbox/temp-dir.ts";
import { Directory } from "./harness.ts";

const ORDINARY_USER = { uid: 1_000, gid: 1_000 };

/**
 * Runs a program that prints JSON as a user who is not root; root reads everything, so what is shut to its owner must be
 * tried by somebody else. The program may use what `harness.ts` exports. It is bundled, and the runtime copied where
 * needed, because that user may be unable to enter the directories that both lie in.
 */
export async function asOrdinaryUser(program: string): Promise<unknown> {
  const harness = JSON.stringify(join(import.meta.dir, "harness.ts"));
  using directory = new Directory({
    "program.ts": `import { never, openFixture, shell } from ${harness};\n${program}`,
  });
  const { path } = directory;
  await Bun.build({ entrypoints: [join(path, "program.ts")], target: "bun", outdir: path });
  chmodSync(path, 0o755);
  const child = Bun.spawn([...changeUser(), runtimeIn(path), join(path, "program.js")], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    cwd: "/",
    stderr: "pipe",
  });
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (printed === "") throw new Error(complaint);
  return JSON.parse(printed);
}

function changeUser(): readonly string[] {
  const { uid, gid } = ORDINARY_USER;
  return process.geteuid?.() === 0 ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
}

function runtimeIn(directory: string): string {
  if (process.geteuid?.() !== 0 || isReachable(process.execPath, ORDINARY_USER)) return process.execPath;
  const copy = join(directory, "bun");
  copyFileSync(process.execPath, copy, constants.COPYFILE_FICLONE);
  chmodSync(copy, 0o755);
  return copy;
}
