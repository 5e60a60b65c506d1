import type { Clock } from "../clock.ts";
import type { Decision } from "../domain/decision.ts";
import { CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS } from "../domain/defaults.ts";
import type { Violation } from "../domain/evidence.ts";
import { excerpt } from "../domain/excerpt.ts";
import { Failure, Mistake } from "../domain/failure.ts";
import type { Arm, Policies } from "../domain/scenario.ts";
import type { Message, ModelClient, ModelReply, ModelRequest, ToolSpec } from "../model/client.ts";
import { specOf, type Tool } from "../tool/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { ArmEnd } from "./arm-end.ts";
import { ToolDesk } from "./call-tool.ts";
import { DecisionLog, oneLine } from "./decision-log.ts";
import { leastTurnTokens } from "./first-turn.ts";
import { type BudgetState, effectiveBudget, Meter } from "./meter.ts";
import { Stopwatch, TimeUp } from "./stopwatch.ts";

export interface ArmRun {
  readonly arm: Arm;
  readonly prompt: string;
  /** What the model may call. */
  readonly tools: readonly Tool[];
  readonly policies: Policies;
  readonly model: ModelClient;
  readonly workspace: Workspace;
  readonly clock: Clock;
  /** Takes secrets out of what a tool returned, before anyone reads it. */
  readonly redact: (text: string) => string;
  /** Called with each decision as it is made. A Failure it throws ends the arm. */
  readonly emit: (decision: Decision) => void;
}

type Stop = Pick<ArmEnd, "status" | "stop_reason" | "final_answer" | "cause"> & {
  readonly violations?: readonly Violation[];
};

/**
 * One arm, from the prompt to its end: model turn, policy gate for each call, tool, next turn. Knows nothing of sessions,
 * streams or stores. Never rejects: what an arm used until a fault of ours is told too.
 */
export async function runArm(run: ArmRun, signal: AbortSignal): Promise<ArmEnd> {
  const { arm, policies, clock } = run;
  const budget = effectiveBudget(policies.budget, arm.limits);
  using stopwatch = new Stopwatch(clock, budget.max_seconds * 1000);
  const loop = new ArmLoop(run, stopwatch, new Meter(budget, arm.price_per_mtok, stopwatch), signal);
  return await loop.run();
}

class ArmLoop {
  readonly #run: ArmRun;
  readonly #stopwatch: Stopwatch;
  readonly #meter: Meter;
  readonly #caller: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #log: DecisionLog;
  readonly #desk: ToolDesk;
  readonly #specs: readonly ToolSpec[];
  readonly #messages: Message[];
  #served: string | null = null;

  constructor(run: ArmRun, stopwatch: Stopwatch, meter: Meter, caller: AbortSignal) {
    this.#run = run;
    this.#stopwatch = stopwatch;
    this.#meter = meter;
    this.#caller = caller;
    this.#signal = AbortSignal.any([caller, stopwatch.signal]);
    this.#log = new DecisionLog(run.clock, run.emit);
    this.#desk = new ToolDesk({ ...run, log: this.#log, signal: this.#signal });
    this.#specs = run.tools.map(specOf);
    this.#messages = [{ role: "user", text: run.prompt }];
  }

  async run(): Promise<ArmEnd> {
    try {
      return this.#end(await this.#untilStopped());
    } catch (error) {
      return this.#end(this.#broken(error));
    }
  }

  #broken(error: unknown): Stop {
    if (this.#caller.aborted)
      return { status: "cancelled", stop_reason: "cancelled", final_answer: null, cause: this.#caller.reason };
    if (error instanceof TimeUp) return this.#stopAtLimit(this.#timeUsed());
    if (error instanceof Mistake) return this.#stopUnreadable(error);
    if (error instanceof Failure) this.#recordFault(error);
    return { status: "failed", stop_reason: "failed", final_answer: null, cause: error };
  }

  /** What it left is more than can be held against the policies: its own doing, like a budget that it used up. */
  #stopUnreadable({ message }: Mistake): Stop {
    this.#log.add("limit_reached", { summary: message, detail: { budget: "disk", used: null, limit: null } });
    return { status: "limit_reached", stop_reason: "budget:disk", final_answer: null };
  }

  #recordFault({ code, message }: Failure): void {
    try {
      this.#log.add("error", { summary: message, detail: { class: "infra", code, message } });
    } catch {
      // The fault may be that nothing can be recorded any more.
    }
  }

  async #untilStopped(): Promise<Stop> {
    for (;;) {
      this.#signal.throwIfAborted();
      const spent = this.#meter.exhausted() ?? this.#unaffordable();
      if (spent) return this.#stopAtLimit(spent);
      this.#warn();
      const stop = await this.#turn();
      if (stop) return stop;
    }
  }

  async #turn(): Promise<Stop | undefined> {
    const reply = await this.#askModel();
    if (reply.stop === "context_overflow")
      return this.#stopAtLimit({ budget: "context", used: reply.tokens_in, limit: null });
    this.#messages.push({ role: "assistant", text: reply.text, calls: reply.calls, raw: reply.raw });
    if (reply.stop === "output_limit") return this.#explainCut(reply);
    if (reply.calls.length === 0) return this.#finish(reply);
    return await this.#answerCalls(reply);
  }

  async #askModel(): Promise<ModelReply> {
    const request = this.#request();
    const began = this.#run.clock.ticks();
    const lostBefore = this.#stopwatch.throttled_ms;
    const reply = await this.#run.model.complete(request, {
      signal: this.#signal,
      onFailedTry: () => this.#stopwatch.pause(),
      onRetry: ({ status, attempts, waited_ms }) => {
        this.#stopwatch.resume(waited_ms);
        const summary = `provider ${status === null ? "did not answer" : `answered ${status}`}; try ${attempts} failed`;
        this.#log.add("provider_retry", { summary, detail: { status, attempts, waited_ms: Math.round(waited_ms) } });
      },
    });
    this.#signal.throwIfAborted();
    if (reply.stop === "context_overflow" && reply.tokens_in === null) return reply;
    this.#meter.countTurn(request, reply);
    this.#served = reply.model_served ?? this.#served;
    const lost = this.#stopwatch.throttled_ms - lostBefore;
    this.#recordTurn(reply, Math.max(0, this.#run.clock.ticks() - began - lost));
    return reply;
  }

  /** What is left of the cost limit is too little for a turn that could say anything. */
  #unaffordable(): BudgetState | undefined {
    const { max_output_tokens } = this.#request().params;
    return max_output_tokens < leastTurnTokens(this.#run.arm) ? this.#meter.costState() : undefined;
  }

  /** Near the cost limit a turn may write no more than what is left pays for. */
  #request(): ModelRequest {
    const { arm } = this.#run;
    const wanted = arm.params.max_output_tokens ?? MAX_OUTPUT_TOKENS;
    const request = this.#fullRequest(wanted);
    const affordable = this.#meter.affordable(request);
    if (affordable >= wanted) return request;
    return { ...request, params: { ...request.params, max_output_tokens: Math.max(1, affordable) } };
  }

  #fullRequest(max_output_tokens: number): ModelRequest {
    const { arm } = this.#run;
    return {
      system: arm.system_prompt,
      messages: [...this.#messages],
      tools: this.#specs,
      params: { ...arm.params, max_output_tokens },
      timeout_ms: Math.max(1, Math.min(CALL_TIMEOUT_MS, Math.ceil(this.#stopwatch.remaining_ms))),
    };
  }

  #recordTurn(reply: ModelReply, latency_ms: number): void {
    const tools = reply.calls.map((call) => call.name);
    const said = oneLine(reply.text) || (tools.length > 0 ? `calls ${tools.join(", ")}` : "(no text)");
    const unknown = reply.tokens_in === null || reply.tokens_out === null;
    this.#log.add("model_turn", {
      summary: said,
      latency_ms,
      tokens_in: unknown ? 0 : (reply.tokens_in ?? 0),
      tokens_out: unknown ? 0 : (reply.tokens_out ?? 0),
      detail: {
        stop_reason: reply.stop_reason,
        tools,
        cached_tokens: reply.cached_tokens,
        text: excerpt(reply.text),
        ...(unknown ? { usage_unknown: true as const } : {}),
      },
    });
  }

  async #answerCalls(reply: ModelReply): Promise<Stop | undefined> {
    const results = [];
    for (const call of reply.calls) {
      const spent = this.#meter.exhausted("turns");
      if (spent) return this.#stopAtLimit(spent);
      this.#meter.tool_calls += 1;
      results.push(await this.#desk.answer(call));
      const violations = await this.#desk.disqualifying();
      if (violations.length > 0) return this.#disqualify(violations);
    }
    this.#messages.push({ role: "tool", results });
    return undefined;
  }

  #explainCut(reply: ModelReply): undefined {
    if (reply.calls.length > 0) {
      const text = "Not run: your turn was cut by the output limit before it was complete.";
      this.#messages.push({
        role: "tool",
        results: reply.calls.map((call) => ({ call_id: call.id, ok: false, text })),
      });
    }
    const text = "Your last turn was cut by the output limit. Go on from where you stopped, in smaller steps.";
    this.#messages.push({ role: "user", text });
  }

  #warn(): void {
    const low = this.#meter.runningLow();
    if (low.length === 0) return;
    for (const { budget, used, limit } of low)
      this.#log.add("limit_warning", {
        summary: `${budget} runs low: ${usedText({ budget, used, limit })}`,
        detail: { budget, used: rounded(budget, used), limit },
      });
    const lines = low.map((state) => `${state.budget}: ${usedText(state)}.`);
    const text = `Notice: a budget runs low. ${lines.join(" ")} Finish what matters most; the work you leave counts.`;
    this.#messages.push({ role: "user", text });
  }

  #finish(reply: ModelReply): Stop {
    if (reply.stop === "refusal") {
      const message = `The model declined to go on (${reply.stop_reason}).`;
      this.#log.add("error", { summary: message, detail: { class: "agent", code: "refusal", message } });
    }
    const final_answer = reply.text;
    this.#log.add("final_answer", {
      summary: oneLine(final_answer) || "(empty answer)",
      detail: { text: excerpt(final_answer) },
    });
    return { status: "finished", stop_reason: reply.stop === "refusal" ? "refusal" : "final_answer", final_answer };
  }

  #stopAtLimit(state: BudgetState | { budget: "context"; used: number | null; limit: null }): Stop {
    const { budget, limit } = state;
    const used = state.used === null ? null : rounded(budget, state.used);
    const summary =
      state.limit === null ? "the conversation no longer fits the model" : `${budget}: ${usedText(state)}`;
    this.#log.add("limit_reached", { summary, detail: { budget, used, limit } });
    return { status: "limit_reached", stop_reason: `budget:${budget}`, final_answer: null };
  }

  #disqualify(violations: readonly Violation[]): Stop {
    const [first] = violations;
    return {
      status: "disqualified",
      stop_reason: first ? `policy:${first.rule}` : "policy",
      final_answer: null,
      violations,
    };
  }

  #timeUsed(): BudgetState {
    const seconds = this.#meter.use().find((use) => use.budget === "seconds");
    return { budget: "seconds", used: seconds?.used ?? 0, limit: seconds?.limit ?? 0 };
  }

  #end(stop: Stop): ArmEnd {
    const meter = this.#meter;
    return {
      status: stop.status,
      stop_reason: stop.stop_reason,
      final_answer: stop.final_answer,
      model_served: this.#served,
      turns: meter.turns,
      tool_calls: meter.tool_calls,
      ...meter.tokens,
      cost_usd: meter.cost_usd,
      wall_ms: this.#stopwatch.wall_ms,
      working_ms: this.#stopwatch.working_ms,
      throttled_ms: this.#stopwatch.throttled_ms,
      budget: meter.use(),
      began_ticks: this.#stopwatch.began_ticks,
      ...(stop.cause === undefined ? {} : { cause: stop.cause }),
      calls: this.#desk.records,
      violations: stop.violations ?? [],
    };
  }
}

/** To a millionth for money, else to a thousandth. */
function rounded(budget: BudgetState["budget"], value: number): number {
  const parts = budget === "cost_usd" ? 1_000_000 : 1_000;
  return Math.round(value * parts) / parts;
}

const usedText = ({ budget, used, limit }: BudgetState): string => {
  const unit = budget === "cost_usd" ? " USD" : "";
  return `${rounded(budget, used)} of ${rounded(budget, limit)}${unit} used`;
};
