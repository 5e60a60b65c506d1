import { whyDisqualified } from "../../../domain/disqualification.ts";
import { percentText } from "../../../domain/number-text.ts";
import type { Flag, Side, Verdict } from "../../../domain/verdict.ts";
import { undecidedChecksText } from "../../../domain/verdict-text.ts";
import type { ScoredOutcome } from "../decide.ts";
import type { Gates } from "../facts.ts";
import {
  type HeardJudge,
  panelDivided,
  panelInvalid,
  panelOverturned,
  panelUndecided,
  panelWinner,
} from "./panel-statement.ts";
import { type ScopeInput, scopeOf } from "./scope.ts";

/** Everything a statement may speak of. */
export interface StatementInput extends ScopeInput {
  readonly kind: Verdict["kind"];
  /** It names the row of its inputs, too. */
  readonly scenario: string;
  readonly judge: string;
  readonly scored: ScoredOutcome;
  readonly gates: Gates;
  /** Required hidden checks failed, of all required; null without a probe. */
  readonly required: Readonly<Record<Side, { readonly failed: number; readonly total: number } | null>>;
  readonly flags: readonly Flag[];
  readonly model_asked: boolean;
  /** The judges of a panel; undefined: one judge, or none. */
  readonly panel?: readonly HeardJudge[] | undefined;
  /** Some criterion with weight was measured by code. */
  readonly measured: boolean;
}

/**
 * Two plain sentences made from templates: what one run per arm showed and what decided, then what limits the finding.
 * They never say that an arm is the stronger one.
 */
export function statementOf(input: StatementInput): { readonly statement: string; readonly scope: string } {
  const limits = capitalised(scopeOf(input, failedJudge(input)));
  return { statement: `${capitalised(finding(input))} ${limits}`, scope: limits };
}

const capitalised = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** How a gate decided; null when none did. */
export function gateFinding(input: StatementInput): string | null {
  const { gates, names, facts } = input;
  if (gates.no_winner === "both_disqualified")
    return `${disqualified(names.a, facts.a)}; ${disqualified(names.b, facts.b)}; no winner is named`;
  if (gates.winner_side === null) return null;
  const [winner, loser]: readonly [Side, Side] = gates.winner_side === "a" ? ["a", "b"] : ["b", "a"];
  if (gates.reason === "disqualified") return `${disqualified(names[loser], facts[loser])}; ${names[winner]} was not`;
  if (gates.reason === "required_checks") return requiredFinding(input, [winner, loser]);
  const passed = `${names[winner]} passed hidden checks worth ${percent(facts[winner])} of the weight, ${names[loser]} ${percent(facts[loser])}`;
  return gates.no_winner ? `neither arm passed the required hidden checks; ${passed}; no winner is named` : passed;
}

/** A check that did not come to its end has failed nothing. */
function requiredFinding({ names, required, stopped }: StatementInput, [winner, loser]: readonly [Side, Side]): string {
  const { failed, total } = required[loser] ?? { failed: 0, total: 0 };
  const of = `${failed} of ${total} required hidden checks`;
  return stopped[loser].length > 0
    ? `${names[loser]} did not pass ${of}, ${names[winner]} passed all`
    : `${names[loser]} failed ${of}, ${names[winner]} passed all`;
}

function disqualified(name: string, { violations }: Verdict["facts"]["a"]): string {
  const why = whyDisqualified(violations).join(" and ");
  return `${name} was disqualified${why && `: ${why}`}`;
}

const percent = ({ probe }: Verdict["facts"]["a"]) => percentText(probe?.score ?? 0);

function finding(input: StatementInput): string {
  if (input.gates.no_winner === "both_crashed")
    return `in ${runs(input)}, the agents of both arms crashed; no winner is named.`;
  const unchecked = undecidedChecksText(input.facts.a, input.facts.b);
  if (unchecked !== null) return `in ${runs(input)}, ${unchecked}; nothing was judged, and this is not a tie.`;
  const gate = gateFinding(input);
  const equal = [
    ...(input.flags.includes("no_contrast")
      ? ["the arms are set up the same, so that any difference is chance; "]
      : []),
    ...(input.flags.includes("equal_work") ? ["both arms left the same work; "] : []),
  ].join("");
  if (gate === null || input.scored.decided_by === "none") return `in ${runs(input)}, ${equal}${opinion(input)}.`;
  return `in ${runs(input)}, ${equal}${gate}; decided by ${input.gates.decided_by === "gate" ? "the rules" : "the checks"}, ${judgesPart(input)}.`;
}

function judgesPart(input: StatementInput): string {
  const { model_asked, flags, scored, names } = input;
  const { judge_side, winner_side } = scored;
  if (!model_asked) return nobody(flags);
  if (judge_side !== null && winner_side !== null && judge_side !== winner_side)
    return `against ${who(input)}, which favoured ${names[judge_side]} ${BOTH}`;
  if (input.panel)
    return scored.merged?.outcome === "invalid"
      ? "and fewer than 2 judges of the panel gave a usable answer"
      : "not by the panel";
  return flags.includes("judge_invalid")
    ? "and the judge gave no usable answer in at least one presentation order"
    : "not by the judge";
}

/** Names the judge or the panel in the middle of a sentence. */
const who = ({ judge, panel }: StatementInput) => (panel ? panelTitle(panel) : `judge ${judge}`);

/** Names a panel in a sentence where a single judge would be named. */
const panelTitle = (members: readonly HeardJudge[]): string => `the panel of ${members.length} judges`;

const failedJudge = (input: StatementInput) => (input.flags.includes("judge_failed_self_test") ? who(input) : null);

/** The same where measured criteria may have decided what it is said to have found. */
const scoresOf = (input: StatementInput) =>
  input.measured ? `the scores of ${who(input)} together with the measured criteria` : who(input);

function runs({ kind, scenario }: StatementInput): string {
  return kind === "cross_session" ? `these two runs of ${scenario}` : `this one run of ${scenario}`;
}

function opinion(input: StatementInput): string {
  const { scored, gates, model_asked } = input;
  const unsolved = gates.no_winner === "neither_solved" ? "neither arm passed the required hidden checks; " : "";
  if (isOverturned(scored)) return unsolved + overturned(input);
  if (scored.probe_conflict) return conflict(input);
  if (scored.outcome === "winner" && scored.decided_by === "measured" && model_asked) return outweighed(input);
  return unsolved + (model_asked ? judged(input) : measured(input));
}

/** The masked repetition took the first one's winner or lean away. */
const isOverturned = ({ second, merged }: ScoredOutcome) =>
  second === "overturns" || second === "not_held" || (second === "unusable" && Boolean(merged?.winner_side));

const BOTH = "in both presentation orders";
const WITHHELD = "when the arms' own words were withheld";

function overturned(input: StatementInput): string {
  const { scored, names } = input;
  if (input.panel) return panelOverturned({ members: input.panel, names, measured: input.measured });
  const { second, merged, lean_side } = scored;
  const first = merged?.winner_side ?? null;
  const then = lean_side === null ? "favoured neither arm clearly" : `leaned to ${names[lean_side]}`;
  if (first === null) return `${scoresOf(input)} ${then} ${WITHHELD}; no winner is named`;
  if (second === "not_held")
    return `${scoresOf(input)} favoured ${names[first]} ${BOTH}; the words of ${names[first]} are suspected, and the judge could not be asked again without them; no winner is named`;
  const said = second === "unusable" ? "not every answer was usable" : then;
  return `${scoresOf(input)} favoured ${names[first]} ${BOTH}, but ${said} ${WITHHELD}; no winner is named`;
}

function outweighed(input: StatementInput): string {
  const { scored, names } = input;
  const { winner_side, judge_side } = scored;
  const other =
    judge_side === null ? "whose scores alone name no winner" : `which favoured ${names[judge_side]} ${BOTH}`;
  return `the measured criteria favoured ${pair(names, winner_side)} and outweigh ${who(input)}, ${other}`;
}

function conflict(input: StatementInput): string {
  const { gates, names, model_asked, scored } = input;
  const [checks, scores]: readonly [Side, Side] = (gates.probe_gap ?? 0) > 0 ? ["a", "b"] : ["b", "a"];
  const judging = scored.judge_side === scores ? who(input) : scoresOf(input);
  return `${model_asked ? judging : "the measured criteria"} favoured ${names[scores]} while the hidden checks clearly favour ${names[checks]}; no winner is named, and a person should look`;
}

function judged(input: StatementInput): string {
  return input.panel ? judgedByPanel(input, input.panel) : judgedByOne(input);
}

function judgedByPanel(input: StatementInput, members: readonly HeardJudge[]): string {
  const { scored, names, measured } = input;
  const { outcome, winner_side } = scored;
  const words = { members, names, measured };
  if (outcome === "invalid") return panelInvalid(words);
  if (outcome === "tie" || outcome === "inconsistent") return panelUndecided(words, outcome);
  if (outcome === "winner" && winner_side !== null) return `${panelWinner(words, winner_side)}${panelDoubt(input)}`;
  return panelDivided(words);
}

function judgedByOne(input: StatementInput): string {
  const { scored, judge, names, flags } = input;
  const { outcome, winner_side, lean_side } = scored;
  switch (outcome) {
    case "winner":
      return `${voice(input)} favoured ${pair(names, winner_side)} ${BOTH}${doubt(input)}`;
    case "tie":
      return `${voice(input)} put ${names.a} and ${names.b} within the tie margin ${BOTH}`;
    case "inconsistent":
      return `judge ${judge} favoured whichever run was shown ${(scored.merged?.position_pull ?? 0) > 0 ? "first" : "second"}; no preference can be stated`;
    case "invalid":
      return flags.includes("judge_context_too_small")
        ? `the evidence does not fit the context of judge ${judge}; this is not a tie`
        : `judge ${judge} gave no usable answer in at least one presentation order; this is not a tie`;
    case "inconclusive":
      return lean_side === null ? "no scored criterion carries weight; no winner is named" : lean(input, lean_side);
  }
}

const pair = (names: StatementInput["names"], side: Side | null) =>
  side === "b" ? `${names.b} over ${names.a}` : `${names.a} over ${names.b}`;

function voice(input: StatementInput): string {
  const byScores = !input.measured && input.flags.includes("score_preference_conflict");
  return byScores ? `the scores of ${who(input)}` : scoresOf(input);
}

const panelDoubt = ({ flags }: StatementInput) =>
  flags.includes("score_preference_conflict") ? ", against a preference that one of them stated" : "";

function doubt({ flags }: StatementInput): string {
  const doubts = [
    ...(flags.includes("score_preference_conflict") ? ["against the preference that it stated"] : []),
    ...(flags.includes("unconfirmed") ? [`but named no winner ${WITHHELD}`] : []),
  ];
  return doubts.map((one) => `, ${one}`).join("");
}

function lean(input: StatementInput, side: Side): string {
  const { scored, names } = input;
  return scored.merged?.outcome === "winner"
    ? `${voice(input)} leaned to ${names[side]} ${BOTH}; no winner is named`
    : `${voice(input)} favoured ${names[side]} in one presentation order and neither arm in the other; no winner is named`;
}

function measured({ scored, names, flags }: StatementInput): string {
  const { outcome, winner_side, lean_side, score_a, score_b } = scored;
  const numbers = `(${fixed(score_a)} against ${fixed(score_b)} for ${names.a} and ${names.b})`;
  if (outcome === "winner")
    return `${nobody(flags)}; the measured criteria favour ${pair(names, winner_side)} ${numbers}`;
  if (outcome === "tie") return `${nobody(flags)}; the measured criteria are within the tie margin ${numbers}`;
  if (lean_side !== null) return `${nobody(flags)}; the measured criteria lean to ${names[lean_side]} ${numbers}`;
  return `${nobody(flags)}, and neither a gate nor a measured criterion decides; no winner is named`;
}

/** Why there was no judge. */
const nobody = (flags: StatementInput["flags"]) =>
  flags.includes("cost_limit_reached") ? "the cost limit left nothing for the judge" : "no model judged";

const fixed = (score: number | null) => (score === null ? "unknown" : score.toFixed(2));
