import { wilson } from "./binomial.ts";
import type { ArmPointer, Verdict } from "./verdict.ts";
import type { PeopleAgreement, Vote } from "./vote.ts";

/** Without TypeBox, so that the web UI can load it. */

type Choice = Vote["choice"];

/** How votes compare with what a judge found. */
type VoteCounts = Pick<PeopleAgreement, "agree" | "opposed" | "one_tie" | "abstained" | "not_blind">;

export const NO_VOTES: VoteCounts = { agree: 0, opposed: 0, one_tie: 0, abstained: 0, not_blind: 0 };

/** The counts with one vote more. Its choice has the sides of what the judge found; null: it came to no finding. */
export function withVote(
  counts: VoteCounts,
  { blind, choice }: Pick<Vote, "blind" | "choice">,
  found: Choice | null,
): VoteCounts {
  const kind = blind ? kindOf(choice, found) : "not_blind";
  return { ...counts, [kind]: counts[kind] + 1 };
}

function kindOf(chosen: Choice, found: Choice | null): keyof VoteCounts {
  if (found === null) return "abstained";
  if (chosen === found) return "agree";
  return chosen === "tie" || found === "tie" ? "one_tie" : "opposed";
}

export function agreementOf(counts: VoteCounts): PeopleAgreement {
  const compared = counts.agree + counts.opposed + counts.one_tie;
  if (compared === 0) return { ...counts, rate: null, low: null, high: null };
  return { ...counts, rate: counts.agree / compared, ...wilson(counts.agree, compared) };
}

/** Whom a vote prefers, with the sides of the verdict; undefined for a vote on other arms. */
export function choiceOn(vote: Vote, { arm_a, arm_b }: Pick<Verdict, "arm_a" | "arm_b">): Choice | undefined {
  if (isSame(vote.arm_a, arm_a) && isSame(vote.arm_b, arm_b)) return vote.choice;
  if (!isSame(vote.arm_a, arm_b) || !isSame(vote.arm_b, arm_a)) return undefined;
  return vote.choice === "tie" ? "tie" : vote.choice === "a" ? "b" : "a";
}

/** What an outcome says of the arms; null when it says that nothing is known. */
export const findingOf = ({ outcome, winner_side }: Pick<Verdict, "outcome" | "winner_side">): Choice | null =>
  outcome === "tie" ? "tie" : winner_side;

const isSame = (one: ArmPointer, other: ArmPointer) =>
  one.session_id === other.session_id && one.arm_id === other.arm_id;
