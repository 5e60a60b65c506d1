import { posix } from "node:path";
import { globMatcher } from "../../domain/path-glob.ts";
import type { PathPolicy, Policies } from "../../domain/policies.ts";
import type { Effect } from "../../domain/tool.ts";
import { ALLOW_RULE, DENY_RULE, refusedCommand } from "./command-rules.ts";
import { readShell } from "./shell-commands.ts";

/** Why a call does not run. */
export interface Refusal {
  /** As the scenario writes it. */
  readonly rule: string;
  /** Tells the model what was refused and what it may do instead. */
  readonly message: string;
}

/** Why a valid call must not run; null when it may. @param subject the path or command of the call */
export function refusalOf(policies: Policies, effect: Effect, subject: string): Refusal | null {
  switch (effect) {
    case "read":
    case "opaque":
      return null;
    case "write":
      return refusalOfPath(policies, subject);
    case "command":
      return refusalOfCommand(policies, subject);
  }
}

function refusalOfCommand(policies: Policies, command: string): Refusal | null {
  const { allow, deny } = policies.commands;
  if (allow === null && deny.length === 0) return null;
  const shell = readShell(command);
  const rule = refusedCommand(policies.commands, command, shell);
  if (rule === null) return null;
  if (rule === DENY_RULE)
    return {
      rule,
      message: "Refused by policy, nothing was run: too many commands around commands; write it plainly.",
    };
  if (rule !== ALLOW_RULE)
    return { rule, message: `Refused by policy, nothing was run: commands like \`${rule}\` are not allowed.` };
  const allowed = (allow ?? []).map((glob) => `\`${glob}\``).join(", ");
  const only = `only these commands are allowed: ${allowed || "none"}.`;
  const { unread } = shell;
  const message =
    unread === null
      ? `Refused by policy, nothing was run: ${only}`
      : `Refused by policy, nothing was run: the command could not be read (${unread}). Write it as short, plain commands; ${only}`;
  return { rule, message };
}

function refusalOfPath(policies: Policies, path: string): Refusal | null {
  const rule = refusedPath(policies.paths, path);
  if (rule === null) return null;
  if (rule !== WRITABLE_RULE)
    return { rule, message: `Refused by policy, nothing was written: ${path} is protected (\`${rule}\`).` };
  const writable = policies.paths.writable.map((glob) => `\`${glob}\``).join(", ");
  return {
    rule,
    message: `Refused by policy, nothing was written: ${path} is outside what may be changed: ${writable || "nothing"}.`,
  };
}

/** The rule that a refusal names when no writable glob fits. */
export const WRITABLE_RULE = "paths.writable";

/** Whether a glob fits a path of the workspace, `./` and `a/../` resolved. */
export const matchesPath = (glob: string, path: string): boolean => globMatcher([glob])(posix.normalize(path));

/**
 * Tells the rule that forbids changing a path; null when it may be changed. That is the `protected` glob as written, or
 * `paths.writable` when no writable glob fits. Looks at the name only: the caller must check where links lead.
 */
export function pathRules({ protected: globs, writable }: PathPolicy): (path: string) => string | null {
  const guards = globs.map((glob) => ({ glob, fits: globMatcher([glob]) }));
  const isWritable = globMatcher(writable);
  return (path) => {
    const normal = posix.normalize(path);
    const guard = guards.find(({ fits }) => fits(normal));
    if (guard) return guard.glob;
    return isWritable(normal) ? null : WRITABLE_RULE;
  };
}

/** `pathRules` for one path. */
export const refusedPath = (policy: PathPolicy, path: string): string | null => pathRules(policy)(path);
