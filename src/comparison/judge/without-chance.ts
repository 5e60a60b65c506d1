import { checksApart, EVERYTHING, isSameWork, leaveOut } from "../../domain/equal-work.ts";
import { type ArmSummary, wholeAnswer } from "../../domain/session.ts";
import type { Case, JudgedArm } from "./judge.ts";

/**
 * The case without checks by which chance told the same files apart, so that nothing rests on them. A run leaves them out by
 * itself; arms that are judged across sessions, or were stored by earlier versions, may still have them.
 */
export function withoutChance(kase: Case): Case {
  const [a, b] = [kase.a.summary, kase.b.summary];
  const ids = new Set([a, b].flatMap(({ probe }) => (probe?.not_repeatable ?? []).map(({ id }) => id)));
  // The checks of another scenario are other checks.
  const isAlike =
    !(kase.flags.includes("scenario_drift") || (kase.task.answer && wholeAnswer(a) !== wholeAnswer(b))) &&
    isSameWork(a.changes, b.changes, EVERYTHING);
  if (isAlike) for (const id of checksApart(kase.task, a.probe, b.probe)) ids.add(id);
  return ids.size === 0 ? kase : { ...kase, a: without(kase.a, ids), b: without(kase.b, ids) };
}

/** The nearness to the reference fix counted the checks, too. */
function without(arm: JudgedArm, ids: ReadonlySet<string>): JudgedArm {
  const { summary } = arm;
  const probe = summary.probe && leaveOut(summary.probe, ids);
  if (probe === summary.probe) return arm;
  const changed: ArmSummary = { ...summary, probe, reference_fix: null };
  return { ...arm, summary: changed };
}
