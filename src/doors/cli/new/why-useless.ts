import { checkIds, type Draft, type MeasuredCheck } from "../../../comparison/scenario/draft-scenario.ts";
import { excerpt } from "../../../domain/excerpt.ts";
import type { StagedDraft } from "./stage-draft.ts";

/** Why a scenario would say nothing about an arm on this machine; null when it says something. */
export function whyUseless({ draft, seen, unsolved }: StagedDraft): string | null {
  if (unsolved !== null) return `its own solution gives no reference fix: ${unsolved}`;
  if (seen.failed !== null) return `cannot be tried: ${excerpt(seen.failed, REASON_CHARS)}`;
  const tried = triedChecks(draft, seen.checks);
  const lacking = tried.find(({ cannot_run }) => cannot_run !== null);
  if (lacking) return `lacks what its checks need: ${lacking.cannot_run}`;
  return whyUnproven(draft, tried) ?? whyIdle(draft, tried);
}

/** Characters of a failure that a reason shows. */
const REASON_CHARS = 600;

interface TriedCheck extends MeasuredCheck {
  readonly id: string;
}

/** The commands. Other checks are what their words say. */
function triedChecks({ checks }: Draft, seen: readonly MeasuredCheck[]): readonly TriedCheck[] {
  const ids = checkIds(checks);
  return checks.flatMap(({ run }, index) => {
    const [found, id] = [seen[index], ids[index]];
    return run === undefined || found === undefined || id === undefined ? [] : [{ ...found, id }];
  });
}

function whyUnproven({ reference }: Draft, tried: readonly TriedCheck[]): string | null {
  const failing = reference !== null && tried.find(({ after }) => after === "fail");
  if (failing) return `its own solution does not pass its checks: ${failing.id}: ${failing.reason}`;
  const wavering = tried.find(({ before, after }) => before === null || (reference !== null && after === null));
  return wavering ? `its checks are not repeatable: two runs of ${wavering.id} differed` : null;
}

const whyIdle = ({ checks }: Draft, tried: readonly TriedCheck[]) =>
  tried.length > 0 && tried.length === checks.length && tried.every(({ before }) => before === "pass")
    ? "its checks pass before the work, so an arm that does nothing passes"
    : null;
