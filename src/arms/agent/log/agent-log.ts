import { createHash } from "node:crypto";
import type { ExternalAgent } from "../../../domain/external-agent.ts";
import { Failure } from "../../../domain/failure.ts";
import { UNKNOWN_USAGE } from "../../../domain/usage.ts";
import { atBudget, disqualified, failed, type Stop } from "../../arm/arm-end.ts";
import type { BudgetState } from "../../arm/budget.ts";
import type { DecisionLog } from "../../arm/decision-log.ts";
import type { Meter } from "../../arm/meter.ts";
import { disqualifyingPaths } from "../../arm/protected-paths.ts";
import type { ArmRun } from "../../arm/run-arm.ts";
import type { Upstream } from "../../model/upstream.ts";
import type { Recipe } from "../../recipe/recipe.ts";
import type { WireReply, WireRequest } from "../../wire/wire.ts";
import { agentEnding } from "../agent-ending.ts";
import type { ModelPrices } from "../agent-place.ts";
import { AgentCalls } from "./agent-calls.ts";
import { AgentDecisions, type SaidTurn } from "./agent-decisions.ts";
import { MAIN_THREAD, type OpenTurn, type ThreadName, Threads } from "./threads.ts";
import { UnderWay } from "./under-way.ts";

interface AgentLogParts {
  readonly run: ArmRun;
  readonly agent: Pick<ExternalAgent, "tools" | "side_model">;
  readonly recipe: Recipe;
  /** The arm's, as the provider calls it. */
  readonly upstream: Pick<Upstream, "model">;
  readonly prices: ModelPrices;
  readonly log: DecisionLog;
  readonly meter: Meter;
  /** Fires when the arm is over for a reason of ours. */
  readonly signal: AbortSignal;
  /** Called once, with what ends the arm. */
  readonly stop: (stop: Stop) => void;
}

/** Makes an arm's decisions out of what passes between its agent and the provider, and ends it where a rule or a budget says so. */
export class AgentLog {
  /** What of it becomes decisions. */
  readonly told: AgentDecisions;
  readonly calls: AgentCalls;
  readonly #parts: AgentLogParts;
  readonly #threads: Threads;
  readonly #under_way = new UnderWay<OpenTurn>();
  /** The figures of the last request, by conversation. */
  readonly #sent = new WeakMap<ThreadName, { readonly bytes: number; readonly tokens_in: number }>();
  readonly #replies = createHash("sha256");
  #served: string | null = null;
  #stopped = false;
  #asked = 0;
  /** What the main thread was told last; undefined before. */
  #last: { readonly thread: ThreadName; readonly said: WireReply | "context_overflow" } | undefined;

  constructor(parts: AgentLogParts) {
    this.#parts = parts;
    this.#threads = new Threads(Object.keys({ ...parts.recipe.tools, ...parts.agent.tools }).length > 0);
    this.told = new AgentDecisions(parts);
    this.calls = new AgentCalls(parts, this.told);
  }

  /** The arm ends. Nothing goes to its agent any more. */
  get stopped(): boolean {
    return this.#stopped;
  }

  get model_served(): string | null {
    return this.#served;
  }

  get replies_digest(): string {
    return this.#replies.copy().digest("hex");
  }

  /** The agent has found the way to its model. */
  get asked_once(): boolean {
    return this.#asked > 0;
  }

  /**
   * Waits for requests that are under way where the budget may not last for all of them. Null when the arm ends with this
   * one, or the signal has fired.
   */
  async asked(request: WireRequest, sent_bytes: number, signal: AbortSignal): Promise<OpenTurn | null> {
    const { run, log, meter } = this.#parts;
    this.#asked += 1;
    const thread = this.#threads.asked(request);
    if (this.#threads.forgotten > 0) this.told.forgotten();
    this.calls.answered(request, thread);
    const violations = this.calls.made.length > 0 ? await disqualifyingPaths(run, log) : [];
    if (violations.length > 0) this.#stop(() => disqualified(violations));
    const side = this.#threads.isAside(thread, request);
    while (!this.#stopped && !signal.aborted && !this.#under_way.hasRoomFor({ side, sent_bytes }, meter))
      await this.#under_way.oneEnded(signal);
    if (signal.aborted) {
      this.#threads.answered(thread, null);
      return null;
    }
    // A small call besides the work is no turn: it may follow the last one.
    const spent = side ? (meter.exhausted("turns") ?? meter.beginSideCall()) : this.#exhausted(thread, sent_bytes);
    if (spent) this.#stop(() => atBudget(log, spent));
    if (this.#stopped) return null;
    log.warnings(meter.runningLow());
    const asked = side ? this.#modelAside(request) : { model: this.#parts.upstream.model };
    const turn = { thread, side, ...asked, sent_bytes, began_ticks: run.clock.ticks(), blocks: [] };
    this.#under_way.begin(turn);
    return turn;
  }

  /** What a conversation has sent it sends again, unless it was shortened. */
  #exhausted(thread: ThreadName, sent_bytes: number): BudgetState | undefined {
    const { meter } = this.#parts;
    const before = this.#sent.get(thread);
    const again = before !== undefined && sent_bytes >= before.bytes ? before.tokens_in : 0;
    return meter.exhausted() ?? meter.unaffordable(again);
  }

  /** Under a cost limit nothing is asked whose cost nobody would know. */
  #modelAside({ model: wanted }: WireRequest): Pick<OpenTurn, "model" | "other"> {
    const { agent, upstream, prices, meter, run } = this.#parts;
    const own = { model: upstream.model };
    if (agent.side_model === "same" || wanted === null || wanted === own.model) return own;
    const other = { model: this.told.named(prices.nameOf(wanted)), price: prices.of(wanted) };
    if (other.price !== null || prices.free || (meter.cost() === undefined && run.purse === undefined))
      return { model: wanted, other };
    this.told.unpriced(other.model);
    return own;
  }

  /** @param latency_ms without what was lost to throttling */
  replied(turn: OpenTurn, reply: WireReply, latency_ms: number): void {
    const { log, meter } = this.#parts;
    const { thread, side } = turn;
    this.#threads.answered(thread, reply);
    this.#count(turn, reply);
    if (!side && reply.model_served !== null) this.#served = this.#parts.run.redact(reply.model_served);
    this.#replies.update(`${JSON.stringify([reply.text, reply.calls.map(({ name, input }) => [name, input])])}\n`);
    if (thread.number === MAIN_THREAD) this.#last = { thread, said: reply };
    this.told.turn(turn, this.#said(reply), latency_ms);
    for (const block of turn.blocks) log.block(block);
    const spent = turn.spent ?? this.#under_way.overdraws(meter);
    if (spent) this.#stop(() => atBudget(log, spent));
  }

  /** The agent hung up before a reply came. The provider was asked all the same, unless the arm ended before it `isSent`. */
  unheard(turn: OpenTurn, isSent: boolean): void {
    const { log, meter, run, signal } = this.#parts;
    this.#threads.answered(turn.thread, null);
    this.#under_way.end(turn);
    if (this.#stopped || signal.aborted) {
      if (isSent) meter.countUnheard(turn);
      return;
    }
    this.#count(turn, UNHEARD);
    this.told.turn(turn, this.#said(UNHEARD), run.clock.ticks() - turn.began_ticks);
    const spent = this.#under_way.overdraws(meter);
    if (spent) this.#stop(() => atBudget(log, spent));
  }

  #count(turn: OpenTurn, reply: WireReply): void {
    const { sent_bytes, side, other } = turn;
    const said_bytes = Buffer.byteLength(reply.text + JSON.stringify(reply.calls));
    this.#under_way.end(turn);
    if (reply.tokens_in !== null) this.#sent.set(turn.thread, { bytes: sent_bytes, tokens_in: reply.tokens_in });
    this.#parts.meter.countTurn({ usage: reply, sent_bytes, said_bytes, side, other, broken: reply.ended !== "whole" });
  }

  /** The provider will not take the request as it is. The agent is told, and may mend it. */
  refused(turn: OpenTurn, message: string, isOverflow: boolean): void {
    const { thread } = turn;
    this.#threads.answered(thread, null);
    this.#under_way.end(turn);
    if (isOverflow && thread.number === MAIN_THREAD) this.#last = { thread, said: "context_overflow" };
    this.told.refused(message);
  }

  /** The agent asked for what a provider has and abeval has not. Its work says nothing about it. */
  unsupported(what: string): void {
    const { id } = this.#parts.run.arm;
    const message = `arm "${id}": its agent asked for what abeval does not serve: ${this.#parts.run.redact(what)}`;
    this.failed(new Failure("unsupported_request", message));
  }

  /** No provider could be asked. */
  failed(cause: unknown): void {
    this.#stop(() => failed(this.#parts.log, cause));
  }

  /** The user goes on: what was said so far is no answer to that. */
  goesOn(): void {
    this.#last = undefined;
  }

  /** How an arm ended whose agent has ended by itself; `exit` is what it ended with. */
  ending(exit: string): Stop {
    const last = this.#last?.thread.number === MAIN_THREAD ? this.#last.said : undefined;
    return agentEnding(this.#parts.log, { last, exit, redact: this.#parts.run.redact });
  }

  #said(reply: WireReply): SaidTurn {
    return { reply, tools: reply.calls.map((call) => this.calls.toolOf(call)) };
  }

  #stop(stop: () => Stop): void {
    if (this.#stopped) return;
    this.#stopped = true;
    // What ends an arm is the last that its log says, but for replies that are still under way.
    this.calls.settle();
    this.#parts.stop(stop());
  }
}

/** What is known of a reply that nobody waited for. */
const UNHEARD: WireReply = {
  ...UNKNOWN_USAGE,
  ...{ text: "", calls: [], stop_reason: "hung_up", model_served: null, ended: "cut", error: null, message_digest: "" },
  cache_write_tokens: null,
};
