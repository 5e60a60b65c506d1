import { chmodSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryDirectory } from "../test/temporary.ts";
import { hold } from "./campaign.ts";

/** The directories of one case. They are removed when it ends. */
export interface CaseDirectories extends Disposable {
  readonly path: string;
  readonly state: string;
  /** Where the program under test puts its workspaces. */
  readonly scratch: string;
}

export function openCaseDirectories(): CaseDirectories {
  const directory = temporaryDirectory();
  const scratch = join(directory.path, "tmp");
  mkdirSync(scratch);
  // The sandbox's user, who is not root, has to reach its workspace.
  for (const path of [directory.path, scratch]) chmodSync(path, 0o755);
  return {
    path: directory.path,
    state: join(directory.path, "state"),
    scratch,
    [Symbol.dispose]: directory[Symbol.dispose],
  };
}

/**
 * No workspace is left, except those of processes that were killed with -9. Nobody could remove these, and the next start
 * keeps them for a day, so that two starts never remove the same one.
 */
export function checkScratch({ scratch }: CaseDirectories, killed: readonly number[] = []): void {
  const excused = new Set(killed.map(String));
  const left = readdirSync(scratch).filter((name) => !excused.has(/^abeval-run-(\d+)-/.exec(name)?.[1] ?? ""));
  hold(left.length === 0, "no workspace of a process that ended by itself", left);
}

const GONE_MS = 2_000;

/** Two seconds later no process has `marker` in its command line. */
export async function checkGone(marker: string): Promise<void> {
  const end = performance.now() + GONE_MS;
  let left = commandLines(marker);
  while (left.length > 0 && performance.now() < end) {
    await sleep(20);
    left = commandLines(marker);
  }
  hold(left.length === 0, `no process with ${marker} ${GONE_MS} ms after the end of the program`, left);
}

function commandLines(marker: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.map(commandLine).filter((line) => line.includes(marker));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
