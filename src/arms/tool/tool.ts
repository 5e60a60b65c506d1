import type { Static, TSchema } from "@sinclair/typebox";
import type { ToolFacts } from "../../domain/tool.ts";
import type { ToolSpec } from "../model/client.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface ToolContext {
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Limits of a command, from the scenario's policies. */
  readonly timeout_ms: number;
  readonly max_output_bytes: number;
  readonly network: "none" | "open";
}

export interface ToolOutput {
  readonly text: string;
  /** False when a command ended with another exit code than 0. */
  readonly ok: boolean;
  /** Null unless a command ended by itself. */
  readonly exit_code: number | null;
  /** Bytes of the whole output, before it was cut. */
  readonly bytes: number;
  /** What broke that the arm brought itself, in words for people who read its log. */
  readonly fault?: string;
}

/** A tool says what it does. Policy, review and judge rely on that, never on its name. */
export type Tool<Input extends TSchema = TSchema> = ToolSpec &
  ToolFacts & {
    /** For an `opaque` tool, the schema that its server wrote: only the model reads it. */
    readonly input: Input;
    /** Returns what the model will read. @throws Mistake for what the model can correct; Failure for a fault of ours. */
    run(input: Static<Input>, context: ToolContext): Promise<ToolOutput>;
  };

/** What a model is told of a tool. */
export const specOf = ({ name, description, input }: Tool): ToolSpec => ({ name, description, input });

/** The output of a tool that did its work. @param whole what `text` was cut from, when it was cut */
export const outputOf = (text: string, whole: string = text): ToolOutput => ({
  text,
  ok: true,
  exit_code: null,
  bytes: Buffer.byteLength(whole),
});
