import { crashText } from "../../../domain/end-text.ts";
import { counted } from "../../../domain/number-text.ts";
import { SIDES, type Side, type Verdict } from "../../../domain/verdict.ts";
import { unmetText } from "../../../domain/verdict-text.ts";
import type { ChanceCheck } from "../equal-work.ts";

export interface ScopeInput {
  readonly names: Readonly<Record<Side, string>>;
  readonly facts: Verdict["facts"];
  readonly turns: Readonly<Record<Side, number>>;
  /** Hidden checks that did not run to their end, with what stopped them: `slow: timed out after 30 s`. */
  readonly stopped: Readonly<Record<Side, readonly string[]>>;
  /** Hidden checks by which chance told equal work apart. */
  readonly chances: readonly ChanceCheck[];
  /** Arms of which only a log tells what they did. */
  readonly by_log: Readonly<Record<Side, boolean>>;
  /** How a program of the arm's own ended at last, with its name; null when none did. */
  readonly programs: Readonly<Record<Side, string | null>>;
}

/**
 * What limits the finding: results of the hidden checks, what kept an arm or a check from its end, what was left undone.
 * @param failed_judge who failed its self-test; null: nobody
 */
export function scopeOf(input: ScopeInput, failed_judge: string | null): string {
  const { facts, names } = input;
  const limit = [
    ...agentEnds(input),
    ...programEnds(input),
    ...checkEnds(input),
    ...chanceTexts(input),
    ...unmet(input),
    ...loggedOnly(input),
    ...costEnds(input),
    ...(failed_judge === null ? [] : [`${failed_judge} failed its newest self-test on this scenario`]),
    "one run per arm says nothing about how often this would happen.",
  ].join("; ");
  if (!facts.a.probe || !facts.b.probe) return `no hidden check ran on both arms; ${limit}`;
  const count = ({ probe }: Verdict["facts"]["a"]) => `${probe?.passed ?? 0}/${probe?.total ?? 0}`;
  return `hidden checks passed: ${names.a} ${count(facts.a)}, ${names.b} ${count(facts.b)}; ${limit}`;
}

/** External agents that did not end in order: a dead one says nothing of the work that it would have done. */
function agentEnds({ facts, names }: ScopeInput): readonly string[] {
  return SIDES.flatMap((side) => {
    const { crashed, stop_reason } = facts[side];
    if (crashed !== undefined) return `the agent of ${names[side]} crashed (${crashText(crashed)})`;
    const isSilent = stop_reason === "no_answer" || stop_reason?.startsWith("agent_exit:");
    return isSilent ? `the agent of ${names[side]} ended without an answer` : [];
  });
}

/** An arm that lost a tool on the way shows less of what it can do. */
const programEnds = ({ programs, names }: ScopeInput) =>
  SIDES.flatMap((side) => (programs[side] === null ? [] : `${names[side]}: ${programs[side]}`));

/** A statement names so many checks of an arm. */
const NAMED_CHECKS = 3;

const checkEnds = ({ names, stopped }: ScopeInput) =>
  SIDES.flatMap((side) => stopped[side].slice(0, NAMED_CHECKS).map((check) => `on ${names[side]}, check ${check}`));

const chanceTexts = ({ chances, names }: ScopeInput) => [
  ...chances
    .slice(0, NAMED_CHECKS)
    .map(
      ({ id, a, b }) =>
        `check ${id} is not repeatable and counts for neither arm: on equal work it gave ${a} for ${names.a}, and ${b} for ${names.b}`,
    ),
  ...(chances.length > NAMED_CHECKS
    ? [`${counted(chances.length - NAMED_CHECKS, "more check")} left out as not repeatable`]
    : []),
];

const unmet = ({ facts, names }: ScopeInput) =>
  SIDES.flatMap((side) => unmetText(facts[side]).map((text) => `${names[side]} did not do what is required: ${text}`));

/** What is required and was seen by nobody here. */
const loggedOnly = ({ facts, names, by_log }: ScopeInput) =>
  SIDES.flatMap((side) => {
    const shown = facts[side].required.filter(({ met }) => met).map(({ id }) => id);
    return by_log[side] && shown.length > 0
      ? `${names[side]} did what is required, as its log says: ${shown.slice(0, NAMED_CHECKS).join(", ")}`
      : [];
  });

const costEnds = ({ facts, names, turns }: ScopeInput) =>
  costLimited(facts).map((side) => `a cost limit ended ${names[side]} after ${counted(turns[side], "turn")}`);

/** The arms that a cost limit ended. */
export const costLimited = (facts: Verdict["facts"]): readonly Side[] =>
  SIDES.filter((side) => facts[side].stop_reason === "budget:cost_usd");
