import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { asRecord, asText, type LooseRecord, parseJson } from "../../../domain/lenient.ts";
import type { Policies } from "../../../domain/policies.ts";
import type { Effect } from "../../../domain/tool.ts";
import { callText, type DecisionLog } from "../../arm/decision-log.ts";
import type { Meter } from "../../arm/meter.ts";
import type { ArmRun } from "../../arm/run-arm.ts";
import { redactDeep } from "../../model/redaction.ts";
import { ALLOW_RULE, DENY_RULE } from "../../policy/command-rules.ts";
import { type Refusal, refusalOf, refusedPath } from "../../policy/refusal.ts";
import { type CallRecord, heldSubject } from "../../policy/review.ts";
import { type CanonicalCall, canonicalCall, skillOf } from "../../recipe/canonical-call.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import type { WireCall, WireRequest, WireResult } from "../../wire/wire.ts";
import type { AgentDecisions } from "./agent-decisions.ts";
import { type PendingCall, PendingCalls } from "./pending-calls.ts";
import type { OpenTurn, ThreadName } from "./threads.ts";

interface CallParts {
  readonly run: ArmRun;
  readonly agent: Pick<ExternalAgent, "tools">;
  readonly recipe: Recipe;
  readonly meter: Meter;
  readonly log: DecisionLog;
}

/** The calls of an agent. Each is decided about before the agent sees it, and held until its result comes. */
export class AgentCalls {
  readonly made: CallRecord[] = [];
  readonly #parts: CallParts;
  readonly #told: AgentDecisions;
  readonly #pending = new PendingCalls();

  constructor(parts: CallParts, told: AgentDecisions) {
    this.#parts = parts;
    this.#told = told;
  }

  /** Gives the input that is put in its place; null: it may be made. */
  decide(turn: OpenTurn, call: WireCall): object | string | null {
    const { run, meter } = this.#parts;
    turn.spent ??= meter.exhausted("turns");
    if (turn.spent) return null;
    meter.tool_calls += 1;
    const canonical = this.#canonical(call);
    const { tool, effect, input, checked } = canonical;
    const refusal = this.#refusalOf(effect, canonical.subject, call);
    const replacement = refusal && refusedInput(call, refusal.message);
    const refused_by = replacement === null ? null : (refusal?.rule ?? null);
    const [told, subject] = [callText({ name: tool, input }), heldSubject(canonical.subject)];
    const own = call.name === tool ? {} : { own_tool: call.name };
    const made: CallRecord = { tool, effect: effect ?? "opaque", subject, refused_by, ...own };
    this.made.push(made);
    if (refused_by === null) {
      const { id, name } = call;
      const when = { thread: turn.thread.number, asked_ticks: run.clock.ticks() };
      const skill = this.#skillOf(call, canonical);
      this.#pending.add({ call: { id, name }, told, effect, checked, skill, made, ...when });
    } else turn.blocks.push({ rule: refused_by, tool, input: told.input });
    return replacement;
  }

  #refusalOf(effect: Effect | null, subject: string, { unparsed }: WireCall): Refusal | null {
    const { policies } = this.#parts.run;
    if (effect !== "command" && (unparsed === undefined || effect !== null)) return null;
    return unparsed === undefined ? refusalOf(policies, "command", subject) : refusalOfBroken(policies, unparsed);
  }

  /** Takes the results of calls that a request brings. */
  answered({ results }: WireRequest, { number }: ThreadName): void {
    for (const result of results) {
      const pending = this.#pending.take(result, number);
      if (pending) this.#ended(pending, result);
    }
  }

  /** A protected file is read-only for the agent: writing it failed. */
  #ended(pending: PendingCall, { text, is_error }: WireResult): void {
    const { effect, told, made } = pending;
    const { paths } = this.#parts.run.policies;
    const rule =
      effect === "write" && is_error === true ? refusedPath({ ...paths, writable: ["**"] }, made.subject) : null;
    made.failed = rule !== null;
    if (rule === null) this.#told.call(pending, text, is_error);
    else this.#parts.log.block({ rule, tool: told.name, input: told.input });
  }

  /** Calls whose results nobody will see any more. */
  settle(): void {
    for (const pending of this.#pending.rest()) this.#told.call(pending, "no result was seen", true);
  }

  /** Which tool a call is for does not depend on secrets in its input, which takes long to redact. */
  toolOf({ name, input, unparsed }: WireCall): string {
    return this.#canonicalOf(name, unparsed ?? input).tool;
  }

  #canonical({ name, input, unparsed }: WireCall): CanonicalCall {
    return this.#canonicalOf(name, redactDeep(unparsed ?? input, this.#parts.run.redact));
  }

  #canonicalOf(name: string, input: unknown): CanonicalCall {
    const { recipe, agent, run } = this.#parts;
    return canonicalCall(recipe, agent.tools, this.#told.named(name), input, run.workspace.at);
  }

  #skillOf({ name, input }: WireCall, canonical: CanonicalCall): string | undefined {
    const skill = skillOf(this.#parts.recipe, { name, input }, canonical);
    return skill === undefined ? undefined : this.#parts.run.redact(skill);
  }
}

/** Longer inputs, and more texts in one, are not read: no text in one is then too long for the reader of commands. */
export const BROKEN_CHARS = 16 * 1024;
const MAX_TEXTS = 500;

/** Why an input that is no JSON must not reach the agent: many agents mend such an input, and run what stands in it. */
export function refusalOfBroken(policies: Policies, broken: string): Refusal | null {
  const { allow, deny } = policies.commands;
  if (allow === null && deny.length === 0) return null;
  const texts = textsIn(broken);
  if (texts === null) return { rule: allow === null ? DENY_RULE : ALLOW_RULE, message: UNREAD };
  return texts.map((text) => refusalOf(policies, "command", text)).find((one) => one !== null) ?? null;
}

const UNREAD =
  `Refused by policy, nothing was run: the input is no JSON, and too long for its commands to be found ` +
  `(at most ${BROKEN_CHARS} characters and ${MAX_TEXTS} texts are read). Send it as valid JSON.`;

/**
 * Ends at the end of the text, too: a reply may break off within a command, or behind a backslash. So a match begins at every
 * quotation mark, and no character is read twice.
 */
const STRINGS = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?$)/gs;
const COLON = /\s*:/y;

/** The texts in it, names of fields aside; null when it is too long. */
export function textsIn(broken: string): readonly string[] | null {
  if (broken.length > BROKEN_CHARS) return null;
  const strings = broken
    .matchAll(STRINGS)
    .take(MAX_TEXTS + 1)
    .toArray();
  if (strings.length > MAX_TEXTS) return null;
  return strings.flatMap(({ 0: whole, 1: inner = "", index }) => {
    COLON.lastIndex = index + whole.length;
    return COLON.test(broken) ? [] : [asText(parseJson(`"${inner}"`)) ?? inner];
  });
}

/**
 * The input of a refused command's call with another command in its place, which says why and fails. It keeps the agent's
 * own shape, so that the agent runs it and reads the refusal. Null where no command is found.
 */
export function refusedInput({ input, unparsed }: WireCall, message: string): object | string | null {
  const command = `echo ${quoted(message)} >&2; exit 126`;
  if (unparsed !== undefined || typeof input === "string") return command;
  return exchanged(asRecord(input), command);
}

/** Every field that may hold the command: nobody knows which one the agent runs. */
function exchanged(record: LooseRecord | undefined, command: string): LooseRecord | null {
  if (record === undefined) return null;
  const action = exchanged(asRecord(record["action"]), command);
  const fields = COMMAND_FIELDS.filter((name) => record[name] !== undefined);
  const named = fields.length > 0 || action !== null ? fields : onlyText(record);
  if (named.length === 0 && action === null) return null;
  const instead = named.map((name) => [name, inShapeOf(record[name], command, name)]);
  return { ...record, ...(action && { action }), ...Object.fromEntries(instead) };
}

/** Where agents put what a shell runs, or what is typed into one that runs. */
const COMMAND_FIELDS: readonly string[] = ["command", "cmd", "commands", "script", "chars", "input"];

/** The text that rules were checked against, for a shell whose field for the command is unknown. */
const onlyText = (record: LooseRecord): readonly string[] =>
  Object.keys(record)
    .filter((name) => typeof record[name] === "string")
    .slice(0, 1);

/** A list is one program with its arguments, but `commands` are several lines. What is typed is sent by its end of line. */
function inShapeOf(given: unknown, command: string, field: string): unknown {
  if (Array.isArray(given)) return field === "commands" ? [command] : ["sh", "-c", command];
  return field === "chars" ? `${command}\n` : command;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
