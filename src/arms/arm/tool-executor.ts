import { PROGRAM_ENDED } from "../../domain/decision.ts";
import type { Violation } from "../../domain/evidence.ts";
import { Mistake, wordsOf } from "../../domain/failure.ts";
import { skillRead } from "../../domain/skill.ts";
import type { Effect } from "../../domain/tool.ts";
import { ownTurn } from "../../runtime/pace.ts";
import type { ToolCall, ToolResult } from "../model/client.ts";
import { refusalOf } from "../policy/refusal.ts";
import { type CallRecord, didNothing, heldSubject } from "../policy/review.ts";
import { type PreparedCall, prepareCall, runCall } from "../tool/invoke.ts";
import type { Tool, ToolOutput } from "../tool/tool.ts";
import { callText, type DecisionLog, oneLine } from "./decision-log.ts";
import { disqualifyingPaths } from "./protected-paths.ts";
import type { ArmRun } from "./run-arm.ts";

interface ExecutorSettings extends Pick<ArmRun, "policies" | "workspace" | "clock" | "redact"> {
  readonly tools: readonly Tool[];
  readonly log: DecisionLog;
  readonly signal: AbortSignal;
}

/** Runs an arm's tool calls: prepare, policy, run. Each ends in a result that the model reads. */
export class ToolExecutor {
  readonly records: CallRecord[] = [];
  readonly #settings: ExecutorSettings;
  #mayHaveBroken = false;

  constructor(settings: ExecutorSettings) {
    this.#settings = settings;
  }

  /** @throws Failure for a fault of ours; the signal's reason when it fires. */
  async answer(call: ToolCall): Promise<ToolResult> {
    // Rules take some ten milliseconds for the worst command, and a turn may have a thousand that are refused.
    await ownTurn();
    const begun = { ticks: this.#settings.clock.ticks(), nth: this.records.length };
    try {
      const output = await this.#outcome(call);
      const text = this.#settings.redact(output.text);
      if (!output.refused) this.#record(call, { ...output, text }, begun);
      return { call_id: call.id, ok: output.ok, text };
    } catch (error) {
      // A call that was stopped may have left traces, and the log must show their cause.
      const text = `Stopped before it was done: ${wordsOf(error)}`;
      if (this.#settings.signal.aborted) this.#record(call, { text, ok: false, exit_code: null, bytes: 0 }, begun);
      throw error;
    }
  }

  /** @param begun an invalid call has no record of its own */
  #record(call: ToolCall, output: ToolOutput, begun: { readonly ticks: number; readonly nth: number }): void {
    const { text, ok, exit_code, bytes, fault } = output;
    const made = this.records[begun.nth];
    if (made) made.failed = didNothing(made.effect, output);
    const tool = this.#settings.tools.find(({ name }) => name === call.name);
    const skill = skillReadBy(call);
    this.#settings.log.call({
      ...{ told: callText(call), text, ok, exit_code, bytes },
      latency_ms: this.#settings.clock.ticks() - begun.ticks,
      ...(tool && { effect: tool.effect }),
      ...(skill !== undefined && { skill: this.#settings.redact(skill) }),
    });
    if (fault !== undefined) this.#settings.log.error(PROGRAM_ENDED, this.#settings.redact(fault));
  }

  /** Broken rules that end the arm now. Looks only after calls that the policy does not see through. */
  async disqualifying(): Promise<readonly Violation[]> {
    const mayHaveBroken = this.#mayHaveBroken;
    this.#mayHaveBroken = false;
    return mayHaveBroken ? await disqualifyingPaths(this.#settings, this.#settings.log) : [];
  }

  async #outcome(call: ToolCall): Promise<ToolOutput & { readonly refused?: true }> {
    try {
      const prepared = prepareCall(this.#settings.tools, call, this.#settings.workspace.at);
      return this.#refusal(call, prepared) ?? (await this.#run(prepared));
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      return { text: error.message, ok: false, exit_code: null, bytes: Buffer.byteLength(error.message) };
    }
  }

  #refusal(call: ToolCall, { tool, subject }: PreparedCall): (ToolOutput & { readonly refused: true }) | undefined {
    const { name, effect } = tool;
    const refusal = refusalOf(this.#settings.policies, effect, subject);
    this.records.push({ tool: name, effect, subject: heldSubject(subject), refused_by: refusal?.rule ?? null });
    if (!refusal) return undefined;
    const detail = { rule: refusal.rule, tool: name, input: callText(call).input };
    this.#settings.log.block(detail, oneLine(subject));
    return { text: refusal.message, ok: false, exit_code: null, bytes: 0, refused: true };
  }

  async #run(prepared: PreparedCall): Promise<ToolOutput> {
    const { policies, workspace, signal } = this.#settings;
    this.#mayHaveBroken ||= UNSEEN.includes(prepared.tool.effect);
    const output = await runCall(prepared, {
      workspace,
      signal,
      timeout_ms: policies.commands.timeout_s * 1000,
      max_output_bytes: policies.commands.max_output_kb * 1024,
      network: policies.network,
    });
    signal.throwIfAborted();
    return output;
  }
}

function skillReadBy({ name, input }: ToolCall): string | undefined {
  const { command, path }: { readonly command?: unknown; readonly path?: unknown } = Object(input);
  return skillRead(name, [command, path].find((value) => typeof value === "string") ?? "");
}

/** What such a call writes is known only afterwards. */
const UNSEEN: readonly Effect[] = ["command", "opaque"];
