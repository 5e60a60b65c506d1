import { type Decision, type DecisionDetail, PROGRAM_ENDED } from "../../../domain/decision.ts";
import { splitMcpToolName } from "../../../domain/mcp-tool-name.ts";
import { type Effect, effectOf, isToolName } from "../../../domain/tool.ts";
import { withoutAgentPaths } from "./agent-notes.ts";
import { cleanLine } from "./clean-text.ts";
import { bounded, LINE_CHARS } from "./clip.ts";
import type { RedactIdentity } from "./identity-redactor.ts";

/** A decision as the judge may read it: no times, tokens, costs or provider trouble. */
export interface Step {
  readonly seq: number;
  /** Our own words. */
  readonly head: string;
  /** The arm's words, or output of its commands. */
  readonly body: readonly string[];
  readonly rank: (typeof RANKS)[number];
  /** Names replaced in the body. */
  readonly redactions: number;
}

/** When space is short, steps of the last rank go first. */
export const RANKS = ["policy", "edit", "command", "other"] as const;

const RANK_OF: Readonly<Record<Effect, Step["rank"]>> = {
  read: "other",
  write: "edit",
  command: "command",
  opaque: "command",
};

type Description = Pick<Step, "head" | "rank"> & { readonly body?: readonly string[]; readonly narrative?: string };

export function describeStep(decision: Decision, redact: RedactIdentity): Step {
  const { head, rank, body = [], narrative = "" } = describe(decision);
  const told = redact(cleanLine(bounded(narrative, LINE_CHARS, " ")));
  return {
    seq: decision.seq,
    head: `#${decision.seq} ${head}`,
    body: [...(told.text === "" ? [] : [told.text]), ...body],
    rank,
    redactions: told.count,
  };
}

function describe(decision: Decision): Description {
  if (!decision.detail) return { head: decision.kind, rank: "other", narrative: decision.summary };
  switch (decision.kind) {
    case "model_turn":
      return { head: helped(decision.detail, "says"), rank: "other", narrative: decision.detail.text };
    case "tool_call": {
      const call = toolCall(decision.detail);
      return { ...call, head: helped(decision.detail, call.head) };
    }
    case "policy_block": {
      const { tool, rule, input } = decision.detail;
      return { head: `${tool} refused before it ran (rule ${rule})`, rank: "policy", body: [`input ${input}`] };
    }
    case "policy_violation": {
      const { rule, severity, subject } = decision.detail;
      return { head: `policy violation (rule ${rule}, severity ${severity})`, rank: "policy", body: [subject] };
    }
    case "limit_warning":
      return { head: `told that a budget runs low: ${decision.detail.budget}`, rank: "policy" };
    case "limit_reached":
      return { head: `stopped by a budget: ${decision.detail.budget}`, rank: "policy" };
    case "provider_retry":
      return { head: "waited", rank: "other" };
    case "final_answer":
      return { head: "gives its final answer", rank: "other" };
    case "follow_up":
      return { head: `the user goes on: follow-up ${decision.detail.number}`, rank: "other" };
    case "error": {
      const { class: whose, code, message } = decision.detail;
      // The result of the call before it says the same without the name.
      return { head: `error (${whose})`, rank: "policy", ...(code !== PROGRAM_ENDED && { narrative: message }) };
    }
  }
}

/** The name of a server can tell which arm this is. */
function titleOf(tool: string): string {
  const foreign = splitMcpToolName(tool);
  return foreign ? `a tool of its own: ${foreign.tool}` : tool;
}

/** The output of a tool that reads is not shown: it is text of the fixture, and the diff shows what matters of it. */
function toolCall(detail: DecisionDetail<"tool_call">): Description {
  if (detail.own_tool !== undefined) return agentCall(detail);
  const { tool, effect, input, ok, exit_code, output } = detail;
  const ending = exit_code === null ? (ok ? "" : ", failed") : `, exit ${exit_code}`;
  const known = effect ?? effectOf(tool);
  // A model can call a tool by any name, so an unknown name is a text of the arm.
  if (known === undefined) return { head: `an unknown tool${ending}`, rank: "other", body: [`input ${input}`] };
  const printed = known === "command" || known === "opaque" ? [`output ${output}`] : [];
  return { head: `${titleOf(tool)}${ending}`, rank: RANK_OF[known], body: [`input ${input}`, ...printed] };
}

/** A step of an agent that another agent asked for help. */
const helped = ({ thread = 1 }: { readonly thread?: number }, head: string) => (thread > 1 ? `(helper) ${head}` : head);

/**
 * A call of an external agent, in our words alone: the names and fields of its own tools would tell which agent it is. Some
 * agents say how a command ended only when it failed.
 */
function agentCall({ tool, effect, input, ok, exit_code, output }: DecisionDetail<"tool_call">): Description {
  const ending = exit_code === null || exit_code === 0 ? (ok ? "" : ", failed") : `, exit ${exit_code}`;
  const known = effect ?? effectOf(tool);
  if (!isToolName(tool) || known === undefined) return { head: `a tool of its own${ending}`, rank: "other" };
  const printed = known === "command" ? [`output ${withoutAgentPaths(output)}`] : [];
  return { head: `${tool}${ending}`, rank: RANK_OF[known], body: [`input ${withoutAgentPaths(input)}`, ...printed] };
}
