import type { CheckResult } from "../../domain/evidence.ts";

/** A shell's statuses for a command that it finds and cannot start, and for one that it does not find. */
const [NOT_EXECUTABLE, NOT_FOUND] = [126, 127];

/** What a command lacked. */
export interface Missing {
  readonly kind: "module" | "program";
  /** The program as the output names it; null when it does not. */
  readonly name: string | null;
  readonly why: string;
}

/**
 * What kept a command from checking anything, as far as can be told; null when nothing did.
 * Before the reference fix is applied, a missing module may be what the fix adds.
 */
export function missingProgramOf({ exit_code, output }: Pick<CheckResult, "exit_code" | "output">): Missing | null {
  const [, module] = /No module named '?([\w.-]+)/.exec(output) ?? [];
  if (module !== undefined && exit_code !== 0)
    return { kind: "module", name: module, why: `${module} is not installed` };
  if (exit_code !== NOT_FOUND && exit_code !== NOT_EXECUTABLE) return null;
  const name = (exit_code === NOT_FOUND ? ABSENT : REFUSED).exec(output)?.[1] ?? null;
  const how = exit_code === NOT_FOUND ? "is not found" : "cannot be started";
  return { kind: "program", name, why: `${name ?? "its program"} ${how}` };
}

const ABSENT = /(?<![\w./@+-])([\w./@+-]+): (?:command )?not found/;
const REFUSED = /(?<![\w./@+-])([\w./@+-]+): (?:Permission denied|[Cc]annot execute|Exec format error)/;

/** As Node, Bun and Jest name a package that they do not find. A path is a file of the workspace. */
const PACKAGE = /Cannot find (?:module|package) ['"]([^'"./][^'"\n]{0,200})['"]/;

/**
 * What a check on the reference fix lacks, as one sentence that says what to do. No arm is to blame for a package that is missing
 * there.
 */
export function cannotRun(result: Pick<CheckResult, "exit_code" | "output">): string | null {
  const missing = missingProgramOf(result) ?? missingPackage(result);
  if (missing === null) return null;
  const shown = missing.kind === "program" ? ", or show it with --sandbox-read" : "";
  return `${missing.why}; install it in \`setup\`${shown}`;
}

function missingPackage({ exit_code, output }: Pick<CheckResult, "exit_code" | "output">): Missing | null {
  const name = exit_code === 0 ? undefined : PACKAGE.exec(output)?.[1];
  return name === undefined ? null : { kind: "module", name, why: `${name} is not installed` };
}
