import { whyDisqualified } from "../domain/disqualification.ts";
import { type Flag, SIDES, type Side, type Verdict } from "../domain/verdict.ts";
import type { Gates } from "./gates.ts";
import type { Standing } from "./score.ts";

/** Everything a statement may speak of. */
export interface Account {
  readonly kind: Verdict["kind"];
  readonly scenario: string;
  readonly judge: string;
  readonly names: Readonly<Record<Side, string>>;
  readonly standing: Standing;
  readonly gates: Gates;
  readonly facts: Verdict["facts"];
  readonly turns: Readonly<Record<Side, number>>;
  /** Required hidden checks failed, of all required; null without a probe. */
  readonly required: Readonly<Record<Side, { readonly failed: number; readonly total: number } | null>>;
  readonly flags: readonly Flag[];
  readonly model_asked: boolean;
  /** Some criterion with weight was measured by code. */
  readonly measured: boolean;
}

/**
 * One or two plain sentences, from templates. They say what one run per arm showed and what decided; they never say that
 * an arm is the stronger one.
 */
export function statementOf(account: Account): string {
  return `${capitalised(finding(account))} ${capitalised(scope(account))}`;
}

const capitalised = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** How a gate decided, without the scope; null when none did. */
export function gateFinding(account: Account): string | null {
  const { gates, names, facts, required } = account;
  if (gates.no_winner === "both_disqualified")
    return `${disqualified(names.a, facts.a)}; ${disqualified(names.b, facts.b)}; no winner is named`;
  if (gates.winner_side === null) return null;
  const [winner, loser]: readonly [Side, Side] = gates.winner_side === "a" ? ["a", "b"] : ["b", "a"];
  if (gates.reason === "disqualified") return `${disqualified(names[loser], facts[loser])}; ${names[winner]} was not`;
  if (gates.reason === "required_checks") {
    const { failed, total } = required[loser] ?? { failed: 0, total: 0 };
    return `${names[loser]} failed ${failed} of ${total} required hidden checks, ${names[winner]} none`;
  }
  const passed = `${names[winner]} passed hidden checks worth ${percent(facts[winner])} of the weight, ${names[loser]} ${percent(facts[loser])}`;
  return gates.no_winner ? `neither arm passed the required hidden checks; ${passed}; no winner is named` : passed;
}

function disqualified(name: string, { violations }: Verdict["facts"]["a"]): string {
  const why = whyDisqualified(violations).join(" and ");
  return `${name} was disqualified${why && `: ${why}`}`;
}

const percent = ({ probe }: Verdict["facts"]["a"]) => `${Math.round((probe?.score ?? 0) * 100)}%`;

function finding(account: Account): string {
  const gate = gateFinding(account);
  if (gate === null || account.standing.decided_by === "none") return `in ${runs(account)}, ${opinion(account)}.`;
  return `in ${runs(account)}, ${gate}; decided by ${account.gates.decided_by === "gate" ? "the rules" : "the checks"}, ${judgesPart(account)}.`;
}

function judgesPart({ model_asked, flags, standing, judge, names }: Account): string {
  const { judge_side, winner_side } = standing;
  if (!model_asked) return nobody(flags);
  if (judge_side !== null && winner_side !== null && judge_side !== winner_side)
    return `against judge ${judge}, which favoured ${names[judge_side]} ${BOTH}`;
  return flags.includes("judge_invalid") ? "and the judge gave no usable answer" : "not by the judge";
}

function runs({ kind, scenario }: Account): string {
  return kind === "cross_session" ? `these two runs of ${scenario}` : `this one run of ${scenario}`;
}

function opinion(account: Account): string {
  const { standing, gates, model_asked } = account;
  const unsolved = gates.no_winner === "neither_solved" ? "neither arm passed the required hidden checks; " : "";
  if (isOpened(standing)) return unsolved + heardAgain(account);
  if (standing.probe_conflict) return conflict(account);
  if (standing.outcome === "winner" && standing.decided_by === "measured" && model_asked) return outweighed(account);
  return unsolved + (model_asked ? judged(account) : measured(account));
}

/** What the first hearing said does not stand alone, and the second did not say it too. */
const isOpened = ({ second, merged }: Standing) =>
  second === "overturns" || second === "unheard" || (second === "unread" && Boolean(merged?.winner_side));

const BOTH = "in both presentation orders";
const WITHHELD = "when the arms' own words were withheld";

/** The second hearing left the first without a winner, or without its lean. */
function heardAgain({ standing, judge, names }: Account): string {
  const { second, merged, lean_side } = standing;
  const first = merged?.winner_side ?? null;
  const then = lean_side === null ? "favoured nobody clearly" : `leaned to ${names[lean_side]}`;
  if (first === null) return `judge ${judge} ${then} ${WITHHELD}; no winner is named`;
  if (second === "unheard")
    return `judge ${judge} favoured ${names[first]} ${BOTH}, whose words are suspected and could not be left out; no winner is named`;
  const said = second === "unread" ? "gave no usable answer" : then;
  return `judge ${judge} favoured ${names[first]} ${BOTH}, but ${said} ${WITHHELD}; no winner is named`;
}

function outweighed({ standing, judge, names }: Account): string {
  const { winner_side, judge_side } = standing;
  const other =
    judge_side === null ? "whose scores alone name no winner" : `which favoured ${names[judge_side]} ${BOTH}`;
  return `the measured criteria favoured ${pair(names, winner_side)} and outweigh judge ${judge}, ${other}`;
}

function conflict({ gates, names, judge, model_asked }: Account): string {
  const [checks, scores] = (gates.probe_gap ?? 0) > 0 ? [names.a, names.b] : [names.b, names.a];
  const who = model_asked ? `judge ${judge}` : "the measured criteria";
  return `${who} favoured ${scores} while the hidden checks speak clearly for ${checks}; no winner is named, a person should look`;
}

function judged(account: Account): string {
  const { standing, judge, names, flags } = account;
  const { outcome, winner_side, lean_side } = standing;
  switch (outcome) {
    case "winner":
      return `${voice(account)} favoured ${pair(names, winner_side)} ${BOTH}${doubt(account)}`;
    case "tie":
      return `${voice(account)} put ${names.a} and ${names.b} within the tie margin ${BOTH}`;
    case "inconsistent":
      return `judge ${judge} favoured whichever run was shown ${(standing.merged?.position_pull ?? 0) > 0 ? "first" : "second"}; no preference can be stated`;
    case "invalid":
      return flags.includes("judge_context_too_small")
        ? `the evidence does not fit the context of judge ${judge}; this is not a tie`
        : `judge ${judge} gave no usable answer in at least one presentation order; this is not a tie`;
    case "inconclusive":
      return lean_side === null ? "no scored criterion carries weight; no winner is named" : lean(account, lean_side);
  }
}

const pair = (names: Account["names"], side: Side | null) =>
  side === "b" ? `${names.b} over ${names.a}` : `${names.a} over ${names.b}`;

function voice({ judge, measured, flags }: Account): string {
  if (measured) return `the scores of judge ${judge} together with the measured criteria`;
  return flags.includes("score_preference_conflict") ? `the scores of judge ${judge}` : `judge ${judge}`;
}

function doubt({ flags }: Account): string {
  const doubts = [
    ...(flags.includes("score_preference_conflict") ? ["against the preference that it stated"] : []),
    ...(flags.includes("unconfirmed") ? [`but named no winner ${WITHHELD}`] : []),
  ];
  return doubts.map((one) => `, ${one}`).join("");
}

function lean(account: Account, side: Side): string {
  const { standing, names } = account;
  return standing.merged?.outcome === "winner"
    ? `${voice(account)} leaned to ${names[side]} ${BOTH}; no winner is named`
    : `${voice(account)} favoured ${names[side]} in one presentation order and nobody in the other; no winner is named`;
}

function measured({ standing, names, flags }: Account): string {
  const { outcome, winner_side, lean_side, score_a, score_b } = standing;
  const numbers = `(${fixed(score_a)} against ${fixed(score_b)} for ${names.a} and ${names.b})`;
  if (outcome === "winner")
    return `${nobody(flags)}; the measured criteria favour ${pair(names, winner_side)} ${numbers}`;
  if (outcome === "tie") return `${nobody(flags)}; the measured criteria are within the tie margin ${numbers}`;
  if (lean_side !== null) return `${nobody(flags)}; the measured criteria lean to ${names[lean_side]} ${numbers}`;
  return `${nobody(flags)}, and neither a gate nor a measured criterion decides; no winner is named`;
}

/** Why there was no judge. */
const nobody = (flags: Account["flags"]) =>
  flags.includes("cost_limit_reached") ? "the cost limit left nothing for the judge" : "no model judged";

const fixed = (score: number | null) => (score === null ? "unknown" : score.toFixed(2));

function scope(account: Account): string {
  const { facts, names } = account;
  const limit = [...costEnds(account), "one run per arm says nothing about how often this would happen."].join("; ");
  if (!facts.a.probe || !facts.b.probe) return `no hidden check ran on both arms; ${limit}`;
  const count = ({ probe }: Verdict["facts"]["a"]) => `${probe?.passed ?? 0}/${probe?.total ?? 0}`;
  return `hidden checks passed: ${names.a} ${count(facts.a)}, ${names.b} ${count(facts.b)}; ${limit}`;
}

/** The arms that a cost limit ended. */
export const costLimited = (facts: Verdict["facts"]): readonly Side[] =>
  SIDES.filter((side) => facts[side].stop_reason === "budget:cost_usd");

const costEnds = ({ facts, names, turns }: Account) =>
  costLimited(facts).map(
    (side) => `a cost limit ended ${names[side]} after ${turns[side]} ${turns[side] === 1 ? "turn" : "turns"}`,
  );
