import type { Changes } from "../../../domain/evidence.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { FILE_FACTS } from "./arm-pages.ts";
import { pick } from "./pick.ts";
import { viewScenario } from "./scenario-view.ts";
import { ARM_FACTS } from "./session-summary.ts";
import { VERDICT_FACTS } from "./verdict-view.ts";

const SESSION = [
  ...["session_id", "scenario", "scenario_digest", "state", "created_at", "started_at", "finished_at", "request"],
  ...["settings", "decisions", "fairness", "totals", "failure", "version"],
  ...["comparison", "trial", "votes", "lost_attempts"],
] as const;
const ARM = [
  ...ARM_FACTS,
  "answers",
  "cached_tokens",
  "replies_digest",
  "violations",
  "required",
  "reference_fix",
  "budget",
] as const;

export function fullSession(outcome: SessionOutcome, includeHidden: boolean) {
  const shownVerdict = (verdict: Verdict) =>
    pick(includeHidden ? verdict : withoutCheckQuotes(verdict), [...VERDICT_FACTS, "scope", "calls"]);
  return {
    ...pick(outcome, SESSION),
    definition: viewScenario(outcome.definition, includeHidden),
    arms: outcome.arms.map((arm) => fullArm(arm, includeHidden)),
    verdict: outcome.verdict && shownVerdict(outcome.verdict),
    verdicts: outcome.verdicts.map(shownVerdict),
  };
}

const fullArm = (arm: ArmSummary, includeHidden: boolean) => ({
  ...pick(arm, ARM),
  changes: arm.changes && withoutFileTexts(arm.changes),
  probe: includeHidden ? arm.probe : withoutCheckWords(arm.probe),
});

const withoutFileTexts = (changes: Changes) => ({
  ...pick(changes, ["patch", "digest", "truncated", "unknown"]),
  files: changes.files.map((file) => pick(file, FILE_FACTS)),
});

/** The session without patches and with decisions as counts, because other details page both. */
export const withoutPaged = ({ decisions, arms, ...session }: ReturnType<typeof fullSession>) => ({
  ...session,
  arms: arms.map(({ changes, ...arm }) => ({ ...arm, changes: changes && withoutPatch(changes) })),
  decisions: Object.fromEntries(Object.entries(decisions).map(([arm_id, log]) => [arm_id, log.length])),
});

const withoutPatch = <T extends { patch: string }>({ patch: _, ...changes }: T) => changes;

type Check = NonNullable<ArmSummary["probe"]>["checks"][number];

const PROBE = ["score", "passed", "total", "restored"] as const;
const CHECK = [
  "id",
  "status",
  "score",
  "min_score",
  "again",
  "required",
  "weight",
  "before",
  "exit_code",
  "duration_ms",
] as const;

/** A hidden check's reason quotes what it looks for, and its output the hidden files: its status says enough. */
const withoutCheckWords = (probe: ArmSummary["probe"]) =>
  probe && {
    ...pick(probe, PROBE),
    checks: probe.checks.map(withoutWords),
    ...(probe.not_repeatable && { not_repeatable: probe.not_repeatable.map(withoutWords) }),
  };

const withoutWords = (check: Check) => ({ ...pick(check, CHECK), reason: null });

/** A citation of a hidden check keeps the check's id and loses what the check printed. */
export const withoutCheckQuotes = (verdict: Verdict): Verdict => ({
  ...verdict,
  criteria: verdict.criteria.map((criterion) => ({
    ...criterion,
    evidence: criterion.evidence.map((cited) =>
      cited.kind === "probe" ? { ...pick(cited, ["side", "kind", "ref"]), quote: "" } : cited,
    ),
  })),
});
