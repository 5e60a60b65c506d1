import type { Series } from "./series.ts";

interface Line {
  readonly kind: "axis" | "allowed" | "range";
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
}

interface Text {
  readonly x: number;
  readonly y: number;
  readonly anchor: "start" | "middle" | "end";
  readonly text: string;
}

/** Difference against cost, as marks of a picture of `WIDTH` x `HEIGHT`: the better the higher, the cheaper the farther left. */
interface Quadrant {
  /** `viewBox` of the picture. */
  readonly box: string;
  /** The same in words. */
  readonly label: string;
  readonly lines: readonly Line[];
  readonly texts: readonly Text[];
  readonly at: { readonly x: number; readonly y: number };
}

const WIDTH = 360;
const HEIGHT = 240;

const [LEFT, RIGHT, TOP, BOTTOM] = [48, WIDTH - 12, 12, HEIGHT - 28];
const [MIDDLE_X, MIDDLE_Y] = [(LEFT + RIGHT) / 2, (TOP + BOTTOM) / 2];

/** How opaque each kind of line is, and what it is dashed by. */
export const LINE_STYLES = {
  axis: { strokeOpacity: 0.45, strokeWidth: 1, strokeDasharray: "none" },
  allowed: { strokeOpacity: 0.6, strokeWidth: 1, strokeDasharray: "3 4" },
  range: { strokeOpacity: 1, strokeWidth: 2.5, strokeDasharray: "none" },
} as const;

/** Null while no trial counts, or no cost is known or compared. */
export function quadrantOf({ result, efficiency, levels }: Pick<Series, "result" | "efficiency" | "levels">) {
  const { ratio, low, high } = efficiency.cost_usd;
  if (!result || ratio === null || ratio <= 0) return null;
  const costs = [ratio, low, high].filter((one) => one !== null && one > 0) as number[];
  const factor = costs.reduce((most, one) => Math.max(most, one, 1 / one), 2);
  const points = [result.low, result.high, levels.not_worse_by].reduce(
    (most, one) => Math.max(most, Math.abs(one)),
    0.1,
  );
  const x = (cost: number) => toTenths(MIDDLE_X + (FILLED * (RIGHT - MIDDLE_X) * Math.log(cost)) / Math.log(factor));
  const y = (difference: number) => toTenths(MIDDLE_Y - (FILLED * (MIDDLE_Y - TOP) * difference) / points);
  const at = { x: x(ratio), y: y(result.difference) };
  const allowed = y(-levels.not_worse_by);
  return {
    box: `0 0 ${WIDTH} ${HEIGHT}`,
    label: labelOf(result, efficiency.cost_usd),
    at,
    lines: [
      { kind: "axis", x1: MIDDLE_X, y1: TOP, x2: MIDDLE_X, y2: BOTTOM },
      { kind: "axis", x1: LEFT, y1: MIDDLE_Y, x2: RIGHT, y2: MIDDLE_Y },
      { kind: "allowed", x1: LEFT, y1: allowed, x2: RIGHT, y2: allowed },
      { kind: "range", x1: at.x, y1: y(result.low), x2: at.x, y2: y(result.high) },
      ...(low === null || high === null
        ? []
        : [{ kind: "range" as const, x1: x(low), y1: at.y, x2: x(high), y2: at.y }]),
    ],
    texts: [
      ...CORNERS,
      { x: LEFT - 6, y: y(points) + 4, anchor: "end", text: `+${Math.round(100 * points)}` },
      { x: LEFT - 6, y: MIDDLE_Y + 4, anchor: "end", text: "0" },
      { x: LEFT - 6, y: y(-points) + 4, anchor: "end", text: `-${Math.round(100 * points)}` },
      { x: x(1 / factor), y: HEIGHT - 10, anchor: "middle", text: `${(1 / factor).toFixed(2)} x the cost` },
      { x: MIDDLE_X, y: HEIGHT - 10, anchor: "middle", text: "the same" },
      { x: x(factor), y: HEIGHT - 10, anchor: "middle", text: `${factor.toFixed(1)} x` },
    ],
  } satisfies Quadrant;
}

/** Share of the way to the edge that the farthest mark goes: the corners have words. */
const FILLED = 0.8;

const toTenths = (value: number) => Math.round(10 * value) / 10;

const CORNERS: readonly Text[] = [
  { x: LEFT + 4, y: TOP + 12, anchor: "start", text: "better, cheaper" },
  { x: RIGHT - 4, y: TOP + 12, anchor: "end", text: "better, dearer" },
  { x: LEFT + 4, y: BOTTOM - 5, anchor: "start", text: "worse, cheaper" },
  { x: RIGHT - 4, y: BOTTOM - 5, anchor: "end", text: "worse, dearer" },
];

function labelOf(
  result: NonNullable<Series["result"]>,
  { ratio, low, high }: Series["efficiency"]["cost_usd"],
): string {
  const points = (share: number) => `${share > 0 ? "+" : ""}${Math.round(100 * share)}`;
  const costs = low === null || high === null ? "range unknown" : `about ${low.toFixed(2)} to ${high.toFixed(2)}`;
  const difference = `${points(result.difference)} points (${points(result.low)} to ${points(result.high)})`;
  return `${result.candidate} against ${result.control}: ${difference}, at ${ratio?.toFixed(2)} times the cost (${costs})`;
}
