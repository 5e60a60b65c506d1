import { setTimeout as sleep } from "node:timers/promises";
import type { ScriptTurn } from "../../domain/arm.ts";
import { BYTES_PER_TOKEN } from "../../domain/defaults.ts";
import type { Message, ModelClient, ModelRequest, ToolCall, ToolSpec } from "./client.ts";
import { splitModelRef } from "./model-ref.ts";

const SCRIPT_ENDED = "The script has ended.";

/**
 * Replays an arm's own script. The turns in the request say which turn is due, so the same request always gets the same
 * reply. Token counts are estimates from the length of the text, the same on every machine.
 */
export function scriptedModel(ref: string, script: readonly ScriptTurn[]): ModelClient {
  const { model } = splitModelRef(ref);
  return {
    ref,
    complete: async (request, { signal }) => {
      signal.throwIfAborted();
      const position = request.messages.filter((message) => message.role === "assistant" && !message.given).length;
      const turn = script[position];
      await pause(turn?.delay_ms ?? 0, signal);
      const text = turn === undefined ? SCRIPT_ENDED : (turn.say ?? "");
      const calls = (turn?.calls ?? []).flatMap((call) => Object.entries(call)).map(toCall(position));
      const stop = calls.length > 0 ? "calls" : "end";
      return {
        text,
        calls,
        stop,
        stop_reason: turn === undefined ? "script_ended" : stop,
        tokens_in: tokens(requestBytes(request)),
        tokens_out: tokens(messageBytes({ role: "assistant", text, calls })),
        cached_tokens: 0,
        model_served: model,
      };
    },
  };
}

function toCall(position: number) {
  return ([name, input]: [string, unknown], index: number): ToolCall => ({
    id: `call_${position + 1}_${index + 1}`,
    name,
    input,
  });
}

async function pause(delay_ms: number, signal: AbortSignal): Promise<void> {
  if (delay_ms === 0) return;
  try {
    await sleep(delay_ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

const tokens = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);

const requestBytes = ({ system, tools, messages }: ModelRequest) =>
  tools.reduce((sum, tool) => sum + toolBytes(tool), Buffer.byteLength(system)) +
  messages.reduce((sum, message) => sum + messageBytes(message), 0);

const toolBytes = ({ name, description, input }: ToolSpec) =>
  Buffer.byteLength(name) + Buffer.byteLength(description) + Buffer.byteLength(JSON.stringify(input));

function messageBytes(message: Message): number {
  switch (message.role) {
    case "user":
      return Buffer.byteLength(message.text);
    case "assistant":
      return message.calls.reduce(
        (sum, { name, input }) => sum + Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(input) ?? ""),
        Buffer.byteLength(message.text),
      );
    case "tool":
      return message.results.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  }
}
