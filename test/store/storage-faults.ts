import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { Need } from "../machine.ts";
import { temporaryDirectory } from "../temporary.ts";

export const MOUNTS: Need = {
  what: "a mount of its own (run it as root on Linux)",
  met: process.platform === "linux" && process.getuid?.() === 0 && mountWorks(),
};

function mountWorks(): boolean {
  using directory = temporaryDirectory();
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=64k", "none", directory.path]).success;
  if (mounted) Bun.spawnSync(["umount", directory.path]);
  return mounted;
}

/** @param size with other options of tmpfs after a comma */
export function smallDisk(path: string, size = "3m"): Disposable {
  Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${size}`, "none", path]);
  return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", path]) };
}

export const fill = (path: string) => void Bun.spawnSync(["dd", "if=/dev/zero", `of=${path}`, "bs=4k"]);

/** Entries that hold the text are refused until it is disposed. */
export const refuse = (path: string, text: string) =>
  refused(path, `INSERT ON entries WHEN new.entry LIKE '%${text}%'`);

/** The same for what is written of a series. */
export const refuseSeries = (path: string, text: string) =>
  refused(path, `UPDATE ON series WHEN new.series LIKE '%${text}%'`);

function refused(path: string, write: string): Disposable {
  const database = new Database(join(path, "sessions.db"));
  database.run(`CREATE TRIGGER refuse BEFORE ${write}
    BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  return {
    [Symbol.dispose]() {
      database.run("DROP TRIGGER refuse");
      database.close();
    },
  };
}
