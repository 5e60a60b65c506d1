import { COMMAND_TIMEOUT_S } from "../../../domain/defaults.ts";
import { didYouMean } from "../../../domain/did-you-mean.ts";
import { cut } from "../../../domain/excerpt.ts";
import { splitMcpToolName } from "../../../domain/mcp-tool-name.ts";
import { type Policies, SKILL } from "../../../domain/policies.ts";
import { isToolName, TOOL_FACTS, TOOL_NAMES } from "../../../domain/tool.ts";
import type { FieldPath, Problems } from "../authored/problems.ts";
import type { PoliciesFile } from "../authored/scenario-file.ts";
import { checkCommandGlobs, checkPathGlobs, commandGlobFault, pathGlobFault } from "./globs.ts";
import { checkDistinct } from "./ids.ts";

/** kB that a model reads of one command's output; head and tail are kept. */
const COMMAND_OUTPUT_KB = 64;

/** An arm's budget. It is generous for a small repository task; a runaway arm stops within ten minutes. */
const DEFAULT_BUDGET = {
  max_turns: 40,
  /** Input and output together; 40 turns of a 25k context. */
  max_tokens: 1_000_000,
  /** Working time: waiting for a throttled provider does not count. */
  max_seconds: 600,
  max_tool_calls: 120,
} as const;

/** The policies with every default in place. */
export function resolvePolicies(problems: Problems, authored: PoliciesFile = {}): Policies {
  const { commands = {}, paths = {}, required = [] } = authored;
  checkCommandGlobs(problems, ["policies", "commands", "deny"], commands.deny);
  checkCommandGlobs(problems, ["policies", "commands", "allow"], commands.allow);
  checkPathGlobs(problems, ["policies", "paths", "writable"], paths.writable);
  checkPathGlobs(problems, ["policies", "paths", "protected"], paths.protected);
  checkDistinct(
    problems,
    ["policies", "required"],
    required.map(({ id }) => id),
  );
  for (const [index, behaviour] of required.entries()) checkMatch(problems, index, behaviour);
  if (authored.severity?.denied_command === "disqualify")
    problems.add(
      ["policies", "severity", "denied_command"],
      "a refused command never ran, so it cannot disqualify; write warn or leave it out",
    );
  return {
    budget: { ...DEFAULT_BUDGET, max_cost_usd: null, ...authored.budget },
    commands: {
      deny: [],
      allow: null,
      timeout_s: COMMAND_TIMEOUT_S,
      max_output_kb: COMMAND_OUTPUT_KB,
      ...commands,
    },
    paths: { writable: ["**"], protected: [], ...paths },
    network: authored.network ?? "none",
    required: required.map(({ skill, ...behaviour }) => ({
      ...{ match: null, min: behaviour.max === 0 ? 0 : 1 },
      ...behaviour,
      ...(skill === undefined ? { tool: behaviour.tool ?? "" } : { tool: SKILL, match: skill }),
    })),
    severity: { protected_path: "disqualify", denied_command: "warn", required: "warn", ...authored.severity },
  };
}

/** What is said of a name that is neither of abeval's tools nor of a server's. */
export const unknownTool = (name: string): string =>
  `there is no tool "${cut(name)}"${didYouMean(name, TOOL_NAMES) || ";"} Expected ${TOOL_NAMES.join(", ")} or <server>__<tool>`;

type Behaviour = NonNullable<PoliciesFile["required"]>[number];

function checkMatch(problems: Problems, index: number, behaviour: Behaviour): void {
  const place = ["policies", "required", index];
  const { tool, skill, match, min = 1, max } = behaviour;
  if (max !== undefined && max < min && (max > 0 || behaviour.min !== undefined))
    problems.add([...place, "max"], `is less than \`min\` (${min}); no number of calls is both`);
  if (skill !== undefined) {
    if (tool !== undefined) problems.add([...place, "skill"], "tool is given too; keep one of the two");
    if (match !== undefined) problems.add([...place, "match"], "goes with `tool`; a skill is named whole");
  } else if (tool === undefined) problems.add(place, "needs `tool` or `skill`");
  else checkToolMatch(problems, place, { tool, match });
}

function checkToolMatch(
  problems: Problems,
  place: FieldPath,
  { tool, match }: { readonly tool: string; readonly match: string | undefined },
): void {
  const isOwn = isToolName(tool);
  if (!isOwn && !splitMcpToolName(tool)) problems.add([...place, "tool"], unknownTool(tool));
  if (match === undefined) return;
  const subject = isOwn ? TOOL_FACTS[tool].subject : null;
  const fault = subject === "command" ? commandGlobFault(match) : pathGlobFault(match);
  if (subject === null) problems.add([...place, "match"], `calls of ${tool} have no path to match; leave it out`);
  else if (fault !== null) problems.add([...place, "match"], fault);
}
