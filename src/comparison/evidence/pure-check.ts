import { type CallRecord, countCalls } from "../../arms/policy/review.ts";
import type { Decision } from "../../domain/decision.ts";
import { ANSWER_CHARS } from "../../domain/defaults.ts";
import type { Changes, CheckResult } from "../../domain/evidence.ts";
import { globMatcher } from "../../domain/path-glob.ts";
import { regexOf } from "../../domain/regex-of.ts";
import type { ScenarioInput } from "../../domain/scenario.ts";
import type { CalledCheck, ChangedCheck, ProbeCheck } from "../../domain/task.ts";
import type { Bounded } from "../../runtime/bounded.ts";
import { readBoundedJson } from "../../runtime/bounded-json.ts";
import { findPattern } from "../../runtime/pattern.ts";
import { fitAnswer, type JsonSchema } from "./answer-schema.ts";

/** What an arm left besides its workspace. */
export interface Left {
  /** All that it answered. */
  readonly answer: string | null;
  /** What `answer_json` is about in a conversation: answers side by side are no JSON. Absent: there is one. */
  readonly last_answer?: string | null | undefined;
  readonly calls: readonly CallRecord[];
  readonly changes: Changes;
}

/** What a check may read of an arm, besides the copy of its workspace. */
export interface Readable {
  readonly answer: string | null;
  readonly decisions: readonly Decision[];
  readonly changes: Changes;
  /** The row of the scenario's inputs; absent without one. */
  readonly input?: ScenarioInput | undefined;
}

export interface CheckFinding {
  readonly status: CheckResult["status"];
  /** Null when it passed. In our words and the author's: none of the arm's. */
  readonly reason: string | null;
  /** Why no result counts, as the field of that name in a stored result says it. */
  readonly could_not_run?: string;
}

/** What a check that is no command finds. It needs no sandbox. @throws the signal's reason when it fires */
export async function pureCheck(
  check: ProbeCheck,
  { answer, last_answer, calls, changes }: Left,
  signal: AbortSignal,
): Promise<CheckFinding> {
  if (check.called) return found(await whyNotCalled(check.called, calls));
  if (check.changed) return whetherChanged(check.changed, changes);
  const text = answer ?? "";
  if (text.length > ANSWER_CHARS)
    return { status: "error", reason: `the answer has ${text.length} characters, at most ${ANSWER_CHARS} are checked` };
  if (check.answer_json !== undefined) return await whetherJson(check.answer_json, last_answer ?? text, signal);
  const missed = whyNotAnswered(check, text);
  if (missed !== null || check.answer_matches === undefined) return found(missed);
  return await whetherMatches(check.answer_matches, text, signal);
}

/** `/regex/` or literal text, looked for anywhere in the answer. */
async function whetherMatches(pattern: string, answer: string, signal: AbortSignal): Promise<CheckFinding> {
  const shown = patternText(pattern);
  const sought = await findText(pattern, answer, signal);
  if ("value" in sought) return found(sought.value ? null : `the answer does not contain ${shown}`);
  return notChecked(`looking for ${shown} in the answer`, sought);
}

/** What nobody can say. An arm is held to what is over a limit, and not to what a busy machine did. */
export function notChecked(what: string, why: Exclude<Bounded<never>, { readonly value: never }>): CheckFinding {
  const words = `${what} ${"over" in why ? why.over : why.late}`;
  const reason = `could not be checked: ${words}`;
  return { status: "error", reason, ...("late" in why && { could_not_run: words }) };
}

const found = (reason: string | null): CheckFinding => ({ status: reason === null ? "pass" : "fail", reason });

function whyNotAnswered(check: ProbeCheck, answer: string): string | null {
  const { answer_contains = [], answer_lacks = [], ignore_case } = check;
  const plain = (text: string) => (ignore_case ? text.toLowerCase() : text);
  const has = (text: string) => plain(answer).includes(plain(text));
  const missing = answer_contains.find((text) => !has(text));
  if (missing !== undefined) return `the answer does not contain "${missing}"`;
  const present = answer_lacks.find(has);
  return present === undefined ? null : `the answer contains "${present}"`;
}

/** A literal text in quotes; a regex has its slashes. */
export const patternText = (pattern: string) => (regexOf(pattern) === null ? `"${pattern}"` : pattern);

/** Looks for `/regex/` or a literal text anywhere. @throws the signal's reason when it fires */
export async function findText(pattern: string, text: string, signal: AbortSignal): Promise<Bounded<boolean>> {
  const source = regexOf(pattern);
  return source === null ? { value: text.includes(pattern) } : await findPattern({ source, text }, signal);
}

/** A schema may compare and branch, so that each value counts for several. */
const JSON_LIMITS = { bytes: 4 * ANSWER_CHARS, values: 20_000, levels: 64 };

async function whetherJson(schema: true | JsonSchema, answer: string, signal: AbortSignal): Promise<CheckFinding> {
  const json = jsonIn(answer);
  if (json === undefined) return found("the answer is no JSON, and has no fenced block of its own");
  const read = readBoundedJson(Buffer.from(json), JSON_LIMITS);
  if ("fault" in read) return found(`the answer is ${read.fault}`);
  if (schema === true) return found(null);
  const said = await fitAnswer(schema, read.value, signal);
  if (!("value" in said)) return notChecked("comparing the answer with the schema", said);
  if ("unusable" in said.value)
    return { status: "error", reason: `the schema is none that can be used: ${said.value.unusable}` };
  return found("fits" in said.value ? null : `the answer does not fit the schema: ${said.value.fault}`);
}

/** The answer itself, or what stands in its one fenced block. */
function jsonIn(answer: string): string | undefined {
  const fences = [...answer.matchAll(/^[ \t]{0,3}```.*$/gm)].slice(0, 3);
  const [opening, closing] = fences;
  if (opening === undefined) return answer;
  if (closing === undefined || fences.length > 2) return undefined;
  return answer.slice(opening.index + opening[0].length, closing.index);
}

async function whyNotCalled(called: CalledCheck, calls: readonly CallRecord[]) {
  const { tool, match } = called;
  return outside(await countCalls(called, calls), called, `calls of ${tool}${match === null ? "" : ` ${match}`} ran`);
}

function whetherChanged({ paths, min, max }: ChangedCheck, { files, unknown }: Changes): CheckFinding {
  if (unknown != null) return { status: "error", reason: `the changes are not known: ${unknown}` };
  const fits = globMatcher(paths);
  return found(outside(files.filter(({ path }) => fits(path)).length, { min, max }, "files that fit were changed"));
}

function outside(
  count: number,
  { min, max }: { readonly min: number; readonly max?: number | undefined },
  what: string,
) {
  if (count < min) return `${count} ${what}, at least ${min} are expected`;
  return max !== undefined && count > max ? `${count} ${what}, at most ${max} are expected` : null;
}
