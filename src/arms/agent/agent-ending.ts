import { atContextLimit, finished, type Stop } from "../arm/arm-end.ts";
import type { DecisionLog } from "../arm/decision-log.ts";
import type { WireReply } from "../wire/wire.ts";

interface Ending {
  /** What the main conversation was told last; undefined: nothing. */
  readonly last: WireReply | "context_overflow" | undefined;
  /** What the agent ended with. */
  readonly exit: string;
  readonly redact: (text: string) => string;
}

/** How an arm ended whose agent has ended by itself. */
export function agentEnding(log: DecisionLog, { last, exit, redact }: Ending): Stop {
  if (last === "context_overflow") return atContextLimit(log, { tokens_in: null });
  if (last?.ended === "whole" && last.calls.length === 0) {
    const text = redact(last.text);
    const stop_reason = last.stop_reason ?? "end";
    if (CUT_OFF.has(stop_reason)) return cutOff(log, text, stop_reason);
    return finished(log, { text, stop: stop_reason === "refusal" ? "refusal" : "end", stop_reason });
  }
  if (exit === "0") return { status: "finished", stop_reason: "no_answer", final_answer: null };
  log.error("agent_exit", `the agent ended without an answer (${exit})`);
  return { status: "finished", stop_reason: `agent_exit:${exit}`, final_answer: null };
}

/** What the four wires call a reply that reached its limit of tokens. */
const CUT_OFF: ReadonlySet<string> = new Set(["max_tokens", "length", "max_output_tokens", "MAX_TOKENS"]);

function cutOff(log: DecisionLog, text: string, stop_reason: string): Stop {
  log.error(
    "cut_off",
    `the model's last reply was cut off at its limit of tokens (${stop_reason}): it is no whole answer`,
  );
  return { status: "finished", stop_reason: "cut_off", final_answer: text === "" ? null : text };
}
