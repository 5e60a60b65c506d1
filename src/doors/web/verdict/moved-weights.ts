/** Weights that a reader moved, as they stand in an address: `tests:2,style:0.5`. */

/** By criterion id; those that are not named have the rubric's weight. */
export type MovedWeights = ReadonlyMap<string, number>;

/** What the sliders reach at least. */
const SCALE_TOP = 10;

/** The scale ends at twice the rubric's weight, and at 10 at least. */
export const topWeight = (rubric_weight: number) => Math.max(SCALE_TOP, rubric_weight * 2);

/** An address can hold anything: what names no criterion, or is no weight of its scale, is left out. */
export function readWeights(text: string | null, rubric: ReadonlyMap<string, number>): MovedWeights {
  const named = (text ?? "").split(",").map((entry) => {
    const [id = "", weight = ""] = entry.split(":");
    return [id, weight === "" ? Number.NaN : Number(weight)] as const;
  });
  return new Map(named.filter(([id, weight]) => weight >= 0 && weight <= topWeight(rubric.get(id) ?? Number.NaN)));
}

/** Null when none differs from the rubric's. */
export function writeWeights(moved: MovedWeights, rubric: ReadonlyMap<string, number>): string | null {
  const differing = [...moved].filter(([id, weight]) => rubric.get(id) !== weight);
  return differing.length === 0 ? null : differing.map(([id, weight]) => `${id}:${weight}`).join(",");
}
