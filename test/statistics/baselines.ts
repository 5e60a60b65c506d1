import { sha256 } from "../../src/domain/sha256.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { type Chance, chanceOf, normal } from "../judge/simulation/pairs.ts";
import { comparisonOf, type Result, rowOf, seriesOf } from "./series.ts";

/** Claims about arms that are equal: they differ in when they ran, and in how often their runs are used. */
export interface BaselineClaims {
  /** Share of all series that claim a preference, whatever is flagged. */
  readonly claimed: number;
  /** Share of all series whose conclusion is one: those that are held back are none. */
  readonly concluded: number;
  /** Share of the repetitions in which some series concludes one. */
  readonly any: number;
  /** The most series that conclude one in a repetition. */
  readonly most: number;
}

const LENGTH = 30;
const SERIES = 12;

/** How good a run was. Two runs within this much of each other are a tie. */
const TIE = 0.15;

interface BaselineCase {
  /** Its flag, beside the one that every baseline has; null without. */
  readonly flag: string | null;
  /** Of the stored arm, and of arms today. */
  readonly stored: (chance: Chance) => { readonly runs: readonly number[] | null; readonly selected: boolean };
  /** How much better the same arm is today. */
  readonly drift?: number;
  /** All series compare one candidate: their trials are of one comparison. */
  readonly one_candidate?: boolean;
}

const draws = (chance: Chance, count: number) => Array.from({ length: count }, () => normal(chance));

interface Preferring {
  readonly stop_when_sure?: boolean;
  /** The arm that it did not prefer. */
  readonly other?: boolean;
}

/** Two equal arms in series that may stop when sure, until one prefers an arm. Gives the runs of that arm, or of the other. */
function preferring(chance: Chance, { stop_when_sure = false, other = false }: Preferring) {
  for (;;) {
    const [a, b] = [draws(chance, LENGTH), draws(chance, LENGTH)];
    const lengths = stop_when_sure ? Array.from({ length: LENGTH }, (_, index) => index + 1) : [LENGTH];
    const preferredAt = (length: number) => sideOf(conclusionIn(rowsFor(a.slice(0, length), b.slice(0, length))));
    const length = lengths.find(preferredAt);
    if (length === undefined) continue;
    return { runs: ((preferredAt(length) === "a") !== other ? a : b).slice(0, length), selected: true };
  }
}

export const BASELINE_CASES: Readonly<Record<string, BaselineCase>> = {
  "both arms run": { flag: null, stored: () => ({ runs: null, selected: false }) },
  "12 candidates on one blessed series": { flag: null, stored: blessed },
  "one candidate 12 times on one blessed series": { flag: null, stored: blessed, one_candidate: true },
  "a baseline of the arm that a stopped series preferred": {
    flag: "baseline_selected",
    stored: (chance) => preferring(chance, { stop_when_sure: true }),
  },
  "a baseline of the arm that a fixed series preferred": {
    flag: "baseline_selected",
    stored: (chance) => preferring(chance, {}),
  },
  "a baseline of the arm that a fixed series did not prefer": {
    flag: "baseline_selected",
    stored: (chance) => preferring(chance, { other: true }),
  },
  "the worst of three blessed series": { flag: "baseline_not_concurrent", stored: worstOfThree },
  "the arm is 0.25 sd better today": { flag: "baseline_not_concurrent", stored: blessed, drift: 0.25 },
  "the arm is 0.5 sd better today": { flag: "baseline_not_concurrent", stored: blessed, drift: 0.5 },
  "the arm is 1 sd better today": { flag: "baseline_not_concurrent", stored: blessed, drift: 1 },
};

/** The runs of an arm of a series of fixed length on equal arms: selected where chance had it prefer one of them. */
function blessed(chance: Chance) {
  const [runs, other] = [draws(chance, LENGTH), draws(chance, LENGTH)];
  return { runs, selected: sideOf(conclusionIn(rowsFor(runs, other))) !== undefined };
}

function worstOfThree(chance: Chance) {
  const sum = (runs: readonly number[]) => runs.reduce((total, run) => total + run, 0);
  const [first, ...others] = [blessed(chance), blessed(chance), blessed(chance)];
  return others.reduce((worst, one) => (sum(one.runs) < sum(worst.runs) ? one : worst), first);
}

/** Equal seeds draw equal trials. */
export function baselineClaims(
  kind: BaselineCase,
  { repetitions, seed }: { readonly repetitions: number; readonly seed: number },
): BaselineClaims {
  const chance = chanceOf(seed);
  const found = Array.from({ length: repetitions }, () => repeated(kind, chance));
  const share = (count: (one: (typeof found)[number]) => number) =>
    found.reduce((sum, one) => sum + count(one), 0) / repetitions;
  return {
    claimed: share((one) => one.claimed / SERIES),
    concluded: share((one) => one.concluded / SERIES),
    any: share((one) => (one.concluded > 0 ? 1 : 0)),
    most: Math.max(...found.map(({ concluded }) => concluded)),
  };
}

/** Twelve series on one baseline. */
function repeated(kind: BaselineCase, chance: Chance): Pick<BaselineClaims, "claimed" | "concluded"> {
  const { runs, selected } = kind.stored(chance);
  const store: TrialRow[] = [];
  let [claimed, concluded] = [0, 0];
  for (let number = 0; number < SERIES; number += 1) {
    const comparison = kind.one_candidate ? 0 : number;
    const old = runs ?? draws(chance, LENGTH);
    const today = draws(chance, old.length).map((run) => run + (kind.drift ?? 0));
    const rows = rowsFor(today, old, { number, stored: runs !== null, comparison });
    store.push(...rows);
    if (sideOf(conclusionIn(rows))) claimed += 1;
    if (sideOf(conclusionIn(rows, { number, selected, store, comparison }))) concluded += 1;
  }
  return { claimed, concluded };
}

const idOf = (number: number) => `series-20260101T000000000Z-${String(number).padStart(8, "0")}`;

/** Trial i pairs the i-th run of a with the i-th of b. */
function rowsFor(
  a: readonly number[],
  b: readonly number[],
  { number, stored, comparison } = { number: 0, stored: false, comparison: 0 },
): TrialRow[] {
  return a.map((run, index) => {
    const gap = run - (b[index] ?? 0);
    const result: Result = Math.abs(gap) < TIE ? "tie" : gap > 0 ? "a" : "b";
    const [trial, series_id] = [index + 1, idOf(number)];
    return rowOf({ trial, round: trial, scenario: "S" }, result, {
      session_id: `session-${number}-${trial}-20260101T000000000Z`,
      place: { series_id, trial, round: trial },
      comparison: comparisonOf(`S${comparison}`),
      conduct: sha256(`${number} ${trial}`),
      ...(stored && { stored_run: `session-base-${trial}-20260101T000000000Z` }),
    });
  });
}

interface Told {
  readonly number: number;
  readonly selected: boolean;
  readonly store: readonly TrialRow[];
  readonly comparison: number;
}

function conclusionIn(rows: readonly TrialRow[], told?: Told) {
  const record = seriesOf({ trials: LENGTH });
  const { plan } = record;
  const baseline = {
    digest: sha256("runs"),
    series_id: idOf(99),
    at: record.created_at,
    side: "b",
    runs: LENGTH,
  } as const;
  const [scenario] = plan.scenarios;
  if (!told || !scenario) return findingsOf(plannedSubject(record), rows).conclusion;
  const comparison = comparisonOf(`S${told.comparison}`);
  const planned = {
    ...plan,
    scenarios: [{ ...scenario, comparison }],
    baseline: { ...baseline, ...(told.selected && { selected: true as const }) },
  };
  const stored = told.store.filter((row) => row.comparison === comparison);
  return findingsOf(plannedSubject({ ...record, series_id: idOf(told.number), plan: planned }), rows, stored)
    .conclusion;
}

const sideOf = (conclusion: string) =>
  conclusion === "a_preferred" ? "a" : conclusion === "b_preferred" ? "b" : undefined;
