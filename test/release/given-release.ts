import { cpSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../abeval.ts";
import type { Need } from "../machine.ts";

/** A release that is given is tested as it is; else one is made for this machine. `bun run test` skips both. */
const GIVEN = process.env["ABEVAL_RELEASE"];

export const ARCHIVE: Need = {
  what: "a release (bun run build && bun run smoke)",
  met: GIVEN !== undefined || process.env["ABEVAL_BIN"] !== undefined,
};

/** Fills a directory with the release under test. */
export function provideRelease(out: string): void {
  if (GIVEN === undefined) makeRelease(out);
  else cpSync(join(ROOT, GIVEN), out, { recursive: true });
}

export const makeRelease = (out: string): string => ran([process.execPath, "run", "release", "--native", "--out", out]);

/** What a command printed. @throws Error when it fails */
export function ran(command: readonly string[], cwd = ROOT): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}
