import { memberName } from "../domain/member.ts";
import { countText } from "../domain/number-text.ts";
import type { Series } from "../domain/series.ts";
import { trialResult } from "../domain/series-status.ts";
import type { SeriesTrial } from "../domain/series-trial.ts";
import { isFinal } from "../domain/session-state.ts";
import type { Side } from "../domain/verdict.ts";

/** One thing that failed in the rows of a series, or in its scenarios. */
export interface Failed {
  /** The id of a check, or why a trial is missing. */
  readonly what: string;
  readonly is_check: boolean;
  /** In how many rows it failed at least once, by arm. Null for a trial that is missing: its reason names no arm. */
  readonly by_arm: Readonly<Record<Side, number>> | null;
  /** Names of the rows in which it failed, in the order of the plan. */
  readonly rows: readonly string[];
}

/** Lines of a table of what failed. */
export const FAILED_ROWS = 20;

/** Rows that such a line names. */
const NAMED = 3;

/** Some of the rows by name, and how many more there are. */
export function failedShown(rows: Failed["rows"]): { readonly named: readonly string[]; readonly more: string } {
  const more = rows.length - NAMED;
  return { named: rows.slice(0, NAMED), more: more > 0 ? ` and ${countText(more)} more` : "" };
}

type Told = Pick<Series, "scenarios" | "trials" | "arms">;

/** What failed in a series, by check and by the reason of missing trials: what failed in most rows first. */
export function whatFailed({ scenarios, trials, arms }: Told): readonly Failed[] {
  const reasons = reasonsOf(trials, { a: arms.a.arm_id, b: arms.b.arm_id });
  return [...checksThatFailed(scenarios), ...reasons].toSorted((one, other) => other.rows.length - one.rows.length);
}

function checksThatFailed(scenarios: Series["scenarios"]): readonly Failed[] {
  const found = scenarios.flatMap(({ checks, ...member }) =>
    checks.flatMap((check) => {
      const sides = (["a", "b"] as const).filter(
        (side) => check[side] !== null && check[side].passed < check[side].trials,
      );
      return sides.length === 0 ? [] : [{ what: check.id, sides, row: memberName(member) }];
    }),
  );
  return [...Map.groupBy(found, ({ what }) => what)].map(([what, own]) => {
    const rowsOf = (side: Side) => own.filter(({ sides }) => sides.includes(side)).length;
    return { what, is_check: true, by_arm: { a: rowsOf("a"), b: rowsOf("b") }, rows: own.map(({ row }) => row) };
  });
}

function reasonsOf(trials: Series["trials"], arms: Readonly<Record<Side, string>>): readonly Failed[] {
  const found = trials.flatMap((trial) => {
    const what = reasonOf(trial, arms);
    return what === null ? [] : [{ what, row: memberName(trial) }];
  });
  return [...Map.groupBy(found, ({ what }) => likeOthers(what)).values()].flatMap((own) => {
    const [first] = own;
    return first
      ? [{ what: first.what, is_check: false, by_arm: null, rows: [...new Set(own.map(({ row }) => row))] }]
      : [];
  });
}

/** Null for a trial that is not missing, and for one that somebody cancelled. */
function reasonOf(trial: SeriesTrial, arms: Readonly<Record<Side, string>>): string | null {
  if (!isFinal(trial.state) || trial.state === "cancelled" || trial.d !== null) return null;
  return trial.failure ?? trialResult(trial, arms);
}

/** Reasons that differ only in quoted words, numbers and ids are one. */
const likeOthers = (reason: string): string =>
  reason
    .replaceAll(/"[^"\n]*"/g, "…")
    .split(" ")
    .map((word) => (/\d/.test(word) ? "…" : word))
    .join(" ");
