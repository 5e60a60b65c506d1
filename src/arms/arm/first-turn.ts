import type { Arm } from "../../domain/arm.ts";
import { BYTES_PER_TOKEN, MAX_OUTPUT_TOKENS } from "../../domain/defaults.ts";
import { costOf } from "../../domain/usage.ts";
import type { Message, ModelRequest } from "../model/client.ts";
import { toolbox } from "../tool/toolbox.ts";
import type { ArmRun } from "./run-arm.ts";

/** Tokens for a tool call and a sentence. A turn with fewer would waste them. */
const LEAST_TURN_TOKENS = 256;

export const leastTurnTokens = ({ params }: Pick<Arm, "params">): number =>
  Math.min(params.max_output_tokens ?? MAX_OUTPUT_TOKENS, LEAST_TURN_TOKENS);

/** What an arm's model reads first. */
export const openingOf = ({ messages = [], prompt }: Pick<ArmRun, "messages" | "prompt">): Message[] => [
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
