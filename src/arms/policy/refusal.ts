import type { Policies } from "../../domain/policies.ts";
import type { Effect } from "../../domain/tool.ts";
import { ALLOW_RULE, DENY_RULE, refusedCommand } from "./command-rules.ts";
import { refusedPath, WRITABLE_RULE } from "./path-rules.ts";
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
