import type { PanelMember, Side } from "../../../domain/verdict.ts";
import type { MaskedRepetition } from "../asking/masked-repetition.ts";
import type { Opinion } from "../opinion.ts";
import { type JudgeFinding, signOf } from "../panel-votes.ts";

/** What one judge of a panel found, in its first hearing and in the end. */
export interface HeardJudge extends Pick<PanelMember, "outcome" | "vote"> {
  readonly first: PanelMember["vote"];
  readonly second: MaskedRepetition;
}

export const voteOf = ({ outcome, winner_side }: JudgeFinding): PanelMember["vote"] =>
  outcome === "invalid" ? null : signOf(winner_side);

export const heardJudge = (opinion: Opinion): HeardJudge => ({
  outcome: opinion.outcome,
  vote: voteOf(opinion),
  first: opinion.merged && voteOf(opinion.merged),
  second: opinion.second,
});

/** What a statement says of a panel. */
interface PanelWords {
  readonly members: readonly HeardJudge[];
  readonly names: Readonly<Record<Side, string>>;
  /** Criteria measured by code count beside the judges' scores. */
  readonly measured: boolean;
}

const BOTH = "in both presentation orders";
const WITHHELD = "when the arms' own words were withheld";

/** How a panel came to this winner: `2 of 3 judges favoured x over y in both presentation orders, 1 neither`. */
export function panelWinner(words: PanelWords, side: Side): string {
  const { members, names } = words;
  const rest = votes(words, ({ vote }) => vote).filter(({ vote }) => vote !== voteFor(side));
  const voters = members.filter(({ vote }) => vote === voteFor(side));
  const unconfirmed = voters.filter(({ second }) => second === "unconfirmed").length;
  const doubt = unconfirmed === 0 ? [] : [`but ${unconfirmed} of the ${voters.length} named no winner ${WITHHELD}`];
  const pair = side === "a" ? `${names.a} over ${names.b}` : `${names.b} over ${names.a}`;
  const own = `${share(voters.length, members)} favoured ${pair} ${BOTH}`;
  return [withMeasures(own, words), ...rest.map(({ text }) => text), ...doubt].join(", ");
}

/** Most of the panel found this, and nobody voted. */
export function panelUndecided(words: PanelWords, outcome: "tie" | "inconsistent"): string {
  const { members, names } = words;
  const own = share(members.filter((member) => member.outcome === outcome).length, members);
  return outcome === "tie"
    ? withMeasures(`${own} put ${names.a} and ${names.b} within the tie margin ${BOTH}`, words)
    : `${own} favoured another run when the order of presentation changed; no preference can be stated`;
}

/** The panel agrees on nobody. */
export const panelDivided = (words: PanelWords): string =>
  `${withMeasures(
    `of ${words.members.length} judges, ${votesText(words, ({ vote }) => vote)}`,
    words,
  )}; no winner is named`;

/** The votes of the first hearings, and those that are left of them. */
export function panelOverturned(words: PanelWords): string {
  const before = `of ${words.members.length} judges, ${votesText(words, ({ first }) => first)} ${BOTH}`;
  return `${withMeasures(before, words)}; counting what stands without the arms' own words, ${votesText(words, lastVote)}; no winner is named`;
}

type Vote = PanelMember["vote"] | "not_held";

/** A judge whose masked repetition failed is not one that favours neither. */
function lastVote({ vote, second }: HeardJudge): Vote {
  if (second === "not_held") return second;
  return second === "unusable" && vote === 0 ? null : vote;
}

export const panelInvalid = ({ members }: PanelWords): string =>
  `${share(members.filter(({ vote }) => vote !== null).length, members)} gave a usable answer ${BOTH}, and a panel needs 2; this is not a tie`;

const voteFor = (side: Side) => (side === "a" ? 1 : -1);

const share = (count: number, { length }: readonly HeardJudge[]) => `${count} of ${length} judges`;

const withMeasures = (text: string, { measured }: PanelWords) =>
  measured ? `${text} (scores together with the measured criteria)` : text;

const votesText = (words: PanelWords, voteOf: (judge: HeardJudge) => Vote) =>
  votes(words, voteOf)
    .map(({ text }) => text)
    .join(", ");

/** The kinds of votes that were cast. */
function votes({ members, names }: PanelWords, voteOf: (judge: HeardJudge) => Vote) {
  const kinds = [
    { vote: 1, text: `favoured ${names.a}` },
    { vote: -1, text: `favoured ${names.b}` },
    { vote: 0, text: "favoured neither clearly" },
    { vote: null, text: "gave no usable answer" },
    { vote: "not_held", text: "could not be asked without them" },
  ] as const;
  return kinds.flatMap(({ vote, text }) => {
    const count = members.filter((member) => voteOf(member) === vote).length;
    return count === 0 ? [] : [{ vote, text: `${count} ${text}` }];
  });
}
