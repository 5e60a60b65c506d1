import type { Arm } from "../../../domain/arm.ts";
import type { StandIn } from "../../../domain/baseline.ts";
import type { ImportedFrom } from "../../../domain/ran.ts";
import type { JudgedArm } from "../../judge/judge.ts";
import type { RunLog } from "./run-log.ts";

/** Puts what a stored run left into the log, as if the arm had run. */
export async function importArm(log: RunLog, arm: Arm, { from, load }: StandIn): Promise<JudgedArm> {
  const stored = await load();
  const decisions = [...stored.decisions];
  for (const decision of decisions) log.note({ type: "decision", arm_id: arm.id, decision });
  const imported: ImportedFrom = { ...(stored.summary.imported ?? NO_LOG), at: from.at, run: from };
  const summary = { ...stored.summary, arm_id: arm.id, title: arm.title, imported };
  log.note({ type: "arm_ended", arm_id: arm.id, summary });
  return { pointer: { session_id: log.session_id, arm_id: arm.id }, summary, decisions };
}

const NO_LOG: ImportedFrom = { form: null, agent: null, version: null, at: null };
