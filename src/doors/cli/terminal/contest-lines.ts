import stringWidth from "string-width";
import { memberName } from "../../../domain/member.ts";
import { counted } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import { cells } from "./lanes.ts";
import type { Painter } from "./paint.ts";
import { hanging, wrapWords } from "./terminal.ts";
import { COLOURS, GAP, NAME_CELLS, pad, paidText, type Told, winText } from "./trial-lines.ts";

/**
 * What is told of a contest while it runs: a line for each comparison, with the arms that it is of. Before the first one of a further
 * round a line says how often each arm has won and lost against the others.
 */
export class ContestLines {
  readonly #series: SeriesRecord;
  readonly #painter: Painter;
  readonly #pairs: readonly (readonly string[])[];
  readonly #tally: Map<string, { won: number; lost: number }>;
  /** Cells of the words in a line. */
  readonly #widths: { readonly trial: number; readonly scenario: number; readonly pair: number };
  #told = 0;
  #round = 1;

  /** @param series a contest */
  constructor(series: SeriesRecord, painter: Painter) {
    this.#series = series;
    this.#painter = painter;
    const { plan, limits } = series;
    const { arms, pairs } = plan.contest ?? { arms: plan.arms, pairs: [{ arms: plan.arms }] };
    this.#pairs = pairs.map((pair) => pair.arms);
    this.#tally = new Map(arms.map((arm) => [arm, { won: 0, lost: 0 }]));
    const widest = (names: readonly string[]) => Math.max(...names.map((name) => stringWidth(name)));
    this.#widths = {
      trial: String(limits.trials * plan.scenarios.length * pairs.length).length,
      scenario: widest(plan.scenarios.map((member) => cells(memberName(member), NAME_CELLS))),
      pair: widest(this.#pairs.map(pairText)),
    };
  }

  get #isSuite(): boolean {
    return this.#series.plan.scenarios.length > 1;
  }

  /** @param known comparisons that there are from before */
  begin(known: readonly TrialRow[]): string {
    for (const row of known) this.#count(row, winnerIn(row, this.#armsOf(row)));
    const { series_id, plan, limits } = this.#series;
    const many = this.#isSuite ? `${plan.scenarios.length} scenarios, ` : "";
    const most = `${limits.stop_when_sure || !plan.contest?.keep_running ? "at most " : ""}${counted(limits.trials, "round")}`;
    const before = known.length === 0 ? "" : `, ${counted(known.length, "comparison")} so far`;
    const text = `${series_id}: contest of ${counted(this.#tally.size, "arm")}, ${many}${most}${before}`;
    return this.#lines(wrapWords(text, this.#width), "dim");
  }

  judged(verdict: Told, row: TrialRow | undefined): string {
    const { outcome, winner, winner_side } = verdict;
    if (outcome === "invalid")
      return this.lost("invalid", row?.could_not_check ?? verdict.calls.find(({ error }) => error)?.error ?? "", row);
    const what = this.#painter.paint(
      winner === null ? outcome : winText(winner),
      winner_side ? COLOURS[winner_side] : "yellow",
    );
    const line = `${this.#head(row)}${GAP}${what}${paidText(row)}\n`;
    const round = this.#roundOf(row);
    this.#count(row, winner);
    return `${round}${line}`;
  }

  /** A comparison that gave nothing. @param what in a word */
  lost(what: string, why: string, row: TrialRow | undefined): string {
    const [round, head] = [this.#roundOf(row), `${this.#head(row)}${GAP}${what}`];
    const reason = plainText(why).replaceAll(/\s+/g, " ");
    const lines = reason === "" ? [head] : hanging(`${head}: `, reason, this.#width);
    return `${round}${this.#lines(lines, "yellow")}`;
  }

  #head(row: TrialRow | undefined): string {
    const { trial, scenario, pair } = this.#widths;
    const number = String(row?.place?.trial ?? "?").padStart(trial);
    const name = this.#isSuite ? `${pad(cells(row ? memberName(row) : "", NAME_CELLS), scenario)}${GAP}` : "";
    return `trial ${number}${GAP}${name}${pad(pairText(this.#armsOf(row)), pair)}`;
  }

  #armsOf = (row: TrialRow | undefined): readonly string[] => this.#pairs[row?.pair ?? 0] ?? [];

  #count(row: TrialRow | undefined, winner: string | null): void {
    this.#told += 1;
    this.#round = Math.max(this.#round, row?.place?.round ?? 1);
    if (winner === null) return;
    for (const arm of this.#armsOf(row)) {
      const known = this.#tally.get(arm);
      if (known) known[arm === winner ? "won" : "lost"] += 1;
    }
  }

  /** Empty within a round. */
  #roundOf(row: TrialRow | undefined): string {
    const round = row?.place?.round ?? 1;
    if (round <= this.#round) return "";
    this.#round = round;
    const arms = [...this.#tally].toSorted(([, one], [, other]) => other.won - other.lost - (one.won - one.lost));
    const told = arms.map(([arm, { won, lost }]) => `${cells(arm, NAME_CELLS)} ${won}-${lost}`);
    const text = `${counted(this.#told, "comparison")}, won and lost: ${told.join(", ")}`;
    return this.#lines(wrapWords(text, this.#width), "bold");
  }

  /** One cell stays free: some terminals begin a new line in the last. */
  get #width(): number {
    return this.#painter.columns - 1;
  }

  #lines = (lines: readonly string[], colour: "dim" | "bold" | "yellow") =>
    lines.map((line) => `${this.#painter.paint(line, colour)}\n`).join("");
}

const pairText = (arms: readonly string[]) => arms.map((arm) => cells(arm, NAME_CELLS)).join(" vs ");

function winnerIn({ winner_side }: TrialRow, [a, b]: readonly string[]): string | null {
  if (winner_side === null) return null;
  return (winner_side === "a" ? a : b) ?? null;
}
