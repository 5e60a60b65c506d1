import type { ExternalAgent } from "../../../domain/external-agent.ts";
import type { Effect } from "../../../domain/tool.ts";
import { callText, type DecisionLog } from "../../arm/decision-log.ts";
import type { Meter } from "../../arm/meter.ts";
import type { ArmRun } from "../../arm/run-arm.ts";
import { redactDeep } from "../../model/redacting-model.ts";
import { refusedPath } from "../../policy/path-rules.ts";
import { type Refusal, refusalOf } from "../../policy/refusal.ts";
import { type CallRecord, heldSubject } from "../../policy/review.ts";
import { type CanonicalCall, canonicalCall, skillOf } from "../../recipe/canonical-call.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import type { WireCall, WireRequest, WireResult } from "../../wire/wire.ts";
import type { AgentDecisions } from "./agent-decisions.ts";
import type { AskedTurn } from "./asked-turn.ts";
import { refusalOfBroken } from "./broken-input.ts";
import { type PendingCall, PendingCalls } from "./pending-calls.ts";
import { refusedInput } from "./refused-input.ts";
import type { ThreadName } from "./threads.ts";

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
  decide(turn: AskedTurn, call: WireCall): object | string | null {
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
