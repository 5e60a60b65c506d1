import type { ScriptTurn } from "../../src/domain/arm.ts";
import type { Action, FakeReply, SeenRequest } from "./exchange.ts";

export interface Play {
  /** The script of the arm that asks, told by its system prompt, model or first message; undefined when none does. */
  readonly scriptOf: (request: SeenRequest) => readonly ScriptTurn[] | undefined;
  /** The input of the judge's answering tool, for requests that belong to no script. */
  readonly judge?: (request: SeenRequest) => unknown;
  /** Keep the scripts' own delays. Absent: they are left out. */
  readonly delays?: true;
}

/** Answers as a real model would that follows the arms' scripts, and as a judge. */
export function playScript({ scriptOf, judge, delays }: Play): (request: SeenRequest) => Promise<Action> {
  return async (request) => {
    const script = scriptOf(request);
    if (script !== undefined) return playTurn(script, request, delays === true);
    const tool = request.force_tool ?? request.tools[0]?.name;
    if (judge === undefined || tool === undefined) {
      return { status: 400, body: { error: { type: "no_script", message: "This request belongs to no script." } } };
    }
    return { calls: [{ name: tool, input: await judge(request) }] };
  };
}

function playTurn(script: readonly ScriptTurn[], { messages }: SeenRequest, delays: boolean): FakeReply {
  const turn = script[messages.filter(({ role }) => role === "assistant").length];
  if (turn === undefined) return { text: "The script has ended." };
  const calls = (turn.calls ?? []).flatMap((call) => Object.entries(call)).map(([name, input]) => ({ name, input }));
  return { text: turn.say ?? "", calls, ...(delays && turn.delay_ms !== undefined ? { delay_ms: turn.delay_ms } : {}) };
}
