import type { Contest } from "../../../src/domain/contest.ts";
import type { Series } from "../../../src/domain/series.ts";

/** What is asked, and what checks look up, by column. It is JSON. Without an `id` a row is known by its number. */
export type Row = object;

/** What one turn of a conversation said. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export interface ArmContext {
  /** Number of the run, from 1. */
  readonly trial: number;
  /** A text that is the same for all arms of a trial. */
  readonly seed: string;
  /** What was asked, as the judge is told it. */
  readonly messages: readonly Message[];
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface Step {
  readonly kind?: "tool_call" | "model_turn" | (string & {});
  readonly name?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly ok?: boolean;
}

export interface Answer {
  /** At most 200,000 characters. */
  readonly answer: string;
  /** What is not said is unknown, not 0. */
  readonly usage?: { readonly tokens_in?: number; readonly tokens_out?: number; readonly cost_usd?: number };
  /** At most 2,000 of what it did. */
  readonly steps?: readonly Step[];
  /** Why it stopped: `refusal`, `length`, `max_tokens`, or any other word. */
  readonly stop?: string;
}

/** What an arm throws, or answers in no such form, is its failure. */
export type Arm<R extends Row = Row> = (row: R, context: ArmContext) => string | Answer | Promise<string | Answer>;

/** `pass`, or a `score` from 0 to 1. */
export type Marked =
  | boolean
  | number
  | { readonly pass: boolean; readonly why?: string }
  | { readonly score: number; readonly why?: string };

/** Asked of each answer that there is. What it throws is no arm's failure: the trial is missing. */
export type Check<R extends Row = Row> = (answer: string, row: R) => Marked | Promise<Marked>;

export interface VersionedArm<R extends Row = Row> {
  readonly run: Arm<R>;
  /** What runs. Stored trials of one version count together. Default: a digest of the function's source, without what it closes over. */
  readonly version?: string;
}

export interface DeclaredCheck<R extends Row = Row> {
  readonly run: Check<R>;
  readonly version?: string;
  /** It gives a number. Default: told by what it returns first. */
  readonly score?: boolean;
  /** The number from which on an answer passes. */
  readonly minScore?: number;
}

/** Columns that arms do not see unless `hide` says other ones. */
export type Hidden = "wanted" | "expected" | "reference" | "answer" | "target" | "label";

export interface SharedOptions {
  /** The arm that the others are compared with. Default: one called baseline, control, previous, before, old, main or current, else the first. */
  readonly control?: string;
  /** Points, 1 to 50. */
  readonly notWorseBy?: number;
  /** Of more than two arms: find the best one. */
  readonly best?: boolean;
  /** Column whose rows count as one, their mean. */
  readonly cluster?: string;
  /** Ends the run; nothing is left running. */
  readonly signal?: AbortSignal;
}

export interface CompareOptions<R extends Row, H extends string = Hidden> extends SharedOptions {
  /** 2 to 8, by name. */
  readonly arms: Readonly<Record<string, Arm<Omit<R, H>> | VersionedArm<Omit<R, H>>>>;
  /** 1 to 500. */
  readonly rows: readonly R[];
  readonly checks?: Readonly<Record<string, Check<R> | DeclaredCheck<R>>>;
  /** For a judge, who sees no arm's name: Is it polite? */
  readonly question?: string;
  /** `provider/model`, several with commas, or `builtin/evidence`. */
  readonly judgeModel?: string;
  /** What the judge is told that was asked, with `{{column}}`. Default: the column prompt, input, question, message or text, else all that arms see. */
  readonly prompt?: string;
  /** Columns that arms do not see. */
  readonly hide?: readonly H[];
  /** Of each row. Default 1; with `stopWhenSure` as many as `abeval run` takes. */
  readonly trials?: number;
  /** Stops as soon as more trials would change nothing. */
  readonly stopWhenSure?: boolean;
  readonly stopAt?: "not_worse" | "better";
  /** Trials at once. */
  readonly parallel?: number;
  /** USD, of arms that tell their cost and of the judge. */
  readonly maxCost?: number;
  /** Seconds for an arm to answer in, and for a check. */
  readonly maxSeconds?: number;
  /** Where trials are kept. Later ones of the same versions count with them. */
  readonly stateDir?: string;
  /** Name of what is compared. Default `functions`. */
  readonly name?: string;
}

/** Results that were made elsewhere: one row for each arm, scenario and trial. */
export interface ResultRow {
  readonly scenario: string;
  readonly trial: number;
  readonly arm: string;
  readonly passed?: boolean | null;
  readonly score?: number | null;
  readonly [column: string]: unknown;
}

export interface ResultsOptions extends SharedOptions {
  /** Which arms of the table. */
  readonly arms?: readonly string[];
  /** Scores that differ by at most this say that neither is better. */
  readonly tieMargin?: number;
}

/** A function that threw, returned what cannot be used, or did not end in time. */
export interface FunctionFailure {
  /** Either this, or `check`. */
  readonly arm?: string;
  readonly check?: string;
  /** Id of the row. */
  readonly row?: string;
  /** Absent of a check. */
  readonly trial?: number;
  readonly message: string;
  readonly error: unknown;
}

/** What was found. */
export interface Comparison {
  /** The whole document; `kind` tells a contest of more than two arms. */
  readonly series: Series | Contest;
  /** Of two arms: the measure of the candidate against the control. Null while no trial counts, and of more arms. */
  readonly result: Series["result"];
  /** By arm: `better`, `not_worse`, or null, with which nothing may pass. */
  readonly gate: Series["gate"];
  /** The answer in one line. */
  readonly firstLine: string;
  /** The answer in at most six lines, the first among them, and one for each function that failed. */
  readonly lines: readonly string[];
  /** Of your functions, the first 1,000. */
  readonly failures: readonly FunctionFailure[];
  /** A page that needs no server. */
  html(): string;
  /** All lines. */
  toString(): string;
  /** The document. */
  toJSON(): Series | Contest;
}

/** Compares functions. @throws Error with the words of abeval when nothing could be compared; the signal's reason */
export type Compare = <R extends Row, H extends string = Hidden>(options: CompareOptions<R, H>) => Promise<Comparison>;

/** Compares results that were made elsewhere. @throws as `compare` */
export type Results = (rows: readonly ResultRow[], options?: ResultsOptions) => Promise<Comparison>;

/** What vitest, Jest and bun test read of a matcher. */
export type Matcher = (given: unknown, arm: string) => { readonly pass: boolean; message(): string };

/** For `interface Matchers` of a test runner. */
export interface AbevalMatchers<R = void> {
  /** The gate lets the arm pass. */
  toBeNotWorse(arm: string): R;
  /** The arm is shown to be better. */
  toBeBetter(arm: string): R;
}
