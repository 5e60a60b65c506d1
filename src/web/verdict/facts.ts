import { brokenRules, whyDisqualified } from "../../domain/disqualification.ts";
import { endText } from "../../domain/end-text.ts";
import type { ArmSummary } from "../../domain/session.ts";
import type { Facts } from "../../domain/verdict.ts";
import { count, counted, duration, percent, tokens, usd, words } from "../format.ts";

/** What code established about an arm. */
export interface Established {
  readonly arm: ArmSummary;
  readonly facts: Facts;
}

export interface Fact {
  readonly name: string;
  /** Which way is good; null where neither is. */
  readonly good: "more" | "less" | null;
  /** The smallest difference that says something; absent: any. */
  readonly least?: number;
  readonly value: (of: Established) => number | null;
  readonly text: (of: Established) => string;
}

const sum = (a: number | null, b: number | null) => (a === null || b === null ? null : a + b);
const lines = ({ facts }: Established) => sum(facts.added, facts.removed);

export const FACTS: readonly Fact[] = [
  {
    name: "Ended",
    good: null,
    value: () => null,
    text: ended,
  },
  {
    name: "Hidden checks passed",
    good: "more",
    value: ({ facts }) => facts.probe?.passed ?? null,
    text: ({ facts }) => (facts.probe ? `${facts.probe.passed} of ${facts.probe.total}` : "none ran"),
  },
  {
    name: "Required checks",
    good: null,
    value: () => null,
    text: ({ facts }) => facts.required_checks ?? "none",
  },
  {
    name: "Rules broken",
    good: null,
    value: () => null,
    text: ({ facts }) => violations(facts),
  },
  {
    name: "Required behaviour",
    good: null,
    value: () => null,
    text: ({ facts }) =>
      facts.required.length === 0
        ? "none"
        : facts.required.map(({ id, met }) => `${id} ${met ? "met" : "not met"}`).join(", "),
  },
  {
    name: "Changed",
    good: null,
    value: lines,
    text: ({ facts }) =>
      facts.changed_files === null
        ? "not known"
        : `${counted(facts.changed_files, "file")}, +${count(facts.added ?? 0)} −${count(facts.removed ?? 0)} lines`,
  },
  {
    name: "Like the known fix",
    good: "more",
    value: ({ facts }) => facts.reference_fix?.score ?? null,
    text: ({ facts }) => (facts.reference_fix ? percent(facts.reference_fix.score) : "no known fix"),
  },
  { name: "Turns", good: "less", value: ({ arm }) => arm.turns, text: ({ arm }) => counted(arm.turns, "turn") },
  {
    name: "Tool calls",
    good: "less",
    value: ({ arm }) => arm.tool_calls,
    text: ({ arm }) => counted(arm.tool_calls, "call"),
  },
  {
    name: "Tokens",
    good: "less",
    value: ({ arm }) => sum(arm.tokens_in, arm.tokens_out),
    text: ({ arm }) => tokens(sum(arm.tokens_in, arm.tokens_out)),
  },
  { name: "Cost", good: "less", value: ({ arm }) => arm.cost_usd, text: ({ arm }) => usd(arm.cost_usd) },
  {
    name: "Working time",
    good: "less",
    least: 1_000,
    value: ({ arm }) => arm.working_ms,
    text: ({ arm }) => duration(arm.working_ms),
  },
];

/** A limit is named in words, and why an arm was disqualified too; another reason is told as it is. */
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

/**
 * How much of the other's value the better one saves or adds, as in "38% less"; null when neither is better. Nothing at
 * all saves nothing, and what an arm that was put out did less of is no merit.
 */
export function advantage({ good, least = 0, value }: Fact, own: Established, other: Established): string | null {
  const [mine, others] = [value(own), value(other)];
  if (good === null || mine === null || others === null || own.facts.disqualified) return null;
  const ahead = good === "less" ? others - mine : mine - others;
  if (ahead <= 0 || ahead < least || (good === "less" && mine === 0)) return null;
  const share = others === 0 ? null : Math.round((ahead / others) * 100);
  return share === null || share === 0 ? good : `${share}% ${good}`;
}
