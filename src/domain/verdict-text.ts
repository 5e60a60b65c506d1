import type { CheckResult, RequiredResult } from "./evidence.ts";
import { counted } from "./number-text.ts";
import type { Decider, Side, Suspicion, Verdict } from "./verdict.ts";

/** What decided, wherever it is told. */
export const DECIDER_TEXTS: Readonly<Record<Decider, string>> = {
  gate: "a broken rule",
  probe: "hidden checks",
  judge: "the judge, in both orders",
  measured: "measured criteria",
  none: "nothing decided",
};

/** What decided and how surely, as in `(decided by hidden checks, confidence high)`; empty where nothing did. */
export function decidedText({ decided_by, confidence }: Pick<Verdict, "decided_by" | "confidence">): string {
  const parts = [
    ...(decided_by === "none" ? [] : [`decided by ${DECIDER_TEXTS[decided_by] ?? decided_by}`]),
    ...(confidence === "none" ? [] : [`confidence ${confidence}`]),
  ];
  return parts.length === 0 ? "" : `(${parts.join(", ")})`;
}

const FOUND: Readonly<Record<Suspicion["found_by"], string>> = {
  scan: "may speak to the judge",
  judge: "suspected by the judge",
  second_hearing: "no longer named when words were withheld",
};

/** Suspicions told in a summary; the verdict has all. */
const TOLD = 4;

/** Whose words are suspected, where, and by whom: a line each, the first few. The quote is an arm's own text. */
export function suspicionLines({ suspicions = [] }: Pick<Verdict, "suspicions">): string[] {
  const lines = suspicions.slice(0, TOLD).map(({ arm_id, where, quote, found_by }) => {
    const words = [where, quote === null ? null : JSON.stringify(quote)].filter((part) => part !== null).join(" ");
    return `${arm_id}: ${FOUND[found_by]}${words === "" ? "" : `: ${words}`}`;
  });
  const more = suspicions.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** Each required behaviour that an arm did not show: `ran-tests (run_command: 0 of 1 call)`. */
export const unmetText = ({ required }: { readonly required: readonly RequiredResult[] }): readonly string[] =>
  required.filter(({ met }) => !met).map((result) => `${result.id} (${result.tool}: ${shownText(result)})`);

/** How often, and how often it should have been: `0 of 1 call`, `3 calls, at most 0`. */
function shownText({ count, min, max }: RequiredResult): string {
  if (max !== undefined && count > max) return `${counted(count, "call")}, at most ${max}`;
  return `${count} of ${counted(min, "call")}`;
}

/** How a hidden check came out. One that could not run, or ran out of time, has failed nothing. */
export function resultWord({ status, could_not_run }: Pick<CheckResult, "status" | "could_not_run">): string {
  if (could_not_run !== undefined) return "could not run";
  return { pass: "passed", fail: "failed", error: "no result" }[status];
}

interface Checked {
  readonly probe: {
    readonly checks?: readonly { readonly id: string; readonly could_not_run?: string | undefined }[];
  } | null;
}

/** Hidden checks that could not run on either arm, with the reason: they say nothing about the arms. */
export function runOnNeither(a: Checked, b: Checked): readonly { readonly id: string; readonly why: string }[] {
  const missed = new Map(checksOf(b).map(({ id, could_not_run }) => [id, could_not_run]));
  return checksOf(a).flatMap(({ id, could_not_run }) =>
    could_not_run === undefined || missed.get(id) === undefined ? [] : [{ id, why: could_not_run }],
  );
}

const checksOf = ({ probe }: Checked) => probe?.checks ?? [];

/** The same in words: each reason once, with the first check that has it. */
export function runOnNeitherText(a: Checked, b: Checked): string | null {
  const byReason = new Map(
    runOnNeither(a, b)
      .toReversed()
      .map(({ id, why }) => [why, id]),
  );
  const parts = [...byReason].toReversed().map(([why, id]) => `${id}: ${why}`);
  return parts.length === 0 ? null : `hidden checks could not run on either arm (${parts.join("; ")})`;
}

/** What people call two arms: their ids. Across sessions both may have one id; the words of the request then tell them apart. */
export const armNames = (a: string, b: string): Readonly<Record<Side, string>> =>
  a === b ? { a: `${a} (arm_a)`, b: `${b} (arm_b)` } : { a, b };
