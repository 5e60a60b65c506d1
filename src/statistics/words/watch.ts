import { counted, countText, percentText } from "../../domain/number-text.ts";
import type { DetectorName, WatchChange, WatchReport } from "../../domain/watch.ts";
import { evidenceText } from "../figure-text.ts";

type Told = Omit<WatchReport, "statement">;

/** What a night of a watch says, for whoever reads nothing else. */
export function watchStatement(report: Told): string {
  const { arm, reference, night, nights, alarm, state, missing, trials, one_in } = report;
  if (state !== "completed" || missing === trials)
    return `Night ${night} does not count: ${state === "completed" ? "none of its trials gave a result" : `its series is ${state}`}. It says nothing of ${arm}.`;
  const values = report.detectors.map((one) => valueText(one, reference)).join("; ");
  const lost =
    missing > 0 ? ` ${countText(missing)} of ${counted(trials, "trial")} gave nothing and count as won.` : "";
  const evidence = `${evidenceText(report.evidence, 1 / one_in)} of ${countText(one_in)}`;
  if (!alarm)
    return `Quiet: ${arm} ${values}.${lost} Evidence of a fall: ${evidence}, after ${counted(nights, "night")}.`;
  return `Alarm: ${arm} is worse than in ${reference}. It ${values}.${lost} Evidence of a fall: ${evidence}, counted since night ${report.since}; where nothing falls, such an alarm comes once in about ${counted(one_in, "night")} or less often. ${report.changed.map(changeText).join(" ")}`;
}

const VALUE_TEXTS: Readonly<Record<DetectorName, string>> = {
  solved: "solved",
  difference: "has a win rate of",
};

function valueText({ by, tonight, reference, low }: WatchReport["detectors"][number], series_id: string): string {
  const now = tonight === null ? "nothing" : percentText(tonight);
  return `${VALUE_TEXTS[by]} ${now} tonight, ${percentText(reference)} in ${series_id} (at least ${percentText(low)})`;
}

function changeText(change: WatchChange): string {
  if (change.what === "cannot_tell")
    return "What changed cannot be told: the arm, the tasks and the names of the models that replied are as in the reference.";
  const who = change.what === "model_served" ? "Another model replied" : "Another judge replied";
  return `${who}: ${change.to.join(", ")}, where it was ${change.from.join(", ")} in the reference.`;
}

/** What a watch could tell, before its night begins. @param nights by what the arm falls to */
export const reachText = (
  { tasks, rounds, value }: { readonly tasks: number; readonly rounds: number; readonly value: number },
  nights: { readonly nothing: number; readonly half: number },
): string =>
  `${counted(tasks, "task")} a night, held to ${counted(rounds, "round")} of ${percentText(value)}: a fall to 0 is told in ${nightsText(nights.nothing)}, one to half in ${nightsText(nights.half)}`;

const nightsText = (nights: number) => (Number.isFinite(nights) ? counted(nights, "night") : "more than 30 nights");
