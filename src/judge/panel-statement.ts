import type { PanelMember, Side } from "../domain/verdict.ts";

/** What a statement says of a panel. */
export interface PanelWords {
  readonly members: readonly PanelMember[];
  readonly names: Readonly<Record<Side, string>>;
  /** Criteria measured by code count beside the judges' scores. */
  readonly measured: boolean;
}

const BOTH = "in both presentation orders";

/** For a sentence in which a single judge would be named. */
export const panelTitle = (members: readonly PanelMember[]): string => `the panel of ${members.length} judges`;

/** How a panel came to this winner: `2 of 3 judges favoured x over y in both presentation orders, 1 neither`. */
export function panelWinner(words: PanelWords, side: Side): string {
  const { members, names } = words;
  const rest = votes(words).filter(({ vote }) => vote !== voteFor(side));
  const pair = side === "a" ? `${names.a} over ${names.b}` : `${names.b} over ${names.a}`;
  const own = `${share(members.filter(({ vote }) => vote === voteFor(side)).length, members)} favoured ${pair} ${BOTH}`;
  return [withMeasures(own, words), ...rest.map(({ text }) => text)].join(", ");
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
    `of ${words.members.length} judges, ${votes(words)
      .map(({ text }) => text)
      .join(", ")}`,
    words,
  )}; no winner is named`;

export const panelInvalid = ({ members }: PanelWords): string =>
  `${share(members.filter(({ vote }) => vote !== null).length, members)} gave a usable answer ${BOTH}, and a panel needs 2; this is not a tie`;

const voteFor = (side: Side) => (side === "a" ? 1 : -1);

const share = (count: number, { length }: readonly PanelMember[]) => `${count} of ${length} judges`;

const withMeasures = (text: string, { measured }: PanelWords) =>
  measured ? `${text} (scores together with the measured criteria)` : text;

/** The kinds of votes that were cast, the most frequent first where two arms are favoured. */
function votes({
  members,
  names,
}: PanelWords): readonly { readonly vote: PanelMember["vote"]; readonly text: string }[] {
  const kinds = [
    { vote: 1, text: `favoured ${names.a}` },
    { vote: -1, text: `favoured ${names.b}` },
    { vote: 0, text: "favoured neither clearly" },
    { vote: null, text: "gave no usable answer" },
  ] as const;
  return kinds.flatMap(({ vote, text }) => {
    const count = members.filter((member) => member.vote === vote).length;
    return count === 0 ? [] : [{ vote, text: `${count} ${text}` }];
  });
}
