import { MARGIN } from "../../src/domain/defaults.ts";
import type { ImportedResults } from "../../src/domain/results.ts";
import { ALPHA } from "../../src/domain/series-record.ts";
import type { TrialRow } from "../../src/domain/trial.ts";
import type { TrialSpec } from "../../src/statistics/advance.ts";
import { claimedSide } from "../../src/statistics/claim/conclusion.ts";
import { AGAINST_NO_PREFERENCE } from "../../src/statistics/claim/e-process.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { Mixture } from "../../src/statistics/claim/mixture.ts";
import { showsNotWorse } from "../../src/statistics/claim/not-worse.ts";
import { openingOf } from "../../src/statistics/claim/opening.ts";
import { NOW, shareOf } from "../../src/statistics/claim/rules.ts";
import { importedSeries } from "../../src/statistics/report.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import { type Planned, type Result, rowOf, seriesOf } from "./series.ts";

/** So many series are simulated, from this seed. */
export interface Simulated {
  readonly repetitions: number;
  readonly seed: number;
}

/** Two arms that solve each trial with a chance of their own, on so many scenarios, each so often. */
export interface Solving {
  readonly scenarios: number;
  readonly trials: number;
  readonly control: number;
  readonly candidate: number;
  /** Share, as `--not-worse-by` says it in points. */
  readonly not_worse_by: number;
  /** It ends at the first round after which a gate would open, or the candidate is worse. */
  readonly stops?: boolean;
}

/** Shares of the series. */
interface GateRates {
  /** The gate lets the candidate pass. */
  readonly passes: number;
  readonly better: number;
  /** A claim for the candidate was made, has lapsed, and the gate says `better`. */
  readonly lapsed_better: number;
}

export function gateRates(solving: Solving, { repetitions, seed }: Simulated): GateRates {
  const chance = chanceOf(seed);
  const counts = { passes: 0, better: 0, lapsed_better: 0 };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const { opening, has_lapsed } = endOf(solving, chance);
    if (opening === "better" || opening === "not_worse") counts.passes += 1;
    if (opening === "better") counts.better += 1;
    if (opening === "better" && has_lapsed) counts.lapsed_better += 1;
  }
  const share = (count: number) => count / repetitions;
  return {
    passes: share(counts.passes),
    better: share(counts.better),
    lapsed_better: share(counts.lapsed_better),
  };
}

function endOf(solving: Solving, chance: Chance) {
  const { scenarios: count, trials, not_worse_by, stops = false } = solving;
  const scenarios = Array.from({ length: count }, (_, index) => `S${index}`);
  const planned: Planned = { scenarios, trials, measure: "solved", not_worse_by, state: "completed" };
  const subject = plannedSubject(seriesOf(planned));
  const rows = allOf(scenarios, trials).map((spec) => rowOfTrial(spec, solving, chance));
  const look = (until: number) => {
    const findings = findingsOf(subject, rows.slice(0, until * count));
    const { claim, stands } = findings.sequential;
    return { opening: openingOf(findings, "a"), has_lapsed: claim?.side === "a" && !stands };
  };
  for (const round of stops ? roundsToLook(rows, solving) : []) {
    const now = look(round);
    if (ENDS.has(now.opening)) return now;
  }
  return look(trials);
}

const KINDS = { a: "wins", b: "losses", null: "ties" } as const;

/** Rounds after which it may end: whoever looks after all of them finds the same, in a hundred times the time. */
function* roundsToLook(rows: readonly TrialRow[], { scenarios, trials, not_worse_by }: Solving): Generator<number> {
  const levels = { alpha: ALPHA, margin: MARGIN, not_worse_by };
  const isNotWorse = showsNotWorse("a", { undecided: 0, missing: 0 }, levels);
  const counts = { wins: 0, ties: 0, losses: 0 };
  for (let round = 1; round < trials; round += 1) {
    for (const { winner_side } of rows.slice((round - 1) * scenarios, round * scenarios))
      counts[KINDS[`${winner_side}`]] += 1;
    if (isNotWorse(counts) || claimedSide(counts, levels) !== undefined) yield round;
  }
}

const ENDS: ReadonlySet<string> = new Set(["better", "not_worse", "worse"]);

const allOf = (scenarios: readonly string[], trials: number): readonly TrialSpec[] =>
  Array.from({ length: trials * scenarios.length }, (_, index) => ({
    trial: index + 1,
    round: Math.floor(index / scenarios.length) + 1,
    scenario: scenarios[index % scenarios.length] ?? "",
  }));

function rowOfTrial(spec: TrialSpec, { candidate, control }: Solving, chance: Chance): TrialRow {
  const solved = { a: chance() < candidate, b: chance() < control };
  const result: Result = solved.a === solved.b ? "tie" : solved.a ? "a" : "b";
  const row = rowOf(spec, result);
  const { a, b } = row.arms;
  return { ...row, decided_by: "probe", arms: { a: { ...a, solved: solved.a }, b: { ...b, solved: solved.b } } };
}

const NIGHTS = 250;

/** Share of stores in which a claim about equal arms is ever made in 250 nights, each a series of so many decided trials. */
export function falseAlarms(decided: number, { repetitions, seed }: Simulated): number {
  const chance = chanceOf(seed);
  let alarms = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const store = new Mixture(AGAINST_NO_PREFERENCE);
    if (nightsUntil(store, { from: 1, to: NIGHTS, decided, win: 0.5 }, chance) !== null) alarms += 1;
  }
  return alarms / repetitions;
}

/** By store the nights until a candidate is told that wins only `win` of the decided trials, after 250 nights of equal arms. */
export function nightsToTell(decided: number, win: number, { repetitions, seed }: Simulated): readonly number[] {
  const chance = chanceOf(seed);
  const told: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const store = new Mixture(AGAINST_NO_PREFERENCE);
    nightsUntil(store, { from: 1, to: NIGHTS, decided, win: 0.5 }, chance);
    const night = nightsUntil(store, { from: NIGHTS + 1, to: 3 * NIGHTS, decided, win }, chance);
    told.push((night ?? Number.POSITIVE_INFINITY) - NIGHTS);
  }
  return told.sort((one, other) => one - other);
}

interface Nights {
  readonly from: number;
  readonly to: number;
  readonly decided: number;
  readonly win: number;
}

/** The first night whose evidence is enough at some look; all nights are run. */
function nightsUntil(store: Mixture, { from, to, decided, win }: Nights, chance: Chance): number | null {
  let first: number | null = null;
  for (let night = from; night <= to; night += 1) {
    store.begin(shareOf(night, NOW));
    for (let trial = 0; trial < decided; trial += 1) {
      store.add(chance() < win ? ONE.win : ONE.loss);
      if (first === null && store.evidence().both >= ENOUGH) first = night;
    }
  }
  return first;
}

const ENOUGH = Math.log(20);
const ONE = { win: { wins: 1, ties: 0, losses: 0 }, loss: { wins: 0, ties: 0, losses: 1 } } as const;

/** Tables of scores in which the arm that is ahead in most rows is often behind on average. */
export async function wrongTables({
  repetitions,
  seed,
}: Simulated): Promise<{ readonly better: number; readonly wrong: number }> {
  const chance = chanceOf(seed);
  const found = { better: 0, wrong: 0 };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const { gate, result } = await importedSeries(tableOf(chance), { series_id: `results-${"0".repeat(64)}` });
    if (gate["candidate"] === "better") {
      found.better += 1;
      if ((result?.value?.candidate ?? 0) <= (result?.value?.control ?? 0)) found.wrong += 1;
    }
  }
  return found;
}

function tableOf(chance: Chance): ImportedResults {
  const [rows, ahead] = [10 + Math.floor(chance() * 40), 0.5 + chance() / 2];
  const [gain, loss] = [chance() * 0.3, chance()];
  const scenarios = Array.from({ length: rows }, (_, index) => {
    const control = chance();
    const difference = chance() < ahead ? gain * chance() : -loss * chance();
    const candidate = Math.min(1, Math.max(0, control + difference));
    return { scenario: `row ${index}`, trials: [[1, candidate, control]] as [number, number, number][] };
  });
  return {
    ...{
      measure: "score",
      tie_margin: 0.05,
      arms: { a: "candidate", b: "baseline" },
      levels: { alpha: 0.05, margin: 0.15 },
    },
    scenarios,
  };
}
