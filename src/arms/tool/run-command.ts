import { Type } from "@sinclair/typebox";
import { COMMAND_BYTES } from "../../domain/defaults.ts";
import { TOOL_FACTS } from "../../domain/tool.ts";
import type { ExecResult } from "../sandbox/sandbox.ts";
import type { Tool } from "./tool.ts";

const input = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      maxLength: COMMAND_BYTES,
      description: "For sh -c, run in the workspace's top directory.",
    }),
    timeout_s: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, description: "Seconds until it is stopped; cannot exceed the default." }),
    ),
  },
  { additionalProperties: false },
);

/** A shell command in the sandbox. */
export const runCommand: Tool<typeof input> = {
  name: "run_command",
  ...TOOL_FACTS.run_command,
  description:
    "Run a shell command in the workspace and get what it printed (stdout and stderr together) and its exit code. " +
    "No input can be typed, and nothing runs on after the command has ended. Each command starts in the top directory.",
  input,
  async run({ command, timeout_s }, { workspace, signal, timeout_ms, max_output_bytes, network }) {
    const limit_ms = Math.min(timeout_ms, timeout_s === undefined ? timeout_ms : timeout_s * 1000);
    const result = await workspace.exec({ run: command, timeout_ms: limit_ms, max_output_bytes, network }, signal);
    const { output, bytes, exit_code } = result;
    const separator = output === "" || output.endsWith("\n") ? "" : "\n";
    const text = `${output}${separator}[${endingOf(result, limit_ms)}]`;
    return { text, ok: exit_code === 0, exit_code, bytes };
  },
};

function endingOf({ ended, exit_code }: ExecResult, limit_ms: number): string {
  switch (ended) {
    case "exit":
      return `exit code ${exit_code}`;
    case "timeout":
      return `timed out after ${limit_ms / 1000} s`;
    case "output_limit":
      return "stopped: it printed too much";
    case "memory_limit":
      return "stopped: it used too much memory";
    case "disk_limit":
      return "stopped: it used too much disk space";
  }
}
