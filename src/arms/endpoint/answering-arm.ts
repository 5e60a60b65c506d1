import type { AgentRun } from "../../domain/external-agent.ts";
import { Mistake } from "../../domain/failure.ts";
import { NO_USAGE, sumKnown, type Usage } from "../../domain/usage.ts";
import type { Entropy } from "../../runtime/clock.ts";
import { type ArmEnd, answered, atBudget, atDiskLimit, cancelled, failed, type Stop } from "../arm/arm-end.ts";
import { AnsweredSoFar } from "../arm/conversation.ts";
import { DecisionLog } from "../arm/decision-log.ts";
import { type Counting, withinBudget } from "../arm/meter.ts";
import type { ArmRun, RunArm } from "../arm/run-arm.ts";
import { Throttle, TimeUp } from "../arm/stopwatch.ts";
import type { LoggedTurn, LogStep } from "../imported/log-step.ts";
import { ToldSteps } from "../imported/told-steps.ts";
import type { CallOptions } from "../model/client.ts";
import {
  type AskedFor,
  type BodyForm,
  type ReadReply,
  readAnswer,
  requestOf,
  type SaidSoFar,
  UnusableAnswer,
} from "./answer-protocol.ts";

export interface RawReply {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;
}

export interface Asking extends Pick<CallOptions, "signal" | "onFailedTry" | "onRetry"> {
  /** The same for each try of the turn, and for no other. */
  readonly key: string;
}

/** What answers for an arm while it runs. */
export interface ArmAnswerer {
  /** @throws UnusableAnswer for what is the arm's own fault; Failure for what is not; the signal's reason */
  ask(request: Uint8Array, asking: Asking): Promise<RawReply>;
  /** How its process ended; absent where abeval sees none. */
  readonly ended?: () => AgentRun;
}

export interface Answering {
  readonly asked: AskedFor;
  readonly entropy: Entropy;
  /** Makes the arm's own; what it throws ends the arm as a fault of nobody's answer. */
  readonly open: (run: ArmRun, signal: AbortSignal) => Promise<ArmAnswerer>;
}

/** An arm for which somebody's own program answers, turn by turn. What it did in between is as it says. */
export const answeringArm =
  (answering: Answering): RunArm =>
  (run, signal) =>
    withinBudget(run, (counting) => new Conversing({ answering, run, ...counting }, signal).run());

interface Parts extends Counting {
  readonly answering: Answering;
  readonly run: ArmRun;
}

class Conversing {
  readonly #parts: Parts;
  readonly #caller: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #log: DecisionLog;
  readonly #told: ToldSteps;
  readonly #answers: AnsweredSoFar;
  readonly #said: SaidSoFar;
  readonly #costs: (number | null)[] = [];
  #answerer: ArmAnswerer | undefined;
  #version: string | null = null;

  constructor(parts: Parts, caller: AbortSignal) {
    const { run, stopwatch } = parts;
    this.#parts = parts;
    this.#caller = caller;
    this.#signal = AbortSignal.any([caller, stopwatch.signal]);
    this.#log = new DecisionLog(run.clock, run.emit);
    this.#told = new ToldSteps(run, this.#log);
    this.#answers = new AnsweredSoFar(run.follow_ups, this.#log);
    this.#said = [...(run.messages ?? []), { role: "user", text: run.prompt }];
  }

  async run(): Promise<ArmEnd> {
    try {
      return this.#end(await this.#untilStopped());
    } catch (error) {
      return this.#end(this.#interrupted(error));
    }
  }

  async #untilStopped(): Promise<Stop> {
    const { answering, run, meter } = this.#parts;
    this.#signal.throwIfAborted();
    this.#answerer = await answering.open(run, this.#signal);
    for (let follow_up = 0; ; follow_up += 1) {
      const spent = meter.exhausted();
      if (spent) return atBudget(this.#log, spent);
      const text = await this.#turn(this.#answerer, follow_up);
      const next = this.#answers.next(text.stop);
      if (next === undefined) return text.stop;
      this.#said.push({ role: "assistant", text: text.said }, { role: "user", text: next });
    }
  }

  /** @returns how the arm would stop, and what it said, as it said it */
  async #turn(answerer: ArmAnswerer, follow_up: number) {
    const { answering, meter } = this.#parts;
    const request = requestOf(answering.asked, this.#said, follow_up);
    const { bytes, form } = await answerer.ask(request, this.#asking());
    this.#signal.throwIfAborted();
    const answer = await readAnswer(bytes, form, this.#parts.run.redact);
    const { answer: said, version, stop } = answer;
    const steps = stepsOf(answer);
    await this.#told.all({ steps, agent: null, directory: null, broken_off: false }, this.#signal);
    const turns = steps.filter(({ kind }) => kind === "turn").length;
    meter.countTurn({ usage: usageOf(answer), sent_bytes: request.length, said_bytes: bytes.length });
    meter.turns += turns - 1;
    meter.tool_calls = this.#told.calls.length;
    this.#costs.push(answer.usage.cost_usd ?? null);
    this.#version = version === null ? this.#version : this.#told.clean(version);
    const text = this.#told.clean(said);
    return { stop: answered(this.#log, { text, stop_reason: this.#told.clean(stop) }), said };
  }

  #asking(): Asking {
    const { answering, run, stopwatch } = this.#parts;
    const throttle = new Throttle(stopwatch, run.clock);
    return {
      key: answering.entropy(16),
      signal: this.#signal,
      onFailedTry: () => throttle.begin(),
      onRetry: (retry) => {
        throttle.end(retry.waited_ms);
        this.#log.retry(retry);
      },
    };
  }

  #interrupted(error: unknown): Stop {
    if (this.#caller.aborted) return cancelled(this.#caller.reason);
    if (error instanceof TimeUp) return atBudget(this.#log, this.#parts.meter.seconds());
    if (error instanceof Mistake) return atDiskLimit(this.#log, error);
    if (!(error instanceof UnusableAnswer)) return failed(this.#log, error);
    this.#log.error(error.code, this.#told.clean(error.message));
    return { status: "finished", stop_reason: error.code, final_answer: null };
  }

  #end({ violations = [], ...stop }: Stop): ArmEnd {
    const { meter } = this.#parts;
    const agent = this.#answerer?.ended?.();
    return {
      ...this.#answers.all(stop),
      model_served: this.#version,
      replies_digest: this.#told.replies_digest(stop.final_answer),
      ...meter.used(),
      ...this.#cost(),
      calls: this.#told.calls,
      violations: [...this.#told.violations, ...violations],
      ...(agent && { agent }),
    };
  }

  /** What it says itself, else by a price that somebody gave; abeval pays for none of it. */
  #cost(): Pick<ArmEnd, "cost_usd"> {
    const { run, meter } = this.#parts;
    const told = sumKnown(this.#costs);
    if (told !== null && this.#costs.length > 0) return { cost_usd: told };
    const { price_per_mtok: price } = run.arm;
    return { cost_usd: price !== null && price.in + price.out > 0 ? meter.cost_usd : null };
  }
}

const usageOf = ({ usage: { tokens_in, tokens_out } }: Pick<ReadReply, "usage">): Usage => ({
  ...{ tokens_in: tokens_in ?? null, tokens_out: tokens_out ?? null, cached_tokens: null },
});

/** What it did, and then what it said. Only the last turn has its usage, which is that of the whole. */
function stepsOf(answer: ReadReply): LogStep[] {
  const steps: LogStep[] = [];
  let turn: LoggedTurn | undefined;
  const begin = (text: string, usage: Usage): LoggedTurn => {
    const begun: LoggedTurn = { ...NOTHING_MORE, kind: "turn", text, calls: [], usage };
    steps.push(begun);
    return begun;
  };
  for (const [at, { kind = "tool_call", name = kind, input, output, ok }] of answer.steps.entries()) {
    const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
    if (kind === "model_turn") turn = begin(text, NO_USAGE);
    else {
      turn ??= begin("", NO_USAGE);
      const id = `step ${at}`;
      turn.calls.push({ id, name, input: input ?? {} });
      steps.push({ kind: "result", call_id: id, output: text, is_error: ok === false, exit_code: null, at: null });
    }
  }
  begin(answer.answer, usageOf(answer));
  return steps;
}

const NOTHING_MORE = { cost_usd: null, stop_reason: null, at: null, side: false } as const;
