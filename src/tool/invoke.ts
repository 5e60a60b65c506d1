import { Value } from "@sinclair/typebox/value";
import { closest, distance } from "fastest-levenshtein";
import { Failure, Mistake } from "../domain/failure.ts";
import type { ToolCall } from "../model/client.ts";
import { workspacePath } from "../workspace/confine.ts";
import { inputProblems } from "./input-problems.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

/** A call that fits its tool; whether policy allows it is asked between preparing and running. */
export interface PreparedCall {
  readonly tool: Tool;
  /** A path that rules match on is relative to the workspace: `/workspace/a` and `b/../a` are `a`. */
  readonly input: unknown;
  /** The path or command that rules match on; empty when there is none. */
  readonly subject: string;
}

/** Finds the tool and checks the input; a path must stay in the workspace. @throws Mistake in words that the model can act on. */
export function prepareCall(tools: readonly Tool[], call: ToolCall): PreparedCall {
  const tool = tools.find((it) => it.name === call.name);
  if (!tool) throw new Mistake(unknownTool(tools, call.name));
  if (call.unparsed !== undefined)
    throw new Mistake(
      `The arguments of ${call.name} cannot be read: they are not valid JSON, or nested too deep. Send one JSON object; escape quotes and newlines.`,
    );
  if (!Value.Check(tool.input, call.input))
    throw new Mistake(`Wrong input for ${call.name}:\n${inputProblems(tool.input, call.input).join("\n")}`);
  const subject = subjectOf(tool, call.input);
  if (tool.subject !== "path") return { tool, input: call.input, subject };
  const path = workspacePath(subject);
  return { tool, input: { ...Object(call.input), path }, subject: path };
}

/** @throws Failure for a tool whose input lacks what it says that rules match on: no rule would hold. */
function subjectOf({ name, subject }: Tool, input: unknown): string {
  if (subject === null) return "";
  const value: unknown = Reflect.get(Object(input), subject);
  if (typeof value !== "string") throw new Failure("internal", `the input of ${name} has no ${subject}`);
  return value;
}

/** @throws Mistake for what the model can correct; Failure for a fault of ours. */
export const runCall = ({ tool, input }: PreparedCall, context: ToolContext): Promise<ToolOutput> =>
  tool.run(input, context);

function unknownTool(tools: readonly Tool[], name: string): string {
  const names = tools.map((tool) => tool.name);
  if (names.length === 0) return `There is no tool ${name}; you have no tools. Answer in words.`;
  const near = closest(name, names);
  const hint = distance(name, near) <= 3 ? ` Did you mean ${near}?` : "";
  return `There is no tool ${name}.${hint} Your tools: ${names.join(", ")}.`;
}
