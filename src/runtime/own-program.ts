import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ON_BUN } from "./on-bun.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The command line that starts this program again: the executable, or the sources on the runtime of this process. */
export function ownProgram(command: string): readonly [file: string, ...args: string[]] {
  if (!existsSync(MAIN)) return [process.execPath, command];
  const flags = ON_BUN ? [] : ["run", "--allow-all", "--no-lock", "--quiet"];
  return [process.execPath, ...flags, MAIN, command];
}
