import type { ImportedResults } from "../../src/domain/results.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { openingOf } from "../../src/statistics/claim/opening.ts";
import { importedRows } from "../../src/statistics/summary/imported-series.ts";
import { importedSubject } from "../../src/statistics/words/subject.ts";
import { chanceOf } from "../judge/simulation/pairs.ts";
import type { Simulated } from "./gates.ts";

/** A table of questions, each pasted so often: in a round all copies of one have one result. */
export interface Pasted {
  readonly questions: number;
  readonly copies: number;
  readonly rounds: number;
  /** Chances that an arm solves a question. */
  readonly candidate: number;
  readonly control: number;
}

/** Shares of the tables. */
interface Errors {
  /** One of the arms is claimed to be better at some look. */
  readonly claims: number;
  /** The gate lets the candidate pass. */
  readonly passes: number;
}

/** What the rows say each for itself, and what they say in clusters, of the same tables. */
export function pastedErrors(pasted: Pasted, { repetitions, seed }: Simulated): Record<"rows" | "clusters", Errors> {
  const chance = chanceOf(seed);
  const counts = { rows: { claims: 0, passes: 0 }, clusters: { claims: 0, passes: 0 } };
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const { cluster, ...rows } = tableOf(pasted, chance);
    count(counts.rows, rows);
    count(counts.clusters, { ...rows, ...(cluster && { cluster }) });
  }
  const shares = ({ claims, passes }: Errors) => ({ claims: claims / repetitions, passes: passes / repetitions });
  return { rows: shares(counts.rows), clusters: shares(counts.clusters) };
}

function count(counts: { claims: number; passes: number }, results: ImportedResults): void {
  const findings = findingsOf(importedSubject(results, { series_id: "results" }), importedRows(results, "results"));
  const opening = openingOf(findings, "a");
  if (findings.sequential.claim) counts.claims += 1;
  if (opening === "better" || opening === "not_worse") counts.passes += 1;
}

function tableOf({ questions, copies, rounds, candidate, control }: Pasted, chance: () => number): ImportedResults {
  const drawn = Array.from({ length: questions }, () =>
    Array.from({ length: rounds }, (_, round): [number, number, number] => [
      round + 1,
      chance() < candidate ? 1 : 0,
      chance() < control ? 1 : 0,
    ]),
  );
  const rows = Array.from({ length: questions * copies }, (_, row) => ({ row, question: Math.floor(row / copies) }));
  return {
    ...{ measure: "passed", tie_margin: 0, arms: { a: "candidate", b: "baseline" } },
    levels: { alpha: 0.05, margin: 0.15 },
    scenarios: rows.map(({ row, question }) => ({ scenario: `row ${row}`, trials: drawn[question] ?? [] })),
    cluster: { field: "question", of_row: rows.map(({ question }) => question) },
  };
}
