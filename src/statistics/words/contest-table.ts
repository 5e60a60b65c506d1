import type { Contest, ContestArm } from "../../domain/contest.ts";
import { countText, percentText, usdText } from "../../domain/number-text.ts";
import { signedPoints } from "../../domain/points-text.ts";
import { confidenceText } from "../figure-text.ts";

type Told = Omit<Contest, "statement">;

interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A line for each arm, best first: its value, its distance from the control with its range, its ranks and what it costs. */
export function contestTable(contest: Told): Table {
  const { control, arms, mode } = contest.contest;
  const value = contest.measure === "score" ? ["score"] : contest.measure === "solved" ? ["solved"] : [];
  const against =
    control === null
      ? ["lead over the others"]
      : [`points against ${control}`, `${confidenceText(contest.levels.alpha)} range`];
  const hasCosts = arms.some(({ cost }) => cost.mean !== null);
  const rows = arms.map((arm) => [
    arm.arm_id,
    armStandingText(contest, arm),
    rankText(arm),
    ...(value.length === 0 ? [] : [valueText(contest, arm)]),
    ...(control === null
      ? [arm.lead === null ? "–" : signedPoints(arm.lead)]
      : [arm.result ? signedPoints(arm.result.difference) : "–", rangeText(arm)]),
    countText(arm.trials),
    ...(hasCosts ? [usdText(arm.cost.mean)] : []),
  ]);
  return {
    head: [
      "arm",
      mode === "best" ? "best?" : "answer",
      "rank",
      ...value,
      ...against,
      "trials",
      ...(hasCosts ? ["cost of one"] : []),
    ],
    rows,
  };
}

/** What is known of an arm, in few words. */
export function armStandingText(
  { contest: { mode, control, arms } }: Told,
  { arm_id, status, claim, out_at_round }: ContestArm,
): string {
  const at = out_at_round === null ? "" : ` after ${countText(out_at_round)}`;
  const isAlone = arms.filter((arm) => arm.status === "best_set").length === 1;
  if (mode === "best") return status === "out" ? `out${at}` : isAlone ? "best" : "may be best";
  if (arm_id === control) return "control";
  return claim === null ? "not known yet" : `${claim.replace("_", " ")}${at}`;
}

const rankText = ({ rank: [low, high] }: ContestArm) => (low === high ? `${low}` : `${low} to ${high}`);

/** Its solved share or mean score; a dash where there is none. */
export const valueText = ({ measure }: Told, { value }: ContestArm) => {
  if (value === null) return "–";
  return measure === "score" ? value.toFixed(3).replace(/^0/, "") : percentText(value);
};

export const rangeText = ({ result }: Pick<ContestArm, "result">) =>
  result ? `${signedPoints(result.low)} to ${signedPoints(result.high)}` : "–";

/** What the ranks mean, below the table. */
export const RANKS_TEXT = "Ranks hold together: each arm has one of these places. Who is out is not first.";

/** A line for each pair: how far they are apart, and who is shown to be better. */
export function pairTable({ contest: { pairs }, levels }: Told): Table {
  const rows = pairs.map(({ arms: [a = "", b = ""], result, claim, rounds }) => [
    result ? `${result.candidate} against ${result.control}` : `${b} against ${a}`,
    result ? signedPoints(result.difference) : "–",
    rangeText({ result }),
    claim ?? "–",
    countText(rounds),
  ]);
  return { head: ["pair", "points", `${confidenceText(levels.alpha)} range`, "better", "rounds"], rows };
}
