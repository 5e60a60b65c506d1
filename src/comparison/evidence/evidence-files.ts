import type { WorkspaceCommand } from "../../arms/workspace/workspace.ts";
import type { Decision } from "../../domain/decision.ts";
import type { Changes } from "../../domain/evidence.ts";
import type { ScenarioInput } from "../../domain/scenario.ts";
import type { FileSet } from "../../domain/task.ts";

/** What a check may read of an arm, besides the copy of its workspace. */
export interface Readable {
  readonly answer: string | null;
  readonly decisions: readonly Decision[];
  readonly changes: Changes;
  /** The row of the scenario's inputs; absent without one. */
  readonly input?: ScenarioInput | undefined;
}

/**
 * Shown to a check that is a command: `answer.txt`, `calls.jsonl` (`seq`, `tool`, `input`, `ok`, `output`, cut at 4 kB as in the
 * log), `change.patch` and, for a row of inputs, `input.json` (`id`, `values`). They do not tell which arm it is, its model, prompt or price.
 */
export function evidenceFiles({ answer, decisions, changes, input }: Readable): NonNullable<WorkspaceCommand["shown"]> {
  const files: FileSet["files"] = {
    "answer.txt": answer ?? "",
    "calls.jsonl": decisions.map(callLine).join(""),
    "change.patch": changes.patch,
    ...(input && { "input.json": `${JSON.stringify(input)}\n` }),
  };
  return { variable: "ABEVAL_EVIDENCE", at: "/run/abeval/evidence", files };
}

function callLine({ kind, seq, detail }: Decision): string {
  if (kind !== "tool_call" || detail === undefined) return "";
  const { tool, input, ok, output } = detail;
  return `${JSON.stringify({ seq, tool, input, ok, output })}\n`;
}
