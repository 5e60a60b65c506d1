import { colourWanted, isDumbTerminal } from "../services/services.ts";
import { isTerminal } from "./terminal.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

/** Colours for a person at a terminal; plain text for everyone else. */
export class Painter {
  readonly live: boolean;
  readonly #colour: boolean;

  constructor(colourAllowed: boolean) {
    const onTerminal = isTerminal(2);
    this.live = onTerminal && !isDumbTerminal();
    this.#colour = colourAllowed && colourWanted(onTerminal);
  }

  get columns(): number {
    return process.stderr.columns || 80;
  }

  paint(text: string, ...colours: readonly Colour[]): string {
    if (!this.#colour || colours.length === 0) return text;
    return `\x1b[${colours.map((colour) => CODES[colour]).join(";")}m${text}\x1b[0m`;
  }

  /** A bar of `width` cells, filled to `share`. */
  bar(share: number, width: number, ...colours: readonly Colour[]): string {
    const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
    return this.paint("█".repeat(filled), ...colours) + this.paint("░".repeat(width - filled), "dim");
  }
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * A range of shares on a scale from 0 to 1 whose middle is marked: `─────┼━━━━─`. The range crosses the mark, `┿`, only where
 * it includes the middle.
 * @param width in cells; an odd number
 */
export function rangeBar({ low, high }: Range, width: number, painter: Painter): string {
  const half = (width - 1) / 2;
  const isCovered = (cell: number) => low < (cell + 1) / (2 * half) && high > cell / (2 * half);
  const side = (first: number) => Array.from({ length: half }, (_, cell) => isCovered(first + cell));
  const crosses = low <= 0.5 && 0.5 <= high;
  const colour = crosses ? "yellow" : low > 0.5 ? "green" : "blue";
  const draw = (covered: boolean, light: string, heavy: string) =>
    covered ? painter.paint(heavy, colour) : painter.paint(light, "dim");
  const line = (cells: readonly boolean[]) => cells.map((covered) => draw(covered, "─", "━")).join("");
  return line(side(0)) + draw(crosses, "┼", "┿") + line(side(half));
}
