import { cut } from "../../../domain/excerpt.ts";
import { NETWORK_RULE } from "../../../domain/usage.ts";
import { type DecisionLog, oneLine } from "../../arm/decision-log.ts";
import type { ArmRun } from "../../arm/run-arm.ts";
import { didNothing } from "../../policy/review.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import type { WireReply } from "../../wire/wire.ts";
import type { PendingCall } from "./pending-calls.ts";
import { MAX_THREADS, type OpenTurn } from "./threads.ts";

interface DecisionParts {
  readonly run: Pick<ArmRun, "redact" | "clock">;
  readonly recipe: Pick<Recipe, "unwrap">;
  readonly log: DecisionLog;
}

/** What a model said, with the tools that it called in our words. */
export interface SaidTurn {
  readonly reply: WireReply;
  readonly tools: readonly string[];
}

/** Writes an external agent's decisions. Keys are taken out, and whatever an agent can send for ever is told only so often. */
export class AgentDecisions {
  readonly #parts: DecisionParts;
  readonly #filtered = new Set<string>();
  readonly #unpriced = new Set<string>();
  #refused = 0;
  #forgotten = false;

  constructor(parts: DecisionParts) {
    this.#parts = parts;
  }

  /** A tool's name as the log has it. A model can call a tool by any. */
  named(tool: string): string {
    return cut(this.#parts.run.redact(tool), NAME_CHARS);
  }

  turn(
    { thread, side, other }: Pick<OpenTurn, "thread" | "side" | "other">,
    { reply, tools }: SaidTurn,
    latency_ms: number,
  ): void {
    const { log, run } = this.#parts;
    const broken = [BROKEN[reply.ended], run.redact(reply.error ?? "")].filter((why) => why !== "");
    log.turn({
      ...{ text: run.redact(reply.text), tools, broken, usage: reply, latency_ms },
      stop_reason: run.redact(reply.stop_reason ?? reply.ended),
      thread: thread.number,
      ...(side && { side: true as const }),
      ...(other && { model: other.model }),
    });
  }

  call(pending: PendingCall, output: string, is_error: boolean | null): void {
    const { call, told, effect, checked, skill, thread, asked_ticks } = pending;
    const { run, recipe, log } = this.#parts;
    const unwrapped = recipe.unwrap(call.name, output);
    const text = run.redact(unwrapped.output);
    const { exit_code } = unwrapped;
    const ok = is_error !== true && (exit_code ?? 0) === 0;
    pending.made.failed = didNothing(effect, { ok, exit_code });
    log.call({
      ...{ told, text, ok, exit_code, bytes: Buffer.byteLength(output), thread, own_tool: this.named(call.name) },
      latency_ms: run.clock.ticks() - asked_ticks,
      ...(effect && { effect }),
      ...(skill !== undefined && { skill }),
      ...(checked ? {} : { unchecked: true as const }),
    });
  }

  /** What the provider would have done for the agent behind a closed network. Each is told once. */
  filtered(removed: readonly string[]): void {
    for (const what of removed.map((one) => oneLine(this.#parts.run.redact(one), FENCED_CHARS))) {
      if (this.#filtered.has(what) || this.#filtered.size >= MAX_FENCED) continue;
      this.#filtered.add(what);
      const summary = `refused ${what}, which runs at the provider: ${NETWORK_RULE}`;
      this.#parts.log.add("policy_block", { summary, detail: { rule: NETWORK_RULE, tool: what, input: "" } });
    }
  }

  /** The provider would not take a request as it is. */
  refused(message: string): void {
    this.#refused += 1;
    if (this.#refused <= MAX_REFUSALS) this.#parts.log.error("refused_request", message);
  }

  /** A small call is asked of the arm's model in the place of one that has no price. Told once for each, and not for ever. */
  unpriced(model: string): void {
    if (this.#unpriced.has(model) || this.#unpriced.size >= MAX_UNPRICED) return;
    this.#unpriced.add(model);
    const message = `${model} has no price, and the cost is limited: its small calls are asked of the arm's model; name it in the file of --prices, or set side_model: same`;
    this.#parts.log.error("model_without_price", message);
  }

  /** From now on one conversation may get two numbers. This is logged once. */
  forgotten(): void {
    if (this.#forgotten) return;
    this.#forgotten = true;
    const message = `more than ${MAX_THREADS} conversations: those that were silent longest are forgotten, and count as new when they continue`;
    this.#parts.log.error("threads_forgotten", message);
  }
}

/** The characters of a tool's name that are kept. */
const NAME_CHARS = 128;

/** Refused requests that are told of. They cost nothing, so no budget ends an agent that sends them for ever. */
const MAX_REFUSALS = 50;

/** Models without a price that are told of. */
const MAX_UNPRICED = 10;

const BROKEN = { whole: "", cut: "the reply broke off", error: "the provider failed" } as const;

/** Kinds of what is taken out of a request that are told of: an agent may make up any number. */
const MAX_FENCED = 50;
const FENCED_CHARS = 80;
