import { checkoutText } from "./editable-inputs.ts";
import type { CheckResult, RequiredResult } from "./evidence.ts";
import { firmnessText } from "./firmness-text.ts";
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

/** What decided and how surely, as in `(decided by hidden checks, clear in this run)`; empty where nothing did. */
export function decidedText({ decided_by, confidence }: Pick<Verdict, "decided_by" | "confidence">): string {
  const by = decided_by === "none" ? null : `decided by ${DECIDER_TEXTS[decided_by] ?? decided_by}`;
  const parts = [by, firmnessText(confidence)].filter((part) => part !== null);
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

interface Checked {
  readonly probe: { readonly checks?: readonly CheckEnd[] } | null;
}

interface CheckEnd {
  readonly id: string;
  readonly status?: CheckResult["status"];
  readonly could_not_run?: string | undefined;
}

/**
 * Hidden checks that say nothing about the arms, with the reason: they could run on neither, or this machine did not finish one.
 * What is missing on one arm alone may be that arm's work.
 */
export function undecidedChecks(a: Checked, b: Checked): readonly { readonly id: string; readonly why: string }[] {
  const others = new Map(checksOf(b).map((check) => [check.id, check]));
  return checksOf(a).flatMap((one) => {
    const other = others.get(one.id);
    const [first, second] = [one, other].filter((check) => check?.could_not_run !== undefined);
    const isNobodys = second !== undefined || (first !== undefined && isUnfinishedCheck(first));
    return isNobodys ? [{ id: one.id, why: first?.could_not_run ?? "" }] : [];
  });
}

const checksOf = ({ probe }: Checked) => probe?.checks ?? [];

/** The same in words: each reason once, with the first check that has it. */
export function undecidedChecksText(a: Checked, b: Checked): string | null {
  const byReason = new Map(
    undecidedChecks(a, b)
      .toReversed()
      .map(({ id, why }) => [why, id]),
  );
  const parts = [...byReason].toReversed().map(([why, id]) => `${id}: ${why}`);
  if (parts.length === 0) return null;
  const isUnfinished = [a, b].some((one) => checksOf(one).some(isUnfinishedCheck));
  return `hidden checks could not ${isUnfinished ? "be finished" : "run on either arm"} (${parts.join("; ")})`;
}

const isUnfinishedCheck = ({ status, could_not_run }: CheckEnd) => status === "error" && could_not_run !== undefined;

/** What people call two arms: their ids. Across sessions both may have one id; the words of the request then tell them apart. */
export const armNames = (a: string, b: string): Readonly<Record<Side, string>> =>
  a === b ? { a: `${a} (arm_a)`, b: `${b} (arm_b)` } : { a, b };

/** What the author of a change could have edited, as a sentence; none where nothing is known. */
export const checkoutLines = ({ inputs_from_checkout: inputs }: Pick<Verdict, "inputs_from_checkout">): string[] =>
  inputs ? [`inputs_from_checkout: ${checkoutText(inputs)}.`] : [];
