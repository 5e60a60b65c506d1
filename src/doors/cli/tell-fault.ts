import { writeSync } from "node:fs";
import { plainText } from "../../domain/plain-text.ts";
import { shortage } from "../../domain/shortage.ts";
import { version } from "../../runtime/version.ts";

/** Characters of an error's message that are shown. */
const MESSAGE_CHARS = 500;

const STDERR = 2;

/**
 * Says on stderr that abeval itself is at fault, and how to report it, or what the machine has run out of. It shows no stack,
 * because that of the executable is unreadable.
 */
export function tellFault(error: unknown): void {
  const lack = shortage(error);
  const text = lack ? `abeval: ${lack.message}\n` : ownFault(plainText(messageOf(error)));
  try {
    writeSync(STDERR, text);
  } catch {
    // stderr is closed.
  }
}

function ownFault(message: string): string {
  const [line = ""] = message.split("\n", 1);
  return `abeval: this is a fault of abeval ${version}: ${line.slice(0, MESSAGE_CHARS).trimEnd()}\nPlease report it as an issue of the project: this line, the command, and the scenario if it may be shown.\n`;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || error.name;
}
