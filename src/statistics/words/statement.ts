import { memberName, memberWord } from "../../domain/member.ts";
import { counted, countText, percentText, usdText } from "../../domain/number-text.ts";
import type { EarlierTrials, Series } from "../../domain/series.ts";
import { MAX_TRIALS_IN_ALL } from "../../domain/series-record.ts";
import { type Words, wordsText } from "../../domain/words.ts";
import { countedOf, decidersOf, type Findings } from "../claim/findings.ts";
import { LEAST_CHANCE } from "../claim/forecast.ts";
import { isOnlyCopies } from "../claim/sequential-test.ts";
import { meanCosts } from "../costs.ts";
import { firstLine } from "../first-line.ts";
import { doubtsOf } from "./doubts.ts";
import { found } from "./found.ts";
import { scenariosText } from "./subject.ts";

interface Told {
  readonly findings: Findings;
  /** Null where none was made. */
  readonly forecast: Pick<Series["forecast"], "trials_left" | "chance_of_claim" | "more_trials"> | null;
  /** By scenario; null where there are none. */
  readonly earlier: readonly (EarlierTrials | null)[];
  /** One scenario claims a, another b. */
  readonly mixed: boolean;
  /** Scenarios on which the judge failed its newest self-test. */
  readonly failed_self_tests: readonly string[];
  readonly result: Series["result"];
}

/**
 * Plain sentences made from templates: the first line, what the trials show, why they ended, what limits the finding, what a trial cost.
 * They say that an arm was preferred, and never that it is the stronger one.
 */
export function seriesStatement(told: Told): string {
  const { findings } = told;
  return [`${wordsText(firstLineOf(told))}.`, ...shownBy(told), ...doubtsOf(told), ...costs(findings)].join(" ");
}

function shownBy({ findings, forecast }: Told): readonly string[] {
  if (findings.sequential.log_e.length === 0) return [...nothing(findings), ...endOf(findings)];
  if (!isOneRun(findings)) return [...found(findings, forecast), ...endOf(findings)];
  const imported = findings.subject.told.kind === "results" ? endOf(findings) : [];
  return ["One run per arm says nothing about how often this would happen.", ...imported];
}

const firstLineOf = ({ findings, result }: Told): Words => {
  const { told, arms, control_side } = findings.subject;
  const decided_by = decidersOf(countedOf(findings).map(({ row }) => row));
  return firstLine({ ...told, result, decided_by, names: arms, control: arms[control_side] });
};

/** A round of a suite is complete when every scenario has a trial in it. */
function nothing({ subject, tallies }: Findings): readonly string[] {
  const yet = subject.told.state === "running" ? " yet" : "";
  const empty = subject.scenarios.filter((_, place) => tallies[place]?.counted.length === 0);
  if (empty.length === subject.scenarios.length) return [];
  const [first, ...others] = empty.map(memberName);
  const more = others.length === 0 ? "" : ` and of ${counted(others.length, `other ${memberWord(subject.scenarios)}`)}`;
  return [`No round of ${scenariosText(subject)} is complete${yet}: no trial of ${first}${more} counts.`];
}

const isOneRun = ({ subject, rows, sequential }: Findings) =>
  subject.scenarios.length === 1 && sequential.log_e.length === 1 && (subject.told.limits?.trials ?? rows.length) === 1;

function costs(findings: Findings): readonly string[] {
  const { subject, rows, sequential } = findings;
  if (subject.told.kind === "results" || sequential.log_e.length === 0 || isOneRun(findings)) return [];
  const { a, b } = meanCosts(rows);
  if (!a || !b) return [];
  return [`One trial cost ${usdText(a)} (${subject.arms.a}) and ${usdText(b)} (${subject.arms.b}).`];
}

const NOT_ALIKE = "This does not show that the arms are alike.";

/** Why no further trial was started, or that the series goes on. Nothing when it simply ran to its end. */
function endOf(findings: Findings): readonly string[] {
  const { subject } = findings;
  const planned = (subject.told.limits?.trials ?? 0) * subject.scenarios.length;
  const done = countedOf(findings).length;
  const after = `after ${countText(done)} of ${counted(planned, "planned trial")}`;
  if (subject.told.kind === "results")
    return [
      "These results were imported: abeval saw none of the runs, and does not know which results were left out or chosen.",
    ];
  if (subject.told.limits === null)
    return [`These are ${stored(findings)} of this comparison; their number was not planned.`];
  switch (subject.told.stop) {
    case "sure":
      return done < planned ? [`Stopped early, ${after}, once the preference was established.`] : [];
    case "not_worse":
    case "equivalent":
      return done < planned ? [`Stopped early, ${after}, once this was established.`] : [];
    case "out_of_reach":
      return [`Stopped early, ${after}: ${outOfReach(findings)} ${NOT_ALIKE}`];
    case "unlikely":
      return [
        `Stopped early: by a forecast from these trials, the chance of reaching a conclusion by trial ${planned} was below ${percentText(LEAST_CHANCE)}. ${NOT_ALIKE}`,
      ];
    case "budget":
      return [`Stopped by the cost limit${limit(subject.told.limits.max_cost_usd)}, ${after}.`];
    case "cancelled":
      return [`Cancelled ${after}.`];
    case "failed":
      return [`The series failed ${after}.`];
    case "exhausted":
      return [];
    case null:
      return going(findings, after);
  }
}

const stored = ({ rows }: Findings) =>
  rows.length < MAX_TRIALS_IN_ALL ? "all stored runs" : `the first ${MAX_TRIALS_IN_ALL} stored runs`;

/** It may have been taken away since. */
const limit = (usd: number | null) => (usd === null ? "" : ` of $${usd}`);

function outOfReach({ sequential }: Findings): string {
  return isOnlyCopies(sequential)
    ? "more copies of these trials would show nothing new."
    : "the remaining trials could not lead to a conclusion.";
}

function going({ subject }: Findings, after: string): readonly string[] {
  if (subject.told.state === "running") return [`Still running, ${after}.`];
  if (subject.told.state === "interrupted") return [`Interrupted ${after}; it can be continued.`];
  return [];
}
