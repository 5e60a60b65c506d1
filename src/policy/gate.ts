import type { Policies, ToolName } from "../domain/scenario.ts";
import { ALLOW_RULE, DENY_RULE, refusedCommand } from "./command-rules.ts";
import { refusedPath, WRITABLE_RULE } from "./path-rules.ts";

/** Why a call does not run. */
export interface Refusal {
  /** As the scenario writes it. */
  readonly rule: string;
  /** For the model: what was refused and what it may do instead. */
  readonly message: string;
}

/** Asked for every validated call before it runs. */
export function gate(policies: Policies, tool: ToolName, input: unknown): Refusal | null {
  if (tool === "run_command") return gateCommand(policies, textField(input, "command"));
  if (tool === "write_file" || tool === "edit_file") return gatePath(policies, textField(input, "path"));
  return null;
}

function gateCommand(policies: Policies, command: string): Refusal | null {
  const rule = refusedCommand(policies.commands, command);
  if (rule === null) return null;
  if (rule === DENY_RULE)
    return {
      rule,
      message: "Refused by policy, nothing was run: too many commands around commands; write it plainly.",
    };
  if (rule !== ALLOW_RULE)
    return { rule, message: `Refused by policy, nothing was run: commands like \`${rule}\` are not allowed.` };
  const allowed = (policies.commands.allow ?? []).map((glob) => `\`${glob}\``).join(", ");
  return {
    rule,
    message: `Refused by policy, nothing was run: only these commands are allowed: ${allowed || "none"}.`,
  };
}

function gatePath(policies: Policies, path: string): Refusal | null {
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

/** Validated input has the field; anything else has no text to match. */
function textField(input: unknown, field: "command" | "path"): string {
  if (typeof input !== "object" || input === null) return "";
  const value: unknown = Reflect.get(input, field);
  return typeof value === "string" ? value : "";
}
