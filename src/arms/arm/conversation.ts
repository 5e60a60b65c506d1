import { createHash } from "node:crypto";
import type { Arm } from "../../domain/arm.ts";
import { BYTES_PER_TOKEN, CALL_TIMEOUT_MS, MAX_OUTPUT_TOKENS } from "../../domain/defaults.ts";
import { excerpt } from "../../domain/excerpt.ts";
import { costOf } from "../../domain/usage.ts";
import type { Message, ModelReply, ModelRequest, ToolResult, ToolSpec } from "../model/client.ts";
import { specOf, type Tool } from "../tool/tool.ts";
import { toolbox } from "../tool/toolbox.ts";
import type { ArmEnd, Stop } from "./arm-end.ts";
import { type BudgetState, usedText } from "./budget.ts";
import { type DecisionLog, oneLine } from "./decision-log.ts";
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

/** Tokens for a tool call and a sentence. A turn with fewer would waste them. */
const LEAST_TURN_TOKENS = 256;

export const leastTurnTokens = ({ params }: Pick<Arm, "params">): number =>
  Math.min(params.max_output_tokens ?? MAX_OUTPUT_TOKENS, LEAST_TURN_TOKENS);

/** What an arm's model reads first. */
const openingOf = ({ messages = [], prompt }: Pick<ArmRun, "messages" | "prompt">): Message[] => [
  ...messages.map(
    ({ role, text }): Message => (role === "user" ? { role, text } : { role, text, calls: [], given: true }),
  ),
  { role: "user", text: prompt },
];

/** USD that an arm needs for the shortest first turn; null without a price. */
export function leastFirstTurn(arm: Arm, task: Pick<ArmRun, "messages" | "prompt">): number | null {
  const tokens_in = tokensToSend({
    system: arm.system_prompt,
    tools: toolbox(arm.tools),
    messages: openingOf(task),
  });
  return costOf(arm.price_per_mtok, { tokens_in, tokens_out: leastTurnTokens(arm) });
}

/** An estimate from bytes. */
export const tokensToSend = ({ system, tools, messages }: Pick<ModelRequest, "system" | "tools" | "messages">) =>
  (bytesOf([system, tools]) + bytesOf(messages)) / BYTES_PER_TOKEN;

export const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What an arm answers in a conversation: to its prompt, then to each follow-up. */
export class AnsweredSoFar {
  readonly #follow_ups: readonly string[] | undefined;
  readonly #log: DecisionLog;
  readonly #given: string[] = [];

  constructor(follow_ups: ArmRun["follow_ups"], log: DecisionLog) {
    this.#follow_ups = follow_ups;
    this.#log = log;
  }

  /** What the user says to the answer with which the arm would stop; undefined: the arm stops with it. */
  next({ stop_reason, final_answer }: Stop): string | undefined {
    if (stop_reason !== "final_answer" || final_answer === null) return undefined;
    const text = this.#follow_ups?.[this.#given.length];
    if (text === undefined) return undefined;
    this.#given.push(final_answer);
    this.#log.add("follow_up", { summary: oneLine(text), detail: { number: this.#given.length, text: excerpt(text) } });
    return text;
  }

  /** How the arm stopped, with all that it answered. The last answer is the final one, whatever stopped the arm. */
  all<Stopped extends Pick<ArmEnd, "final_answer">>(stop: Stopped): Stopped & Pick<ArmEnd, "answers"> {
    if (this.#follow_ups === undefined) return stop;
    const { final_answer } = stop;
    const answers = [...this.#given, ...(final_answer === null ? [] : [final_answer])];
    return { ...stop, final_answer: answers.at(-1) ?? null, answers };
  }
}
