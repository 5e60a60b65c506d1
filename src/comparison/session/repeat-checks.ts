import { isSameResult } from "../../domain/check-result.ts";
import { checksApart, EVERYTHING, isSameWork, leaveOut } from "../../domain/equal-work.ts";
import type { CheckResult, ProbeResult } from "../../domain/evidence.ts";
import type { Task } from "../../domain/task.ts";
import { answerOf, type Evidence, type Probed, probeOf, referenceScore } from "../evidence/collect.ts";
import type { JudgedArm } from "../judge/judge.ts";
import { probeSource } from "../scenario/materials.ts";
import type { StoppedArm } from "./run/conduct-arm.ts";
import type { Examination } from "./run/open-arm.ts";
import type { RunLog } from "./run/run-log.ts";

/** What a check can change of an arm's evidence. */
type Checked = Pick<Evidence, "changes" | "probe" | "reference_fix">;

interface Repeatable {
  readonly probed: Omit<Probed, "changes">;
  readonly found: Checked;
}

/** Of two arms that left the same: the checks that told them apart. */
interface Apart {
  readonly ids: ReadonlySet<string>;
  readonly arms: readonly [number, number];
  /** Also files that do not count as the answer are the same. */
  readonly isAlike: boolean;
}

/**
 * Checks that told equal work apart are run once more on each arm. Those by which chance decided are left out for all; where
 * files that do not count as the answer differ, one that gives the same again stays. Undefined when there is nothing to repeat.
 * @throws as `collectEvidence`
 */
async function repeatChecks(
  arms: readonly Repeatable[],
  signal: AbortSignal,
): Promise<readonly Pick<Checked, "probe" | "reference_fix">[] | undefined> {
  const [first] = arms;
  const apart = arms.flatMap((_, place) =>
    arms.slice(place + 1).flatMap((__, on) => apartIn(arms, place, place + 1 + on)),
  );
  if (first === undefined || apart.length === 0) return undefined;
  const ids = new Set(apart.flatMap((pair) => [...pair.ids]));
  const repeated: Repeated[] = [];
  for (const { probed, found } of arms) {
    const { changes } = found;
    repeated.push(changes === null ? NOTHING : await again({ ...probed, changes }, ids, signal));
  }
  const turnedIn = (place: number, id: string) =>
    turned(arms[place]?.found.probe ?? null, repeated[place] ?? NOTHING, id);
  const byChance = apart.flatMap(({ ids: own, arms: [a, b], isAlike }) =>
    [...own].filter((id) => isAlike || turnedIn(a, id) || turnedIn(b, id)),
  );
  const { task } = first.probed;
  return await Promise.all(
    arms.map(({ found }, place) => {
      const probe = withAgain(found.probe, repeated[place] ?? NOTHING);
      return settled(task, { ...found, probe }, new Set(byChance));
    }),
  );
}

function apartIn(arms: readonly Repeatable[], first: number, second: number): readonly Apart[] {
  const [a, b] = [arms[first], arms[second]];
  if (!a?.found.changes || !b?.found.changes) return [];
  const { task } = a.probed;
  const ids = checksApart(task, a.found.probe, b.found.probe);
  if (ids.size === 0 || (task.answer && a.probed.answer !== b.probed.answer)) return [];
  if (!isSameWork(a.found.changes, b.found.changes, task.deliverable)) return [];
  const isAlike = isSameWork(a.found.changes, b.found.changes, EVERYTHING);
  return [{ ids, arms: [first, second], isAlike }];
}

type Repeated = ReadonlyMap<string, CheckResult>;

const NOTHING: Repeated = new Map();

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

/** An arm that has stopped here, what was found of it, and where it is written. */
export interface ExaminedHere {
  readonly stopped: StoppedArm;
  readonly judged: JudgedArm;
  readonly log: Pick<RunLog, "note">;
}

/** The arms without checks by which chance told equal work apart. What came of their repetition is in their logs. */
export async function withoutCoinFlips(
  { plan, services, signal }: Pick<Examination, "plan" | "services" | "signal">,
  arms: readonly ExaminedHere[],
): Promise<readonly JudgedArm[]> {
  const { task, input, policies } = plan.scenario;
  const shared = { task, input, policies, overlay: probeSource(plan.loaded), redact: services.redact, services };
  const repeatable = arms.map(({ stopped: { workspace, end }, judged: { decisions, summary } }) => ({
    probed: { ...{ ...shared, workspace, decisions }, ...{ ...answerOf(end), calls: end.calls } },
    found: summary,
  }));
  const found = await repeatChecks(repeatable, signal);
  return arms.map(({ judged, log }, place) => {
    const summary = found?.[place];
    if (summary === undefined) return judged;
    log.note({ type: "examined", arm_id: judged.pointer.arm_id, summary });
    return { ...judged, summary: { ...judged.summary, ...summary } };
  });
}
