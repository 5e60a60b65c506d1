import { judgesOwn } from "../../../comparison/judge/decide.ts";
import { percentText } from "../../../domain/number-text.ts";
import { agreementOf, choiceOn, findingOf, NO_VOTES, withVote } from "../../../domain/people-agreement.ts";
import type { Side, Verdict } from "../../../domain/verdict.ts";
import type { PeopleAgreement, Vote } from "../../../domain/vote.ts";
import { count, countOf } from "../format.ts";
import type { Comparison } from "./comparison.ts";

/** How often people agree with one judge on these two arms. */
interface JudgeAgreement {
  readonly judge: Verdict["judge"];
  readonly agreement: PeopleAgreement;
}

/** The agreement with people of each judge of these arms, by its first verdict on them. */
export function agreementsOn(comparison: Comparison, votes: readonly Vote[]): readonly JudgeAgreement[] {
  const first = new Map<string, Verdict>();
  for (const verdict of comparison.history) {
    const { model, protocol, prompt_digest } = verdict.judge;
    const judge = JSON.stringify([model, protocol, prompt_digest]);
    if (!first.has(judge)) first.set(judge, verdict);
  }
  return [...first.values()].map((verdict) => ({
    judge: verdict.judge,
    agreement: agreementOf(
      votesOn(verdict, votes).reduce((counts, vote) => withVote(counts, vote, found(verdict, comparison)), NO_VOTES),
    ),
  }));
}

/** Votes on the arms of the verdict, with its sides. */
export const votesOn = (verdict: Verdict, votes: readonly Vote[]): readonly Vote[] =>
  votes.flatMap((vote) => {
    const choice = choiceOn(vote, verdict);
    return choice === undefined ? [] : [{ ...vote, choice }];
  });

/** What a verdict found. Without a model, rules and hidden checks are the judge. */
function found(verdict: Verdict, { a, b }: Comparison): Side | "tie" | null {
  if (verdict.calls.length === 0) return findingOf(verdict);
  const { session } = verdict.arm_a.session_id === b.session.session_id ? b : a;
  return findingOf(judgesOwn(verdict, session.definition.rubric.tie_margin));
}

/** `3 of 4 blind votes (30% to 95%), …` */
export function peopleText({ agree, opposed, one_tie, abstained, not_blind, low, high }: PeopleAgreement): string {
  const compared = agree + opposed + one_tie;
  const range = low === null || high === null ? "" : ` (${percentText(low)} to ${percentText(high)})`;
  const parts = [
    ...(compared > 0 ? [`${count(agree)} of ${countOf(compared, "blind vote")}${range}`] : []),
    ...(one_tie > 0 ? [`${count(one_tie)} where one of the two says tie`] : []),
    ...(abstained > 0 ? [`${countOf(abstained, "vote")} where the judge found nothing`] : []),
    ...(not_blind > 0 ? [`${countOf(not_blind, "vote")} not blind, left out`] : []),
  ];
  return parts.join("; ") || "no votes";
}
