import { isSameResult } from "../../domain/check-result.ts";
import { checksApart, EVERYTHING, isSameWork, leaveOut } from "../../domain/equal-work.ts";
import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import type { Task } from "../../domain/task.ts";
import { answerOf, type Evidence, type Probed, probeOf, referenceScore } from "../evidence/collect.ts";
import type { JudgedArm } from "../judge/judge.ts";
import { probeSource } from "../scenario/materials.ts";
import type { StoppedArm } from "./run/conduct-arm.ts";
import type { Examination } from "./run/open-arm.ts";

type Both<T> = readonly [T, T];

/** What a check can change of an arm's evidence. */
type Checked = Pick<Evidence, "changes" | "probe" | "reference_fix">;

/**
 * Checks that told equal work apart are run once more on each arm. Those by which chance decided are left out for both; where
 * files that do not count as the answer differ, one that gives the same again stays. Undefined when there is nothing to repeat.
 * @throws as `collectEvidence`
 */
async function repeatChecks(
  arms: Both<Omit<Probed, "changes">>,
  found: Both<Checked>,
  signal: AbortSignal,
): Promise<Both<Pick<Checked, "probe" | "reference_fix">> | undefined> {
  const [a, b] = found;
  const { task } = arms[0];
  const apart = checksApart(task, a.probe, b.probe);
  if (apart.size === 0 || a.changes === null || b.changes === null) return undefined;
  if (!isSameWork(a.changes, b.changes, task.deliverable) || (task.answer && arms[0].answer !== arms[1].answer))
    return undefined;
  const again_a = await again({ ...arms[0], changes: a.changes }, apart, signal);
  const again_b = await again({ ...arms[1], changes: b.changes }, apart, signal);
  const [probe_a, probe_b] = [withAgain(a.probe, again_a), withAgain(b.probe, again_b)];
  const isAlike = isSameWork(a.changes, b.changes, EVERYTHING);
  const by_chance = isAlike
    ? apart
    : new Set([...apart].filter((id) => turned(a.probe, again_a, id) || turned(b.probe, again_b, id)));
  return [
    await settled(task, { ...a, probe: probe_a }, by_chance),
    await settled(task, { ...b, probe: probe_b }, by_chance),
  ];
}

type Repeated = ReadonlyMap<string, CheckResult>;

async function again(arm: Probed, ids: ReadonlySet<string>, signal: AbortSignal): Promise<Repeated> {
  const { probe } = arm.task;
  if (probe === null) return new Map();
  const result = await probeOf(arm, { ...probe, checks: probe.checks.filter(({ id }) => ids.has(id)) }, signal);
  return new Map(result.checks.map((check) => [check.id, check]));
}

function withAgain(probe: ProbeResult | null, results: Repeated): ProbeResult | null {
  const repeated = (check: CheckResult): CheckResult => {
    const again = results.get(check.id);
    return again === undefined ? check : { ...check, again: again.status };
  };
  return probe && { ...probe, checks: probe.checks.map(repeated) };
}

const turned = (probe: ProbeResult | null, results: Repeated, wanted: string): boolean => {
  const [check, again] = [probe?.checks.find(({ id }) => id === wanted), results.get(wanted)];
  return check !== undefined && again !== undefined && !isSameResult(check, again);
};

async function settled(task: Task, { changes, probe: found }: Checked, by_chance: ReadonlySet<string>) {
  const probe = found && leaveOut(found, by_chance);
  return { probe, reference_fix: await referenceScore(task, { changes, probe }) };
}

/** Both arms without checks by which chance told equal work apart. What came of their repetition is in the log. */
export async function withoutCoinFlips(
  { plan, log, services, signal }: Examination,
  [left_a, left_b]: Both<StoppedArm | null>,
  [a, b]: Both<JudgedArm>,
): Promise<Both<JudgedArm>> {
  if (left_a === null || left_b === null) return [a, b];
  const { task, input, policies } = plan.scenario;
  const shared = { task, input, policies, overlay: probeSource(plan.loaded), redact: services.redact };
  const probed = ({ workspace, end }: StoppedArm, { decisions }: JudgedArm) => ({
    ...{ ...shared, workspace, decisions },
    ...{ ...answerOf(end), calls: end.calls },
  });
  const found = await repeatChecks([probed(left_a, a), probed(left_b, b)], [a.summary, b.summary], signal);
  if (found === undefined) return [a, b];
  const changed = (arm: JudgedArm, summary: (typeof found)[0]): JudgedArm => {
    log.note({ type: "examined", arm_id: arm.pointer.arm_id, summary });
    return { ...arm, summary: { ...arm.summary, ...summary } };
  };
  return [changed(a, found[0]), changed(b, found[1])];
}
