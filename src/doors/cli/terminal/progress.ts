import { effectiveBudget } from "../../../arms/arm/budget.ts";
import type { Decision } from "../../../domain/decision.ts";
import type { RunEvent } from "../../../domain/event.ts";
import type { Budget } from "../../../domain/policies.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Announcement } from "../../operation/follow-run.ts";
import { type Lane, Lanes } from "./lanes.ts";
import type { Painter } from "./paint.ts";

interface Progress {
  /** Resolves when the run has no more events. */
  follow(run: AsyncIterable<Announcement>): Promise<void>;
}

/** Two lanes that redraw themselves on a terminal, or one line for each decision elsewhere. */
export function openProgress(scenario: Scenario, painter: Painter, clock: Clock): Progress {
  return painter.live ? lanesProgress(scenario, new Lanes(scenario.name, painter, clock)) : linesProgress;
}

const linesProgress: Progress = {
  async follow(run) {
    for await (const { event } of run) process.stderr.write(lineOf(event));
  },
};

function lanesProgress({ arms, policies }: Scenario, screen: Lanes): Progress {
  const lanes = new Map(arms.map((arm) => [arm.id, emptyLane(arm.id, effectiveBudget(policies.budget, arm.limits))]));
  return {
    async follow(run) {
      using _drawn = screen.start(() => [...lanes.values()]);
      for await (const { event } of run) {
        const lane = "arm_id" in event ? lanes.get(event.arm_id) : undefined;
        if (lane) lanes.set(lane.arm_id, advance(lane, event));
      }
    },
  };
}

const emptyLane = (arm_id: string, budget: Budget): Lane => ({
  arm_id,
  budget,
  turns: 0,
  tool_calls: 0,
  tokens: 0,
  last: "",
  finished: false,
});

function advance(lane: Lane, event: RunEvent): Lane {
  if (event.event === "arm_finished") return { ...lane, finished: true };
  if (event.event !== "decision") return lane;
  const { kind, tokens_in, tokens_out, summary } = event.decision;
  return {
    ...lane,
    turns: lane.turns + (kind === "model_turn" ? 1 : 0),
    tool_calls: lane.tool_calls + (kind === "tool_call" || kind === "policy_block" ? 1 : 0),
    tokens: lane.tokens + tokens_in + tokens_out,
    last: summary,
  };
}

function lineOf(event: RunEvent): string {
  if (event.event === "decision") return decisionLine(event.arm_id, event.decision);
  if (event.event === "arm_finished") return `${event.arm_id}: stopped\n`;
  return "";
}

function decisionLine(arm_id: string, { seq, kind, summary, latency_ms }: Decision): string {
  return `${arm_id} #${seq} ${kind}: ${summary} (${latency_ms} ms)\n`;
}
