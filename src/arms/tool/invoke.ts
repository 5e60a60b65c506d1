import { type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { cut } from "../../domain/excerpt.ts";
import { Failure, Mistake } from "../../domain/failure.ts";
import { explain, valueInWords } from "../../domain/schema-error.ts";
import type { ToolCall } from "../model/client.ts";
import { workspacePath } from "../workspace/files.ts";
import type { Tool, ToolContext, ToolOutput } from "./tool.ts";

/** A call whose tool exists and whose input is valid. Policy is asked before it runs. */
export interface PreparedCall {
  readonly tool: Tool;
  /** A path that rules match on is relative to the workspace: `/workspace/a` and `b/../a` are `a`. */
  readonly input: unknown;
  /** The path or command that rules match on; empty when there is none. */
  readonly subject: string;
}

/**
 * Finds the tool and checks the input; a path must stay in the workspace. @throws Mistake in words that the model can act on.
 * @param at where the workspace is mounted
 */
export function prepareCall(tools: readonly Tool[], call: ToolCall, at?: string): PreparedCall {
  const tool = tools.find((it) => it.name === call.name);
  if (!tool) throw new Mistake(unknownTool(tools, call.name));
  if (call.unparsed !== undefined)
    throw new Mistake(
      `The arguments of ${call.name} cannot be read: they are not valid JSON, or nested too deep. Send one JSON object; escape quotes and newlines.`,
    );
  // The server that wrote the schema of an opaque tool checks inputs by it.
  const schema = tool.effect === "opaque" ? ANY_OBJECT : tool.input;
  if (!Value.Check(schema, call.input))
    throw new Mistake(`Wrong input for ${call.name}:\n${inputProblems(schema, call.input).join("\n")}`);
  const subject = subjectOf(tool, call.input);
  if (tool.subject !== "path") return { tool, input: call.input, subject };
  const path = workspacePath(subject, at);
  return { tool, input: { ...Object(call.input), path }, subject: path };
}

const ANY_OBJECT = Type.Object({});

/** Fields of one input that an error message names. */
const MAX_PROBLEMS = 20;

/** What is wrong with a tool's input, a line for each field. */
function inputProblems(schema: TSchema, input: unknown): readonly string[] {
  const byField = new Map<string, string>();
  for (const error of Value.Errors(schema, input)) {
    const field = error.path.slice(1);
    if (error.path === "")
      return [
        `- expected an object with ${Object.keys(schema["properties"]).join(", ")}, got ${valueInWords(input, "json")}`,
      ];
    // The first error of a field is the one that caused the others.
    if (!byField.has(field)) byField.set(field, `- ${cut(field)}: ${explain(error, field, "json")}`);
    if (byField.size === MAX_PROBLEMS) break;
  }
  return [...byField.values()];
}

/** @throws Failure when the tool's `subject` is not in its input: then no rule would apply. */
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
  return `There is no tool ${name}${didYouMean(name, names) || "."} Your tools: ${names.join(", ")}.`;
}
