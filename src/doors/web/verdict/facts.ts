import { knownCost, knownTokens, leastText } from "../../../domain/at-least.ts";
import { brokenRules, whyDisqualified } from "../../../domain/disqualification.ts";
import { endText } from "../../../domain/end-text.ts";
import type { Facts } from "../../../domain/evidence.ts";
import { percentText } from "../../../domain/number-text.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import { sumKnown } from "../../../domain/usage.ts";
import type { Side } from "../../../domain/verdict.ts";
import { count, countOf, duration, tokens, usd, words } from "../format.ts";

/** What code established about an arm. */
export interface Established {
  readonly arm: ArmSummary;
  readonly facts: Facts;
}

export interface Fact {
  readonly name: string;
  /** Which direction is better; null when neither is. */
  readonly good: "more" | "less" | null;
  /** The smallest difference that counts as an advantage; absent: any. */
  readonly least?: number;
  readonly value: (of: Established) => number | null;
  readonly text: (of: Established) => string;
  /** Whether there is anything to say of an arm; absent: always. A fact is left out where there is nothing of either. */
  readonly applies?: (of: Established) => boolean;
  /** A difference in words, where a share of the other's would mislead. */
  readonly apart?: (difference: number) => string;
}

const tokensOf = ({ arm }: Established) => sumKnown([arm.tokens_in, arm.tokens_out]);

/** A fact of which no direction is better. */
const stated = (name: string, text: Fact["text"]): Fact => ({ name, good: null, value: () => null, text });

/** One that could not run, or ran out of time, has failed nothing. */
const required = ({ required_checks }: Facts): string =>
  required_checks === "failed" ? "not all passed" : required_checks === null ? "none" : "all passed";

export const FACTS: readonly Fact[] = [
  stated("Ended", ended),
  {
    name: "Hidden checks passed",
    good: "more",
    value: ({ facts }) => facts.probe?.passed ?? null,
    text: ({ facts }) => (facts.probe ? `${facts.probe.passed} of ${facts.probe.total}` : "none ran"),
    apart: (checks) => countOf(checks, "check"),
  },
  {
    ...stated("Required checks", ({ facts }) => required(facts)),
    applies: ({ facts }) => facts.required_checks !== null,
  },
  stated("Rules broken", ({ facts }) => violations(facts)),
  {
    ...stated(
      "Required behaviour",
      ({ facts }) => facts.required.map(({ id, met }) => `${id} ${met ? "met" : "not met"}`).join(", ") || "none",
    ),
    applies: ({ facts }) => facts.required.length > 0,
  },
  {
    name: "Changed",
    good: null,
    value: ({ facts }) => sumKnown([facts.added, facts.removed]),
    text: ({ facts }) =>
      facts.changed_files === null
        ? "not known"
        : `${countOf(facts.changed_files, "file")}, +${count(facts.added ?? 0)} −${count(facts.removed ?? 0)} lines`,
  },
  {
    name: "Similarity to the reference fix",
    good: "more",
    value: ({ facts }) => facts.reference_fix?.score ?? null,
    text: ({ facts }) => (facts.reference_fix ? percentText(facts.reference_fix.score) : "unknown"),
    applies: ({ facts }) => facts.reference_fix !== null,
    apart: (share) => countOf(Math.max(1, Math.round(100 * share)), "point"),
  },
  { name: "Turns", good: "less", value: ({ arm }) => arm.turns, text: ({ arm }) => countOf(arm.turns, "turn") },
  {
    name: "Tool calls",
    good: "less",
    value: ({ arm }) => arm.tool_calls,
    text: ({ arm }) => countOf(arm.tool_calls, "call"),
  },
  {
    name: "Tokens",
    good: "less",
    value: tokensOf,
    text: ({ arm }) => leastText(knownTokens(arm, ["tokens_in", "tokens_out"]), tokens),
  },
  { name: "Cost", good: "less", value: ({ arm }) => arm.cost_usd, text: ({ arm }) => leastText(knownCost(arm), usd) },
  {
    name: "Working time",
    good: "less",
    least: 1_000,
    value: ({ arm }) => arm.working_ms,
    text: ({ arm }) => duration(arm.working_ms),
  },
];

/** How the arm ended, and why when it did not end by itself. */
function ended({ arm, facts }: Established): string {
  if (arm.status === "finished" || arm.status === "limit_reached") return endText(arm);
  const why = arm.status === "disqualified" ? whyDisqualified(facts.violations).join(" and ") : "";
  const reason = why || arm.stop_reason;
  return `${endText(arm)}${reason ? `: ${why || words(reason)}` : ""}`;
}

function violations({ violations: found, disqualified }: Facts): string {
  const refused = found.filter(({ blocked }) => blocked).length;
  const rules = brokenRules(found).join("; ") || "none";
  return rules + (refused > 0 ? `; ${count(refused)} refused` : "") + (disqualified ? "; disqualified" : "");
}

/** How far the arms are apart in a fact. */
interface Difference {
  /** The arm that is named: the better one, or where neither is, the one that has more. */
  readonly side: Side;
  /** A difference such as `38% less` or `2 checks more`; `more` or `less` alone where there is no share. */
  readonly text: string;
  readonly isBetter: boolean;
}

/**
 * Null when the arms are equal, or a figure is unknown. An arm that did nothing at all, or was disqualified, is not better by
 * doing less.
 */
export function differenceOf(
  { good, least = 0, value, apart }: Fact,
  both: Readonly<Record<Side, Established>>,
): Difference | null {
  const [a, b] = [value(both.a), value(both.b)];
  if (a === null || b === null || a === b || Math.abs(a - b) < least) return null;
  const more: Side = a > b ? "a" : "b";
  const ahead = good === "less" ? otherThan(more) : more;
  const isIdle = good === "less" && Math.min(a, b) === 0;
  const isBetter = good !== null && !isIdle && !both[ahead].facts.disqualified;
  const side = isBetter ? ahead : more;
  const word = side === more ? "more" : "less";
  if (apart) return { side, isBetter, text: `${apart(Math.abs(a - b))} ${word}` };
  const share = Math.round((100 * Math.abs(a - b)) / Math.abs(side === "a" ? b : a));
  return { side, isBetter, text: Number.isFinite(share) && share > 0 ? `${share}% ${word}` : word };
}

const otherThan = (side: Side): Side => (side === "a" ? "b" : "a");
