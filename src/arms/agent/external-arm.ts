import { Failure, Mistake } from "../../domain/failure.ts";
import type { Skill } from "../../domain/skill.ts";
import { type ArmEnd, atBudget, atDiskLimit, cancelled, failed, type Stop } from "../arm/arm-end.ts";
import { AnsweredSoFar } from "../arm/conversation.ts";
import { DecisionLog } from "../arm/decision-log.ts";
import { type Counting, withinBudget } from "../arm/meter.ts";
import type { ArmRun, RunArm } from "../arm/run-arm.ts";
import { Throttle, TimeUp } from "../arm/stopwatch.ts";
import type { ProcessEnd } from "../sandbox/sandbox.ts";
import type { AttachedProgram } from "../workspace/workspace.ts";
import { type AgentProgram, openAgentPlace } from "./agent-place.ts";
import { cloudHint, strayWords } from "./cloud-forms.ts";
import { AgentLog } from "./log/agent-log.ts";
import { agentExchange } from "./proxy/agent-exchange.ts";
import { type AgentRooms, agentRooms } from "./proxy/agent-rooms.ts";
import { openProxy, type ProviderProxy } from "./proxy/provider-proxy.ts";

/**
 * An agent of somebody else as an arm: a program in the sandbox whose model calls pass through a proxy of ours. What it did
 * is read from these alone, so that all agents have one kind of log.
 */
export const externalArm =
  (program: AgentProgram): RunArm =>
  (run, signal) =>
    withinBudget(run, (counting) => new AgentRunner({ program, run, ...counting }, signal).run());

interface RunnerParts extends Counting {
  readonly program: AgentProgram;
  readonly run: ArmRun;
}

class AgentRunner {
  readonly #parts: RunnerParts;
  readonly #caller: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #log: DecisionLog;
  readonly #stopped = Promise.withResolvers<Stop>();
  readonly #agent: AgentLog;
  readonly #answers: AnsweredSoFar;
  #exit_code: number | null = null;
  /** Why the newest request that was not sent on was refused. */
  #refusal: string | undefined;
  #skills: readonly Skill[] = [];
  #printed: readonly [stdout: PrintedEnds, stderr: PrintedEnds] | undefined;

  constructor(parts: RunnerParts, caller: AbortSignal) {
    const { run, program, meter, stopwatch } = parts;
    this.#parts = parts;
    this.#caller = caller;
    this.#signal = AbortSignal.any([caller, stopwatch.signal]);
    this.#log = new DecisionLog(run.clock, run.emit);
    const stop = (reason: Stop) => this.#stopped.resolve(reason);
    this.#answers = new AnsweredSoFar(run.follow_ups, this.#log);
    this.#agent = new AgentLog({ ...program, run, meter, log: this.#log, signal: this.#signal, stop });
  }

  async run(): Promise<ArmEnd> {
    let stop: Stop;
    try {
      stop = await this.#untilStopped();
    } catch (error) {
      this.#agent.calls.settle();
      stop = this.#interrupted(error);
    }
    return this.#end(stop);
  }

  /** When it returns nothing of the agent runs, and every request of it has been accounted for. */
  async #untilStopped(): Promise<Stop> {
    const { program, run } = this.#parts;
    this.#signal.throwIfAborted();
    await using place = await openAgentPlace(program, run);
    this.#skills = place.skills;
    const { wire } = program.upstream;
    const onStray = (path: string) => this.#stray(path);
    const onRefused = (message: string) => {
      this.#refusal = message;
      this.#agent.told.refused(message);
    };
    using rooms = agentRooms();
    const served = { wire, answer: this.#answer(rooms), room: rooms.requests, onStray, onRefused };
    await using proxy = await openProxy({ ...place, ...served });
    for (let attached = place.attached; ; ) {
      const stop = await this.#untilEnded(attached, proxy);
      const follow_up = this.#answers.next(stop);
      if (follow_up === undefined) return stop;
      this.#agent.goesOn();
      attached = await place.goOn(follow_up);
    }
  }

  /** Runs the agent once, from a prompt to its end. */
  async #untilEnded(attached: AttachedProgram, proxy: Pick<ProviderProxy, "idle">): Promise<Stop> {
    await using started = await this.#parts.run.workspace.attach(attached, this.#signal);
    this.#printed = [new PrintedEnds(started.stdout), new PrintedEnds(started.stderr)];
    const first = await Promise.race([this.#stopped.promise, started.ended]);
    started.kill();
    const ended = await started.ended;
    await proxy.idle();
    await Promise.all(this.#printed.map(({ done }) => done));
    this.#signal.throwIfAborted();
    this.#agent.calls.settle();
    if ("status" in first) return first;
    return this.#agent.stopped ? await this.#stopped.promise : this.#endedBy(ended);
  }

  #answer(rooms: AgentRooms) {
    const { program, run, stopwatch } = this.#parts;
    const { upstream } = program;
    const without_provider_tools = run.policies.network === "none";
    const throttle = new Throttle(stopwatch, run.clock);
    const { clock, redact, purse, arm } = run;
    const paying = { purse, price: program.prices.free ? null : arm.price_per_mtok };
    const logs = { log: this.#agent, decisions: this.#log };
    return agentExchange({ ...logs, upstream, without_provider_tools, throttle, clock, redact, rooms, ...paying });
  }

  #stray(address: string): void {
    this.#log.error("unknown_address", strayWords(address));
  }

  #endedBy({ ended, exit_code }: ProcessEnd): Stop {
    this.#exit_code = exit_code;
    if (!this.#agent.asked_once) throw this.#neverAsked(ended === "exit" ? `exit code ${exit_code}` : ended);
    if (ended === "disk_limit") return atDiskLimit(this.#log, new Mistake("the agent used up its disk"));
    return this.#agent.ending(ended === "exit" ? String(exit_code) : ended);
  }

  /** What it printed to stdout (0) or stderr (1), as far as it was kept. */
  #said(stream: 0 | 1): string {
    return this.#parts.run.redact(this.#printed?.[stream].text ?? "");
  }

  #neverAsked(how: string): Failure {
    const said = this.#said(1).trim().slice(-SAID_CHARS) || this.#said(0).trim().slice(-SAID_CHARS) || "nothing";
    const { id } = this.#parts.run.arm;
    const hint = cloudHint(this.#parts.program.agent.env);
    const what = this.#refusal === undefined ? "without calling a model" : `before a model was asked: ${this.#refusal}`;
    return new Failure(
      "setup_failed",
      `arm "${id}": its agent ended (${how}) ${what}. ${hint === null ? "" : `${hint}. `}Its last output: ${said}`,
    );
  }

  #interrupted(error: unknown): Stop {
    if (this.#caller.aborted) return cancelled(this.#caller.reason);
    if (error instanceof TimeUp) return atBudget(this.#log, this.#parts.meter.seconds());
    return error instanceof Mistake ? atDiskLimit(this.#log, error) : failed(this.#log, error);
  }

  #end({ violations = [], ...stop }: Stop): ArmEnd {
    const { meter, program } = this.#parts;
    const { recipe, agent, install } = program;
    return {
      ...this.#answers.all(stop),
      model_served: this.#agent.model_served,
      replies_digest: this.#agent.replies_digest,
      ...meter.used(),
      calls: this.#agent.calls.made,
      violations,
      home_skills: this.#skills,
      agent: {
        recipe: agent.use === null ? null : recipe.name,
        install: agent.install,
        version: install?.version ?? null,
        digest: install?.digest ?? null,
        exit_code: this.#exit_code,
        ...okExit(program),
        ...(this.#skills.length > 0 && { skills: this.#skills.map(({ name }) => name) }),
        stdout: this.#said(0),
        stderr: this.#said(1),
      },
    };
  }
}

/** Absent when there are none. */
function okExit({ recipe, agent }: Pick<AgentProgram, "recipe" | "agent">): { readonly ok_exit?: number[] } {
  const all = [...new Set([...(recipe.ok_exit?.(agent.args) ?? []), ...(agent.ok_exit ?? [])])];
  return all.length === 0 ? {} : { ok_exit: all };
}

/** The characters of its last output that a message shows: of stderr, or of stdout when stderr is empty. */
const SAID_CHARS = 2_000;

/** Bytes kept of each end of what a program prints. */
const END_BYTES = 16 * 1024;

/** Reads a stream to its end and keeps its beginning and its end, whatever it prints. */
export class PrintedEnds {
  readonly done: Promise<void>;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #bytes = 0;

  constructor(stream: AsyncIterable<Uint8Array>) {
    // A stream that breaks off has been read as far as it came.
    this.done = this.#read(stream).catch(() => undefined);
  }

  /** What was kept so far, with a line for what was not. */
  get text(): string {
    const left_out = this.#bytes - this.#head.length - this.#tail.length;
    const note = left_out > 0 ? `\n[... ${left_out} bytes left out ...]\n` : "";
    return `${this.#head}${note}${this.#tail}`;
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of stream) {
      this.#bytes += chunk.byteLength;
      const room = END_BYTES - this.#head.length;
      if (room > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, room)]);
      const rest = chunk.subarray(Math.max(0, room)).slice(-END_BYTES);
      this.#tail = Buffer.concat([this.#tail, rest]).subarray(-END_BYTES);
    }
  }
}
