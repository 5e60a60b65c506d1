import { answerOf } from "../evidence/collect.ts";
import { repeatChecks } from "../evidence/repeat-checks.ts";
import type { JudgedArm } from "../judge/judge.ts";
import type { SessionPlan } from "../planning/prepare-session.ts";
import type { SessionServices } from "../planning/services.ts";
import { probeSource } from "../scenario/materials.ts";
import type { StoppedArm } from "./run/conduct-arm.ts";
import type { RunLog } from "./run/run-log.ts";

interface Examination {
  readonly plan: SessionPlan;
  readonly log: RunLog;
  readonly services: SessionServices;
  readonly signal: AbortSignal;
  readonly stopped: readonly [StoppedArm, StoppedArm];
}

/** Both arms without checks by which chance told equal work apart. What came of their repetition is in the log. */
export async function withoutCoinFlips(
  { plan, log, services, signal, stopped }: Examination,
  [a, b]: readonly [JudgedArm, JudgedArm],
): Promise<readonly [JudgedArm, JudgedArm]> {
  const { task, input, policies } = plan.scenario;
  const shared = { task, input, policies, overlay: probeSource(plan.loaded), redact: services.redact };
  const probed = ({ workspace, end }: StoppedArm, { decisions }: JudgedArm) => ({
    ...{ ...shared, workspace, decisions },
    ...{ ...answerOf(end), calls: end.calls },
  });
  const found = await repeatChecks([probed(stopped[0], a), probed(stopped[1], b)], [a.summary, b.summary], signal);
  if (found === undefined) return [a, b];
  const changed = (arm: JudgedArm, summary: (typeof found)[0]): JudgedArm => {
    log.note({ type: "examined", arm_id: arm.pointer.arm_id, summary });
    return { ...arm, summary: { ...arm.summary, ...summary } };
  };
  return [changed(a, found[0]), changed(b, found[1])];
}
