/** A scenario, or one row of its inputs: what a round of a series runs once. */
export interface Member {
  readonly scenario: string;
  readonly input?: string | undefined;
}

/** `<scenario>` or `<scenario>[<input>]`: no two members have the same. */
export const memberName = ({ scenario, input }: Member): string =>
  input === undefined ? scenario : `${scenario}[${input}]`;

/** An object to spread: it names the row, and is empty where there is none. */
export const withInputId = (input: string | undefined): { readonly input?: string } =>
  input === undefined ? {} : { input };

/** What the members of a series are called: rows where all are rows of a table of inputs, else scenarios. */
export const memberWord = (members: readonly Pick<Member, "input">[]): "row" | "scenario" =>
  members.length > 0 && members.every(({ input }) => input !== undefined) ? "row" : "scenario";
