import type { ArmEnd } from "../arm/arm-end.ts";
import { runArm } from "../arm/run-arm.ts";
import { Failure } from "../domain/failure.ts";
import type { Arm, Scenario } from "../domain/scenario.ts";
import type { ArmSummary } from "../domain/session.ts";
import type { ModelClient } from "../model/client.ts";
import { toolbox } from "../tool/toolbox.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { pendingArm } from "./pending-arm.ts";
import type { SessionServices } from "./services.ts";
import type { SessionRecord } from "./session-record.ts";

export interface ArmConduct {
  readonly arm: Arm;
  readonly model: ModelClient;
  readonly workspace: Workspace;
  readonly scenario: Scenario;
  readonly record: SessionRecord;
  readonly services: SessionServices;
}

/**
 * Runs one arm to its end and announces it.
 * @throws what kept the arm from an end of its own; what it used until then is noted.
 */
export async function conductArm(conduct: ArmConduct, signal: AbortSignal): Promise<ArmEnd> {
  const { arm, scenario, record, services } = conduct;
  const running: ArmSummary = { ...pendingArm(arm), status: "running" };
  record.noteArm(running);
  const end = await runArm(
    {
      arm,
      prompt: scenario.task.prompt,
      tools: toolbox(arm.tools),
      policies: scenario.policies,
      model: conduct.model,
      workspace: conduct.workspace,
      clock: services.clock,
      redact: services.redact,
      emit: (decision) => record.decide(arm.id, decision),
    },
    signal,
  );
  const summary = { ...running, ...summaryOf(end) };
  if (end.cause === undefined) record.armFinished(summary);
  else record.noteArm({ ...summary, error: end.status === "failed" ? messageOf(end.cause) : null });
  if (end.cause !== undefined) throw end.cause;
  return end;
}

const messageOf = (error: unknown) => (error instanceof Failure ? error.message : "an internal error");

function summaryOf(end: ArmEnd): Partial<ArmSummary> {
  const { calls: _calls, began_ticks: _began, cause: _cause, violations, budget, ...measured } = end;
  return { ...measured, violations: [...violations], budget: [...budget] };
}
