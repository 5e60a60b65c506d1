import type { Clock } from "../clock.ts";
import type { Painter } from "./paint.ts";
import type { Lane } from "./progress.ts";

/** Redrawn this often, so that the seconds run while a model thinks. */
const REFRESH_MS = 100;
const BAR_WIDTH = 10;

/** Two arms side by side in time: a block of lines at the bottom of the terminal that is redrawn in place. */
export class Lanes {
  readonly #title: string;
  readonly #painter: Painter;
  readonly #clock: Clock;
  #height = 0;

  constructor(title: string, painter: Painter, clock: Clock) {
    this.#title = title;
    this.#painter = painter;
    this.#clock = clock;
  }

  /** Draws until disposed; what was drawn last stays. */
  start(lanes: () => readonly Lane[]): Disposable {
    const began = this.#clock.ticks();
    const draw = () => this.#draw(lanes(), (this.#clock.ticks() - began) / 1000);
    const timer = setInterval(draw, REFRESH_MS);
    process.stderr.write("\x1b[?25l");
    draw();
    return {
      [Symbol.dispose]: () => {
        clearInterval(timer);
        draw();
        process.stderr.write("\x1b[?25h");
      },
    };
  }

  #draw(lanes: readonly Lane[], seconds: number): void {
    const { paint } = this.#bound;
    const phase = lanes.every((lane) => lane.finished) ? "both stopped; checking and judging" : "running";
    const lines = [
      `${paint(this.#title, "bold")}  ${paint(`${phase}, ${seconds.toFixed(1)} s`, "dim")}`,
      ...lanes.flatMap((lane) => this.#lane(lane, seconds)),
    ];
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : "";
    this.#height = lines.length;
    process.stderr.write(`${up}${lines.map((line) => `\x1b[2K${line}\n`).join("")}`);
  }

  #lane(lane: Lane, seconds: number): string[] {
    const { paint } = this.#bound;
    const { budget, turns, tokens, tool_calls } = lane;
    const mark = lane.finished ? paint("■", "green") : paint("▶", "cyan");
    const meters = [
      this.#meter("turns", turns, budget.max_turns),
      this.#meter("calls", tool_calls, budget.max_tool_calls),
      this.#meter("tokens", tokens, budget.max_tokens),
      ...(lane.finished ? [] : [this.#meter("s", seconds, budget.max_seconds)]),
    ];
    const head = `${mark} ${paint(lane.arm_id.padEnd(16).slice(0, 24), "bold")}`;
    return [`${head} ${this.#fit(meters)}`, `  ${paint(lane.last.slice(0, this.#painter.columns - 3), "dim")}`];
  }

  /** As many meters as the line holds. */
  #fit(meters: readonly string[]): string {
    const room = Math.max(1, Math.floor((this.#painter.columns - 26) / (BAR_WIDTH + 16)));
    return meters.slice(0, room).join("  ");
  }

  #meter(name: string, used: number, limit: number): string {
    const share = used / limit;
    const colour = share >= 1 ? "red" : share >= 0.8 ? "yellow" : "cyan";
    return `${this.#painter.bar(share, BAR_WIDTH, colour)} ${short(used)}/${short(limit)} ${name}`;
  }

  get #bound() {
    return { paint: this.#painter.paint.bind(this.#painter) };
  }
}

/** 1234567 as 1.2M: a meter has no room for more. */
function short(value: number): string {
  if (value >= 1_000_000) return `${Number((value / 1_000_000).toFixed(1))}M`;
  if (value >= 10_000) return `${Math.round(value / 1000)}k`;
  if (value >= 1000) return `${(value / 1000).toFixed(1)}k`;
  return String(Math.floor(value));
}
