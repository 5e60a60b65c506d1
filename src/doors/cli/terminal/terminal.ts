import { fstatSync, readFileSync } from "node:fs";
import stringWidth from "string-width";

import { plainJson } from "../../../domain/plain-text.ts";
import { wholeJson } from "../../../domain/whole-json.ts";

/** Whether this descriptor is a terminal. node:tty is loaded only where it may be one. */
export function isTerminal(descriptor: 1 | 2): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(descriptor);
  } catch {
    // A closed descriptor is no terminal.
    return false;
  }
}

/** Cells of a line on stdout; `Infinity` when it is no terminal, since programs want whole sentences on one line. */
export const stdoutWidth = (): number =>
  isTerminal(1) ? (process.stdout.columns || 80) - 1 : Number.POSITIVE_INFINITY;

/** A line of JSON, which a terminal gets indented. */
export const jsonText = (value: unknown): string => `${plainJson(wholeJson(value, isTerminal(1) ? 2 : 0))}\n`;

/** Writes a text. False when the reader went away before the end. */
export async function writeStdout(text: string): Promise<boolean> {
  try {
    return await new Promise((resolve) => {
      process.stdout.on("error", () => resolve(false));
      process.stdout.write(text, (error) => resolve(!error));
    });
  } catch {
    // Deno throws the error that other runtimes pass to the callback.
    return false;
  }
}

/**
 * Whether the program was started without a stdout. The runtime then opens /dev/null in its place with O_CLOEXEC, which no
 * inherited descriptor has. False where there is no /proc.
 */
export function isStdoutClosed(): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)$/m.exec(readFileSync("/proc/self/fdinfo/1", "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    return false;
  }
}

/** O_CLOEXEC on Linux, the same on every supported processor. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Joins parts to lines of at most `width` cells. A part is never broken, so that no figure loses its unit. A part that is
 * wider than a line gets a line of its own, which the terminal breaks.
 */
export function wrap(parts: readonly string[], separator: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const line = last === undefined ? part : `${last}${separator}${part}`;
    // The separator that ends a line has no blank behind it.
    const fits = stringWidth(line) <= width;
    if (last !== undefined && !fits) lines[lines.length - 1] = `${last}${separator.trimEnd()}`;
    if (last === undefined || !fits) lines.push(part);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/** Words of a text. */
export const wrapWords = (text: string, width: number): string[] => wrap(text.split(" "), " ", width);

/** Words of a text behind `head`; the lines after the first begin below its first word. */
export function hanging(head: string, text: string, width: number): string[] {
  const indent = stringWidth(head);
  const [first = "", ...rest] = wrapWords(text, width - indent);
  return [`${head}${first}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
}
