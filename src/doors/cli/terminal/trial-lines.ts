import stringWidth from "string-width";
import { memberName } from "../../../domain/member.ts";
import { counted, percentText, usdText } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { SeriesRecord } from "../../../domain/series-record.ts";
import type { SeriesSummary } from "../../../domain/series-summary.ts";
import type { TrialRow } from "../../../domain/trial.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { costOfTrial } from "../../../statistics/costs.ts";
import { limitText } from "../../../statistics/figure-text.ts";
import { evidenceFigure } from "../../../statistics/series-words.ts";
import { cells } from "./lanes.ts";
import { type Colour, type Painter, rangeBar } from "./paint.ts";
import { hanging, wrapWords } from "./terminal.ts";

/** Longer names of scenarios and arms are cut. */
export const NAME_CELLS = 24;

export const GAP = "  ";

/** What figures show, richest first; the bar in cells. */
const LAYOUTS = [
  { label: "win rate ", range: true, bar: 21, of: " of " },
  { label: "win rate ", range: true, bar: 15, of: " of " },
  { label: "", range: true, bar: 15, of: " of " },
  { label: "", range: true, bar: 11, of: " of " },
  { label: "", range: false, bar: 11, of: " of " },
  { label: "", range: false, bar: 9, of: "/" },
] as const;
type Layout = (typeof LAYOUTS)[number];

/** What a line says of a trial's verdict. */
export type Told = Pick<Verdict, "outcome" | "winner" | "winner_side" | "series"> & {
  readonly calls: readonly Pick<Verdict["calls"][number], "error">[];
};

/**
 * What is told of a series while it runs: a line for each trial, with the figures that it leads to. In a suite a line for each
 * round has them, since they change with whole rounds only.
 */
export class TrialLines {
  readonly #series: Pick<SeriesRecord, "series_id" | "plan" | "limits">;
  readonly #painter: Painter;
  /** Cells of the words in front of the figures. */
  readonly #widths: { readonly trial: number; readonly scenario: number; readonly what: number; readonly wins: number };
  #rounds: number;

  /** @param series as it was when it was started, or when it went on */
  constructor(series: SeriesRecord, painter: Painter) {
    this.#series = series;
    this.#painter = painter;
    const { plan, limits, standing } = series;
    const digits = (count: number) => String(count).length;
    const widest = (names: readonly string[]) => Math.max(...names.map((name) => stringWidth(name)));
    this.#widths = {
      trial: digits(limits.trials * plan.scenarios.length),
      scenario: widest(plan.scenarios.map((member) => cells(memberName(member), NAME_CELLS))),
      what: widest(["inconsistent", ...plan.arms.map(winText)]),
      wins: digits(limits.trials * plan.scenarios.length),
    };
    this.#rounds = Math.floor(standing.counted / plan.scenarios.length);
  }

  get #isSuite(): boolean {
    return this.#series.plan.scenarios.length > 1;
  }

  /** @param known trials that there are from before */
  begin({ length: trials }: readonly TrialRow[]): string {
    const { series_id, plan, limits } = this.#series;
    const many = this.#isSuite ? `${plan.scenarios.length} scenarios, ` : "";
    const most = `${limits.stop_when_sure ? "at most " : ""}${counted(limits.trials, "trial")}${this.#isSuite ? " of each" : ""}`;
    const before = trials === 0 ? "" : `, ${trials} so far`;
    return this.#lines(wrapWords(`${series_id}: ${many}${most}${before}`, this.#width), "dim");
  }

  judged(verdict: Told, row: TrialRow | undefined): string {
    const { outcome, winner, winner_side, series } = verdict;
    if (outcome === "invalid")
      return this.lost("invalid", row?.could_not_check ?? verdict.calls.find(({ error }) => error)?.error ?? "", row);
    const what = winner === null ? outcome : winText(winner);
    const head = this.#head(row, pad(what, this.#widths.what), winner_side ? COLOURS[winner_side] : "yellow");
    const cost = paidText(row);
    if (series === null) return `${head}${cost}\n`;
    if (!this.#isSuite) return this.#beside(head, series.held ? HELD : series, cost);
    const rounds = Math.floor(series.trials / this.#series.plan.scenarios.length);
    const line = `${head}${cost}`.trimEnd();
    if (rounds <= this.#rounds) return `${line}\n`;
    this.#rounds = rounds;
    return `${line}\n${this.#beside(this.#round(rounds), series, "")}`;
  }

  /** A trial that gave nothing. @param what in a word */
  lost(what: string, why: string, row: TrialRow | undefined): string {
    const head = this.#head(row, what);
    const reason = plainText(why).replaceAll(/\s+/g, " ");
    return this.#lines(reason === "" ? [head] : hanging(`${head}: `, reason, this.#width), "yellow");
  }

  #head(row: TrialRow | undefined, what: string, colour?: Colour): string {
    const { trial, scenario } = this.#widths;
    const number = String(row?.place?.trial ?? "?").padStart(trial);
    const name = this.#isSuite ? `${pad(cells(row ? memberName(row) : "", NAME_CELLS), scenario)}${GAP}` : "";
    return `trial ${number}${GAP}${name}${colour ? this.#painter.paint(what, colour) : what}`;
  }

  #round(round: number): string {
    const { trials } = this.#series.limits;
    return this.#painter.paint(`round ${String(round).padStart(String(trials).length)} of ${trials}`, "bold");
  }

  /** Figures behind the head where there is room for a bar, else below it. */
  #beside(head: string, shown: SeriesSummary | string, cost: string): string {
    if (typeof shown === "string") return `${head}${GAP}${this.#painter.paint(shown, "dim")}${cost}\n`;
    if (shown.win_rate === null) return `${head}${cost}\n`;
    const room = (indent: number) =>
      LAYOUTS.find((layout) => indent + this.#figuresWidth(layout) + stringWidth(cost) <= this.#width);
    const layout = room(stringWidth(head) + GAP.length);
    if (layout) return `${head}${GAP}${this.#figures(shown, layout)}${cost}\n`;
    return `${head}${cost}\n${GAP}${this.#figures(shown, room(GAP.length) ?? LAYOUTS[5])}\n`;
  }

  #figures({ wins, losses, win_rate, low, high, e }: SeriesSummary, { label, range, bar, of }: Layout): string {
    const ends = range ? ` ${`[${shortPercent(low)}-${shortPercent(high)}]`.padEnd(RANGE_CELLS)}` : "";
    return [
      `${String(wins).padStart(this.#widths.wins)}-${String(losses).padEnd(this.#widths.wins)}`,
      `${label}${percentText(win_rate ?? 0).padStart(RATE_CELLS)}${ends}`,
      rangeBar({ low, high }, bar, this.#painter),
      `e ${evidenceFigure(e, this.#series.plan.alpha).padStart(EVIDENCE_CELLS)}${of}${this.#needed}`,
    ].join(GAP);
  }

  #figuresWidth({ label, range, bar, of }: Layout): number {
    const rate = label.length + RATE_CELLS + (range ? 1 + RANGE_CELLS : 0);
    const evidence = 2 + EVIDENCE_CELLS + of.length + this.#needed.length;
    return 2 * this.#widths.wins + 1 + rate + bar + evidence + 3 * GAP.length;
  }

  get #needed(): string {
    return limitText(this.#series.plan.alpha);
  }

  /** One cell stays free: some terminals begin a new line in the last. */
  get #width(): number {
    return this.#painter.columns - 1;
  }

  #lines = (lines: readonly string[], colour: Colour) =>
    lines.map((line) => `${this.#painter.paint(line, colour)}\n`).join("");
}

/** `100%`, `[50.4-100]` and `19.9`. */
const [RATE_CELLS, RANGE_CELLS, EVIDENCE_CELLS] = [4, 10, 4];

const HELD = "held: an earlier trial still runs";

export const COLOURS = { a: "green", b: "blue" } as const;

export const winText = (arm_id: string) => `${cells(arm_id, NAME_CELLS)} won`;

/** As `percentText`, in few cells: `99.9` for `over 99.9%`, `>50` for `just above 50%`. */
const shortPercent = (share: number) =>
  percentText(share)
    .replace(/^(?:over|below) |%$/g, "")
    .replace("just above ", ">")
    .replace("just below ", "<");

export const pad = (text: string, width: number) => text + " ".repeat(Math.max(0, width - stringWidth(text)));

/** Empty where nothing was paid, or nobody knows how much. */
export function paidText(row: TrialRow | undefined): string {
  const usd = row && costOfTrial(row);
  return usd ? `${GAP}${usdText(usd)}` : "";
}
