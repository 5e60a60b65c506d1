import type { Workspace } from "../../arms/workspace/workspace.ts";
import { repeatChecks } from "../evidence/repeat-checks.ts";
import type { JudgedArm } from "../judge/judge.ts";
import type { SessionPlan } from "../planning/prepare-session.ts";
import type { SessionServices } from "../planning/services.ts";
import { probeSource } from "../scenario/materials.ts";
import type { RunLog } from "./run/run-log.ts";

interface Examination {
  readonly plan: SessionPlan;
  readonly log: RunLog;
  readonly services: SessionServices;
  readonly signal: AbortSignal;
  /** Of both arms, as they left them. */
  readonly workspaces: readonly [Workspace, Workspace];
}

/** Both arms without checks by which chance told equal work apart. What came of their repetition is in the log. */
export async function withoutCoinFlips(
  { plan, log, services, signal, workspaces }: Examination,
  [a, b]: readonly [JudgedArm, JudgedArm],
): Promise<readonly [JudgedArm, JudgedArm]> {
  const { task, policies } = plan.scenario;
  const shared = { task, policies, overlay: probeSource(plan.loaded), redact: services.redact };
  const [of_a, of_b] = workspaces;
  const found = await repeatChecks(
    [
      { ...shared, workspace: of_a },
      { ...shared, workspace: of_b },
    ],
    [a.summary, b.summary],
    signal,
  );
  if (found === undefined) return [a, b];
  const changed = (arm: JudgedArm, summary: (typeof found)[0]): JudgedArm => {
    log.note({ type: "examined", arm_id: arm.pointer.arm_id, summary });
    return { ...arm, summary: { ...arm.summary, ...summary } };
  };
  return [changed(a, found[0]), changed(b, found[1])];
}
