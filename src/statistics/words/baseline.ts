import { counted } from "../../domain/number-text.ts";
import type { Findings } from "../claim/findings.ts";
import { conclusionOf } from "../claim/sequential-test.ts";

const baselineOf = ({ subject }: Pick<Findings, "subject">) => subject.told.plan?.baseline;

/** The trials would conclude something, and the stored runs are not a fair sample. */
export const isHeldBack = (findings: Findings): boolean =>
  baselineOf(findings)?.selected === true && conclusionOf(findings.sequential) !== "undecided";

export const heldBack = (findings: Findings): string =>
  `No conclusion is stated: the stored runs of ${nameOf(findings)} were chosen by what they showed, which can make equal arms look different. Bless a series of fixed length that preferred neither.`;

/** Whether an arm and its stored runs ask for one model, and another one replied then. */
export function servedAnotherBefore({ rows, ...findings }: Findings): boolean {
  if (!baselineOf(findings)?.same_model) return false;
  return rows.some(({ stored_run, arms: { a, b } }) => {
    const isKnown = stored_run !== undefined && a.model_served !== null && b.model_served !== null;
    return isKnown && a.model_served !== b.model_served;
  });
}

/** What a reader should know of runs that are not of today. */
export function storedRunsTold(findings: Findings): readonly string[] {
  const baseline = baselineOf(findings);
  if (!baseline) return [];
  const { rows, subject } = findings;
  const used = rows.filter(({ stored_run }) => stored_run !== undefined).length;
  const both = rows.filter(({ stored_run, outcome }) => stored_run === undefined && outcome !== null).length;
  const { series_before = 0, created_at } = subject.told;
  return [
    `${nameOf(findings)} did not run again in ${counted(used, "trial")}: its runs of ${baseline.series_id}, ${ageText(baseline.at, created_at)} older, stand in${both > 0 ? `; in ${both} both arms ran` : ""}. Whatever changed since then, at a provider for example, looks like a difference between the arms.`,
    ...(servedAnotherBefore(findings)
      ? ["Both times the same model was requested, but another one replied then."]
      : []),
    ...(series_before > 0
      ? [
          `${series_before} series ${series_before === 1 ? "was" : "were"} begun on these stored runs before: claims that share a baseline tend to be wrong together.`,
        ]
      : []),
  ];
}

const nameOf = (findings: Pick<Findings, "subject">): string =>
  findings.subject.arms[baselineOf(findings)?.side ?? "a"];

const HOUR_MS = 3_600_000;

function ageText(from: string, to: string | null): string {
  const hours = Math.max(0, Math.floor((Date.parse(to ?? from) - Date.parse(from)) / HOUR_MS));
  if (hours === 0) return "less than an hour";
  return hours < 48 ? counted(hours, "hour") : counted(Math.floor(hours / 24), "day");
}
