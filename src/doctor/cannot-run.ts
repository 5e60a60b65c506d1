import type { CheckResult } from "../domain/evidence.ts";

/** A shell's status for a command that it does not find. */
const NOT_FOUND = 127;

/**
 * Why a command could not check anything, as far as can be told; null when it could.
 * Ask with the known fix applied: before it a missing module may be what the fix adds.
 */
export function cannotRun({ exit_code, output }: Pick<CheckResult, "exit_code" | "output">): string | null {
  const [, module] = /No module named '?([\w.-]+)/.exec(output) ?? [];
  if (module !== undefined && exit_code !== 0) return `${module} is not installed; install it in \`setup\``;
  if (exit_code !== NOT_FOUND) return null;
  const [, program] = /(?<![\w./@+-])([\w./@+-]+): (?:command )?not found/.exec(output) ?? [];
  return `${program ?? "its program"} is not found; install it in \`setup\`, or show it with --sandbox-read`;
}
