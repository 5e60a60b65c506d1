import { isScripted } from "../../domain/offline-model.ts";
import type { Arm, McpServer, Scenario } from "../../domain/scenario.ts";

/** A field in which the arms differ. Scripts, and the names after `scripted/`, do not count. */
export interface Difference {
  readonly field: string;
  /** The scenario's `varies` names it. */
  readonly declared: boolean;
  readonly a: string;
  readonly b: string;
}

const FIELDS: readonly (readonly [field: string, text: (arm: Arm) => string])[] = [
  ["model", ({ model }) => (isScripted(model) ? "scripted" : model)],
  ["system_prompt", ({ system_prompt }) => system_prompt.trim()],
  ["tools", ({ tools }) => [...tools].sort().join(", ")],
  ["mcp", ({ mcp = [] }) => mcp.map(serverText).join("; ")],
  ["params", ({ params }) => listed(params)],
  ["limits", ({ limits }) => listed(limits)],
];

const serverText = ({ name, install, command, tools, timeout_s }: McpServer) =>
  `${name}: ${command.join(" ")} of ${install}, ${tools?.join(", ") ?? "all tools"}, ${timeout_s} s`;

const listed = (settings: Readonly<Record<string, unknown>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join(", ") || "as everywhere";

export function differencesOf({ arms: [a, b], varies }: Scenario): Difference[] {
  return FIELDS.map(([field, text]) => ({
    field,
    declared: varies?.includes(field) ?? false,
    a: text(a),
    b: text(b),
  })).filter((difference) => difference.a !== difference.b);
}
