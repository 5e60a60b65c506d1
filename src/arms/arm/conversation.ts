import { createHash } from "node:crypto";
import type { Arm } from "../../domain/arm.ts";
import { CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS } from "../../domain/defaults.ts";
import type { Message, ModelReply, ModelRequest, ToolResult, ToolSpec } from "../model/client.ts";
import { specOf, type Tool } from "../tool/tool.ts";
import { type BudgetState, usedText } from "./budget.ts";
import { openingOf } from "./first-turn.ts";
import type { ArmRun } from "./run-arm.ts";

/** What an arm's model was told and said so far. Gives the request for its next turn. */
export class Conversation {
  readonly #arm: Arm;
  readonly #specs: readonly ToolSpec[];
  readonly #messages: Message[];
  readonly #replies = createHash("sha256");

  constructor(run: Pick<ArmRun, "arm" | "messages" | "prompt">, tools: readonly Tool[]) {
    this.#arm = run.arm;
    this.#specs = tools.map(specOf);
    this.#messages = openingOf(run);
  }

  /** @param remaining_ms working time that the arm has left */
  request(remaining_ms: number): ModelRequest {
    const { system_prompt, params } = this.#arm;
    return {
      system: system_prompt,
      messages: [...this.#messages],
      tools: this.#specs,
      params: { ...params, max_output_tokens: params.max_output_tokens ?? MAX_OUTPUT_TOKENS },
      timeout_ms: Math.max(1, Math.min(CALL_TIMEOUT_MS, Math.ceil(remaining_ms))),
    };
  }

  addReply({ text, calls, raw }: ModelReply): void {
    const called = calls.map(({ name, input, unparsed }) => [name, unparsed ?? input]);
    this.#replies.update(`${JSON.stringify([text, called])}\n`);
    this.#messages.push({ role: "assistant", text, calls, raw });
  }

  /** SHA-256 over the replies so far: texts, tool names and inputs. Ids of calls are left out, since providers draw them. */
  get replies_digest(): string {
    return this.#replies.copy().digest("hex");
  }

  addResults(results: readonly ToolResult[]): void {
    this.#messages.push({ role: "tool", results });
  }

  /** After a turn that was cut by the output limit. Its calls may be incomplete, so none of them is run. */
  explainCut({ calls }: ModelReply): void {
    const text = "Not run: your turn was cut by the output limit before it was complete.";
    if (calls.length > 0) this.addResults(calls.map((call) => ({ call_id: call.id, ok: false, text })));
    this.#tell("Your last turn was cut by the output limit. Go on from where you stopped, in smaller steps.");
  }

  goOn(follow_up: string): void {
    this.#tell(follow_up);
  }

  warn(low: readonly BudgetState[]): void {
    const lines = low.map((state) => `${state.budget}: ${usedText(state)}.`);
    this.#tell(`Notice: a budget runs low. ${lines.join(" ")} Finish what matters most; the work you leave counts.`);
  }

  #tell(text: string): void {
    this.#messages.push({ role: "user", text });
  }
}
