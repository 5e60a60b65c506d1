import { COMMAND_BYTES } from "../../domain/defaults.ts";
import type { ExecResult } from "../workspace.ts";

/** What a shell would say of a script that no process can be given; undefined for every other. */
export function refusedScript(run: string): ExecResult | undefined {
  const bytes = Buffer.byteLength(run);
  if (bytes > COMMAND_BYTES) return refused(`the command has ${bytes} bytes, at most ${COMMAND_BYTES} can be run`);
  return run.includes("\0") ? refused("the command contains a NUL character") : undefined;
}

function refused(why: string): ExecResult {
  const output = `sh: ${why}; put it into a file and run that\n`;
  return { ended: "exit", exit_code: 126, output, bytes: output.length, duration_ms: 0 };
}
