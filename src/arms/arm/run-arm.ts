import type { Arm } from "../../domain/arm.ts";
import type { Decision } from "../../domain/decision.ts";
import type { Policies } from "../../domain/policies.ts";
import type { Task } from "../../domain/task.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Purse } from "../model/purse.ts";
import type { Tool } from "../tool/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ArmEnd } from "./arm-end.ts";

/** What every arm is given, whoever does the work. */
export interface ArmRun {
  readonly arm: Arm;
  readonly prompt: string;
  /** What was said before the prompt. */
  readonly messages?: Task["messages"];
  /** What the user says after each answer. */
  readonly follow_ups?: Task["follow_ups"];
  readonly policies: Policies;
  readonly workspace: Workspace;
  /** The tools of the arm's MCP servers, which are running. */
  readonly mcp_tools?: readonly Tool[];
  /** What pays for each call besides the arm's own budget; absent: nothing limits them together. */
  readonly purse?: Purse | undefined;
  readonly clock: Clock;
  /** Takes secrets out of what a tool returned, before anyone reads it. */
  readonly redact: (text: string) => string;
  /** Called with each decision as it is made, in order. A Failure that it throws ends the arm. */
  readonly emit: (decision: Decision) => void;
}

/**
 * Runs one arm from its prompt to its end. Knows nothing of sessions, streams or stores. Never rejects: an arm that ends by
 * a fault of ours or by `signal` still reports what it used.
 */
export type RunArm = (run: ArmRun, signal: AbortSignal) => Promise<ArmEnd>;
