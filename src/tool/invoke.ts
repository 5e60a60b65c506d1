import { Value } from "@sinclair/typebox/value";
import { closest, distance } from "fastest-levenshtein";
import { Mistake } from "../domain/failure.ts";
import type { ToolCall } from "../model/client.ts";
import { inputProblems } from "./input-problems.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

/** A call that fits its tool; whether policy allows it is asked between preparing and running. */
export interface PreparedCall {
  readonly tool: Tool;
  readonly input: unknown;
}

/** Finds the tool and checks the input. @throws Mistake in words that the model can act on. */
export function prepareCall(tools: readonly Tool[], call: ToolCall): PreparedCall {
  const tool = tools.find((it) => it.name === call.name);
  if (!tool) throw new Mistake(unknownTool(tools, call.name));
  if (call.unparsed !== undefined)
    throw new Mistake(
      `The arguments of ${call.name} cannot be read: they are not valid JSON, or nested too deep. Send one JSON object; escape quotes and newlines.`,
    );
  if (Value.Check(tool.input, call.input)) return { tool, input: call.input };
  throw new Mistake(`Wrong input for ${call.name}:\n${inputProblems(tool.input, call.input).join("\n")}`);
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
