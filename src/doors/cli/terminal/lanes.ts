import stringWidth from "string-width";
import { effectiveBudget } from "../../../arms/arm/budget.ts";
import type { Decision } from "../../../domain/decision.ts";
import type { RunEvent } from "../../../domain/event.ts";
import type { Budget } from "../../../domain/policies.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { Clock } from "../../../runtime/clock.ts";
import type { Announcement } from "../../operation/follow-run.ts";
import type { Painter } from "./paint.ts";

/** What a watcher knows of an arm. */
interface Lane {
  readonly arm_id: string;
  readonly budget: Budget;
  readonly turns: number;
  readonly tool_calls: number;
  readonly tokens: number;
  readonly last: string;
  readonly finished: boolean;
}

/** Milliseconds between redraws, so that the clock runs while a model thinks. */
const REFRESH_MS = 100;

/** Widths of a bar in cells. Short bars are better than a budget that is not shown. */
const BAR_WIDTHS: readonly number[] = [10, 6, 3, 0];

type Use = readonly [name: string, used: number, limit: number];

/** Two arms side by side in time: a block of lines at the bottom of the terminal that is redrawn in place. */
class Lanes {
  readonly #title: string;
  readonly #painter: Painter;
  readonly #clock: Clock;
  #height = 0;
  #ended = false;

  constructor(title: string, painter: Painter, clock: Clock) {
    this.#title = title;
    this.#painter = painter;
    this.#clock = clock;
  }

  /** Draws until disposed. The last drawing stays. */
  start(lanes: () => readonly Lane[]): Disposable {
    const began = this.#clock.ticks();
    const draw = () => this.#draw(lanes(), (this.#clock.ticks() - began) / 1000);
    const timer = setInterval(draw, REFRESH_MS);
    process.stderr.write("\x1b[?25l");
    draw();
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        this.#ended = true;
        draw();
        process.stderr.write("\x1b[?25h");
      },
    };
  }

  #draw(lanes: readonly Lane[], seconds: number): void {
    const painter = this.#painter;
    const atWork = lanes.every((lane) => lane.finished) ? "both stopped; checking and judging" : "running";
    const phase = this.#ended ? "ended" : atWork;
    const lines = [
      asMany(painter.columns, [
        painter.paint(cells(this.#title, painter.columns - 1), "bold"),
        painter.paint(`${phase}, ${seconds.toFixed(1)} s`, "dim"),
      ]),
      ...lanes.flatMap((lane) => this.#lane(lane, seconds)),
    ];
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : "";
    this.#height = lines.length;
    process.stderr.write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
  }

  #lane(lane: Lane, seconds: number): string[] {
    const painter = this.#painter;
    const { budget, turns, tokens, tool_calls } = lane;
    const mark = lane.finished ? painter.paint("■", "green") : painter.paint("▶", "cyan");
    const uses: readonly Use[] = [
      ["turns", turns, budget.max_turns],
      ["calls", tool_calls, budget.max_tool_calls],
      ["tokens", tokens, budget.max_tokens],
      ...(lane.finished ? [] : [["s", seconds, budget.max_seconds] satisfies Use]),
    ];
    const head = `${mark} ${painter.paint(cells(lane.arm_id, 24).padEnd(16), "bold")}`;
    return [metered(head, uses, painter), `  ${painter.paint(cells(lane.last, painter.columns - 3), "dim")}`];
  }
}

/** A name and the meters of all budgets, with the widest bars that fit on one line. */
export function metered(head: string, uses: readonly Use[], painter: Painter): string {
  const parts = BAR_WIDTHS.map((width) => [head, ...uses.map((use) => meter(use, width, painter))]);
  const whole = parts.find((line) => stringWidth(line.join(GAP)) < painter.columns);
  return asMany(painter.columns, whole ?? parts.at(-1) ?? [head]);
}

const GAP = "  ";

/** Joins as many parts as fit on one line, because a wrapped line would be redrawn in the wrong place. */
function asMany(columns: number, [head = "", ...parts]: readonly string[]): string {
  let line = head;
  for (const part of parts) {
    if (stringWidth(line + GAP + part) >= columns) break;
    line = `${line}${GAP}${part}`;
  }
  return line;
}

function meter([name, used, limit]: Use, width: number, painter: Painter): string {
  const share = used / limit;
  const colour = share >= 1 ? "red" : share >= 0.8 ? "yellow" : "cyan";
  const bar = width === 0 ? "" : `${painter.bar(share, width, colour)} `;
  return `${bar}${short(used)}/${short(limit)} ${name}`;
}

/** A text in at most `width` cells of a terminal, with an ellipsis where it is cut; some characters take two. */
export function cells(text: string, width: number): string {
  let [start, used, fits] = ["", 0, ""];
  for (const character of text) {
    used += stringWidth(character);
    if (used > width) return `${fits}${width > 0 ? "…" : ""}`;
    start += character;
    if (used < width) fits = start;
  }
  return start;
}

/** 1234567 as 1.2M: a meter has no room for more. */
function short(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (value >= 10_000) return `${Math.round(value / 1000)}k`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}k`;
  return String(Math.floor(value));
}

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
