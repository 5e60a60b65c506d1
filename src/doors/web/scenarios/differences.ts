import { endpointText } from "../../../domain/answering-text.ts";
import type { Arm, McpServer } from "../../../domain/arm.ts";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { Scenario } from "../../../domain/scenario.ts";

/** A field in which the arms differ. Scripts, and the names after `scripted/`, do not count. */
interface Difference {
  readonly field: string;
  /** The scenario's `varies` names it. */
  readonly declared: boolean;
  readonly a: string;
  readonly b: string;
}

const FIELDS: readonly (readonly [field: string, text: (arm: Arm) => string])[] = [
  ["model", ({ model }) => (isScripted(model) ? "scripted" : model)],
  ["agent", ({ agent }) => (agent ? agentText(agent) : "abeval's own loop")],
  ["endpoint", ({ endpoint }) => (endpoint ? endpointText(endpoint) : "none")],
  ["program", ({ program }) => program?.run.join(" ") ?? "none"],
  ["prompt", ({ prompt = "the task's prompt" }) => prompt.trim()],
  ["system_prompt", ({ system_prompt }) => system_prompt.trim()],
  ["tools", ({ tools }) => [...tools].sort().join(", ")],
  ["mcp", ({ mcp = [] }) => mcp.map(serverText).join("; ")],
  ["params", ({ params }) => listed(params)],
  ["limits", ({ limits }) => listed(limits)],
];

const agentText = ({ use, command, install, args, files, env, wires, tools, side_model }: ExternalAgent) =>
  [
    `${use ?? command?.join(" ")}${install === null ? "" : ` of ${install}`}`,
    ...args,
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ...Object.entries(tools).map(([own, tool]) => `${own} is ${tool}`),
    files === null ? "" : `files ${files.digest.slice(0, 12)}`,
    `asks by ${wires.join(", ")}`,
    side_model === "same" ? "one model for everything" : "",
  ]
    .filter((part) => part !== "")
    .join("\n");

const serverText = ({ name, install, command, tools, timeout_s }: McpServer) =>
  `${name}: ${command.join(" ")} of ${install}, ${tools?.join(", ") ?? "all tools"}, ${timeout_s} s`;

const listed = (settings: Readonly<Record<string, unknown>>) =>
  Object.entries(settings)
    .map(([name, value]) => `${name}: ${value}`)
    .sort()
    .join(", ") || "as everywhere";

/** An external agent, and a program of somebody's own, has none of these: beside one they say nothing more. */
const OF_OUR_LOOP = ["system_prompt", "tools", "mcp", "params"];

export function armDifferences({ arms: [a, b], varies }: Scenario): Difference[] {
  const onlyOne = (a.agent === undefined) !== (b.agent === undefined);
  const answers = [a, b].some(({ endpoint, program }) => endpoint !== undefined || program !== undefined);
  const idle = answers ? ["model", ...OF_OUR_LOOP] : onlyOne ? OF_OUR_LOOP : [];
  return FIELDS.filter(([field]) => !idle.includes(field))
    .map(([field, text]) => ({
      field,
      declared: varies?.includes(field) ?? false,
      a: text(a),
      b: text(b),
    }))
    .filter((difference) => difference.a !== difference.b);
}
