import type { Clock } from "../clock.ts";
import { NAMED_VIOLATIONS } from "../domain/defaults.ts";
import type { Violation } from "../domain/evidence.ts";
import { excerpt } from "../domain/excerpt.ts";
import { Mistake } from "../domain/failure.ts";
import type { Policies } from "../domain/scenario.ts";
import type { ToolCall, ToolResult } from "../model/client.ts";
import { gate } from "../policy/gate.ts";
import { refusedPath } from "../policy/path-rules.ts";
import type { CallRecord } from "../policy/review.ts";
import { type PreparedCall, prepareCall, runCall } from "../tool/invoke.ts";
import type { Tool, ToolOutput } from "../tool/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type DecisionLog, oneLine } from "./decision-log.ts";

interface Desk {
  readonly tools: readonly Tool[];
  readonly policies: Policies;
  readonly workspace: Workspace;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  readonly log: DecisionLog;
  readonly signal: AbortSignal;
}

/** Takes an arm's tool calls: prepare, policy gate, run. Every way out is a result that the model reads. */
export class ToolDesk {
  readonly records: CallRecord[] = [];
  readonly #desk: Desk;
  #ranCommand = false;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** @throws Failure for a fault of ours; the signal's reason when it fires. */
  async answer(call: ToolCall): Promise<ToolResult> {
    const began = this.#desk.clock.ticks();
    try {
      const output = await this.#outcome(call);
      const text = this.#desk.redact(output.text);
      if (!output.refused) this.#record(call, { ...output, text }, began);
      return { call_id: call.id, ok: output.ok, text };
    } catch (error) {
      // What was begun may have left traces: the log must have their cause.
      const text = `Stopped before it was done: ${error instanceof Error ? error.message : String(error)}`;
      if (this.#desk.signal.aborted) this.#record(call, { text, ok: false, exit_code: null, bytes: 0 }, began);
      throw error;
    }
  }

  #record(call: ToolCall, output: ToolOutput, began: number): void {
    const { text, ok, exit_code, bytes } = output;
    const tool = this.#desk.tools.find(({ name }) => name === call.name);
    this.#desk.log.add("tool_call", {
      summary: `${call.name} ${oneLine(aboutOf(call.input), ABOUT_CHARS)}${ending(output)}`,
      latency_ms: this.#desk.clock.ticks() - began,
      detail: {
        tool: call.name,
        ...(tool && { effect: tool.effect }),
        input: inputText(call),
        ok,
        exit_code,
        output: excerpt(text),
        bytes,
      },
    });
  }

  /** Broken rules that end the arm now; looks only after a command, since the other tools are stopped at the gate. */
  async disqualifying(): Promise<readonly Violation[]> {
    const { policies, workspace } = this.#desk;
    const ranCommand = this.#ranCommand;
    this.#ranCommand = false;
    if (!ranCommand || policies.severity.protected_path !== "disqualify" || policies.paths.protected.length === 0)
      return [];
    const paths = await workspace.altered(policies.paths.protected);
    return paths.slice(0, NAMED_VIOLATIONS).map((path) => this.#violate(path));
  }

  #violate(subject: string): Violation {
    const rule = refusedPath(this.#desk.policies.paths, subject) ?? subject;
    const severity = "disqualify";
    const summary = `protected path changed: ${subject}`;
    this.#desk.log.add("policy_violation", { summary, detail: { rule, severity, subject } });
    return { rule, severity, subject, blocked: false };
  }

  async #outcome(call: ToolCall): Promise<ToolOutput & { readonly refused?: true }> {
    try {
      const prepared = prepareCall(this.#desk.tools, call);
      return this.#refusal(call, prepared) ?? (await this.#run(prepared));
    } catch (error) {
      if (!(error instanceof Mistake)) throw error;
      return { text: error.message, ok: false, exit_code: null, bytes: Buffer.byteLength(error.message) };
    }
  }

  #refusal(call: ToolCall, { tool, subject }: PreparedCall): (ToolOutput & { readonly refused: true }) | undefined {
    const { name, effect } = tool;
    const refusal = gate(this.#desk.policies, effect, subject);
    this.records.push({ tool: name, effect, subject, refused_by: refusal?.rule ?? null });
    if (!refusal) return undefined;
    this.#desk.log.add("policy_block", {
      summary: `refused ${name} ${oneLine(subject)}: ${refusal.rule}`,
      detail: { rule: refusal.rule, tool: name, input: inputText(call) },
    });
    return { text: refusal.message, ok: false, exit_code: null, bytes: 0, refused: true };
  }

  async #run(prepared: PreparedCall): Promise<ToolOutput> {
    const { policies, workspace, signal } = this.#desk;
    this.#ranCommand ||= prepared.tool.effect === "command";
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

/** For a summary: the command, the path or the pattern of a call, which may fit no tool. */
function aboutOf(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const { command, path, pattern } = input as { command?: unknown; path?: unknown; pattern?: unknown };
  return [command, path, pattern].find((value): value is string => typeof value === "string") ?? "";
}

const inputText = (call: ToolCall) => excerpt(call.unparsed ?? JSON.stringify(call.input) ?? "");

/** Characters of a command or path in a summary: how it ended must still fit. */
const ABOUT_CHARS = 90;
const REASON_CHARS = 50;

function ending({ ok, exit_code, text }: ToolOutput): string {
  if (exit_code !== null) return ` → exit ${exit_code}`;
  if (ok) return "";
  // A tool says first what was wrong; a command that was stopped says it last.
  const lines = text.trim().split("\n");
  const last = lines.at(-1) ?? "";
  return ` → ${oneLine(last.startsWith("[") ? last : (lines[0] ?? ""), REASON_CHARS)}`;
}
