import type { Painter } from "./paint.ts";

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
