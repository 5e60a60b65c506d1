import { readFileSync } from "node:fs";

/** Whether everything was taken; false when the reader went away. */
export async function writeStdout(text: string): Promise<boolean> {
  try {
    const written = await Bun.write(Bun.stdout, text);
    return written === Buffer.byteLength(text);
  } catch {
    return false;
  }
}

/**
 * Whether the program was started without a stdout. The runtime puts /dev/null in its place, closed for children: no
 * descriptor that was inherited has that mark. Unknown, hence false, where there is no /proc.
 */
export function isStdoutClosed(): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)$/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return false;
  }
}

/** O_CLOEXEC of Linux, alike on all processors that it runs on here. */
const CLOSE_ON_EXEC = 0o2000000;
