import { Mistake } from "../../domain/failure.ts";
import type { CallOptions, ModelClient, ModelReply, ModelRequest } from "../model/client.ts";
import { paidFrom } from "../model/purse.ts";
import type { Tool } from "../tool/tool.ts";
import {
  type ArmEnd,
  atBudget,
  atContextLimit,
  atDiskLimit,
  cancelled,
  disqualified,
  failed,
  finished,
  type Stop,
} from "./arm-end.ts";
import type { BudgetState } from "./budget.ts";
import { AnsweredSoFar, bytesOf, Conversation, leastTurnTokens } from "./conversation.ts";
import { DecisionLog } from "./decision-log.ts";
import { type Counting, type Meter, withinBudget } from "./meter.ts";
import type { ArmRun, RunArm } from "./run-arm.ts";
import { type Stopwatch, Throttle, TimeUp } from "./stopwatch.ts";
import { ToolExecutor } from "./tool-executor.ts";

/** The loop of our own: model turn, policy for each call, tool, next turn. */
export const builtInArm =
  (model: ModelClient, tools: readonly Tool[]): RunArm =>
  (run, signal) =>
    withinBudget(run, (counting) => {
      const paid = run.purse ? paidFrom(run.purse, model, run.arm.price_per_mtok) : model;
      const parts = { run, model: paid, tools: [...tools, ...(run.mcp_tools ?? [])], ...counting };
      return new ArmLoop(parts, signal).run();
    });

interface Parts extends Counting {
  readonly run: ArmRun;
  readonly model: ModelClient;
  readonly tools: readonly Tool[];
}

class ArmLoop {
  readonly #run: ArmRun;
  readonly #model: ModelClient;
  readonly #stopwatch: Stopwatch;
  readonly #throttle: Throttle;
  readonly #meter: Meter;
  readonly #caller: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #log: DecisionLog;
  readonly #executor: ToolExecutor;
  readonly #conversation: Conversation;
  readonly #answers: AnsweredSoFar;
  #served: string | null = null;

  constructor({ run, model, tools, stopwatch, meter }: Parts, caller: AbortSignal) {
    this.#run = run;
    this.#model = model;
    this.#stopwatch = stopwatch;
    this.#throttle = new Throttle(stopwatch, run.clock);
    this.#meter = meter;
    this.#caller = caller;
    this.#signal = AbortSignal.any([caller, stopwatch.signal]);
    this.#log = new DecisionLog(run.clock, run.emit);
    this.#answers = new AnsweredSoFar(run.follow_ups, this.#log);
    this.#executor = new ToolExecutor({ ...run, tools, log: this.#log, signal: this.#signal });
    this.#conversation = new Conversation(run, tools);
  }

  async run(): Promise<ArmEnd> {
    try {
      return this.#end(await this.#untilStopped());
    } catch (error) {
      return this.#end(this.#interrupted(error));
    }
  }

  #interrupted(error: unknown): Stop {
    if (this.#caller.aborted) return cancelled(this.#caller.reason);
    if (error instanceof TimeUp) return atBudget(this.#log, this.#meter.seconds());
    return error instanceof Mistake ? atDiskLimit(this.#log, error) : failed(this.#log, error);
  }

  async #untilStopped(): Promise<Stop> {
    for (;;) {
      this.#signal.throwIfAborted();
      const spent = this.#meter.exhausted() ?? this.#unaffordable();
      if (spent) return atBudget(this.#log, spent);
      this.#warn();
      const stop = await this.#turn();
      if (stop) return stop;
    }
  }

  async #turn(): Promise<Stop | undefined> {
    const reply = await this.#askModel();
    if (reply.stop === "context_overflow") return atContextLimit(this.#log, reply);
    this.#conversation.addReply(reply);
    if (reply.stop === "output_limit") return void this.#conversation.explainCut(reply);
    if (reply.calls.length === 0) return this.#answered(reply);
    return await this.#answerCalls(reply);
  }

  #answered(reply: ModelReply): Stop | undefined {
    const stop = finished(this.#log, reply);
    const follow_up = this.#answers.next(stop);
    if (follow_up === undefined) return stop;
    this.#conversation.goOn(follow_up);
    return undefined;
  }

  async #askModel(): Promise<ModelReply> {
    const request = this.#request();
    const began = this.#run.clock.ticks();
    const lostBefore = this.#stopwatch.throttled_ms;
    let isUnderWay = false;
    const options: CallOptions = {
      signal: this.#signal,
      asker: this.#throttle,
      onPlaced: () => {
        isUnderWay = true;
      },
      onFailedTry: () => {
        isUnderWay = false;
        this.#stopwatch.pause();
      },
      onRetry: (retry) => {
        isUnderWay = true;
        this.#stopwatch.resume(retry.waited_ms);
        this.#log.retry(retry);
      },
    };
    const reply = await this.#model.complete(request, options).catch((error: unknown) => {
      if (isUnderWay && this.#signal.aborted) this.#meter.countUnheard({ sent_bytes: bytesOf(request.messages) });
      throw error;
    });
    this.#signal.throwIfAborted();
    if (reply.stop === "context_overflow" && reply.tokens_in === null) return reply;
    this.#meter.countTurn({
      usage: reply,
      sent_bytes: bytesOf(request.messages),
      said_bytes: bytesOf([reply.text, reply.calls]),
    });
    this.#served = reply.model_served ?? this.#served;
    const lost = this.#stopwatch.throttled_ms - lostBefore;
    this.#recordTurn(reply, reply.recorded_ms ?? Math.max(0, this.#run.clock.ticks() - began - lost));
    return reply;
  }

  /** Set when the rest of the cost limit is too little for a turn that could say anything. */
  #unaffordable(): BudgetState | undefined {
    const { max_output_tokens } = this.#request().params;
    return max_output_tokens < leastTurnTokens(this.#run.arm) ? this.#meter.cost() : undefined;
  }

  /** Near the cost limit a turn may write only what the rest pays for. */
  #request(): ModelRequest {
    const request = this.#conversation.request(this.#stopwatch.remaining_ms);
    const affordable = this.#meter.affordable(request);
    if (affordable >= request.params.max_output_tokens) return request;
    return { ...request, params: { ...request.params, max_output_tokens: Math.max(1, affordable) } };
  }

  #recordTurn(reply: ModelReply, latency_ms: number): void {
    const { text, calls, stop_reason } = reply;
    const tools = calls.map(({ name }) => name);
    this.#log.turn({ text, tools, stop_reason, usage: reply, latency_ms });
  }

  async #answerCalls(reply: ModelReply): Promise<Stop | undefined> {
    const results = [];
    for (const call of reply.calls) {
      const spent = this.#meter.exhausted("turns");
      if (spent) return atBudget(this.#log, spent);
      this.#meter.tool_calls += 1;
      results.push(await this.#executor.answer(call));
      const violations = await this.#executor.disqualifying();
      if (violations.length > 0) return disqualified(violations);
    }
    this.#conversation.addResults(results);
    return undefined;
  }

  #warn(): void {
    const low = this.#meter.runningLow();
    if (low.length === 0) return;
    this.#log.warnings(low);
    this.#conversation.warn(low);
  }

  #end({ violations = [], ...stop }: Stop): ArmEnd {
    return {
      ...this.#answers.all(stop),
      model_served: this.#served,
      replies_digest: this.#conversation.replies_digest,
      ...this.#meter.used(),
      calls: this.#executor.records,
      violations,
    };
  }
}
