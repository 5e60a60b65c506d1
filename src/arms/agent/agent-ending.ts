import { answered, atContextLimit, type Stop } from "../arm/arm-end.ts";
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
    return answered(log, { text: redact(last.text), stop_reason: last.stop_reason ?? "end" });
  }
  if (exit === "0") return { status: "finished", stop_reason: "no_answer", final_answer: null };
  log.error("agent_exit", `the agent ended without an answer (${exit})`);
  return { status: "finished", stop_reason: `agent_exit:${exit}`, final_answer: null };
}
