/** A scenario, or one row of its inputs: what a round of a series runs once. */
export interface Member {
  readonly scenario: string;
  readonly input?: string | undefined;
}

/** What a member is found by: a scenario's bare name is none, since every row of its inputs has it. */
export type MemberKey = string & { readonly [key]: true };

declare const key: unique symbol;

/** `<scenario>` or `<scenario>[<input>]`: no two members have the same. */
export const memberName = ({ scenario, input }: Member): MemberKey =>
  (input === undefined ? scenario : `${scenario}[${input}]`) as MemberKey; // made here alone

/** An object to spread: it names the row, and is empty where there is none. */
export const withInputId = (input: string | undefined): { readonly input?: string } =>
  input === undefined ? {} : { input };

/** What the members of a series are called: rows where all are rows of a table of inputs, else scenarios. */
export const memberWord = (members: readonly Pick<Member, "input">[]): "row" | "scenario" =>
  members.length > 0 && members.every(({ input }) => input !== undefined) ? "row" : "scenario";
