import { caveatsOf } from "../../domain/caveat.ts";
import type { Contest } from "../../domain/contest.ts";
import { type ArmBar, armBars } from "../../domain/contest-bars.ts";
import { contradict } from "../../domain/contradict.ts";
import { everyVerdict } from "../../domain/every-verdict.ts";
import { cut } from "../../domain/excerpt.ts";
import { memberName } from "../../domain/member.ts";
import { judgesNamed } from "../../domain/model-name.ts";
import { counted } from "../../domain/number-text.ts";
import type { Series } from "../../domain/series.ts";
import { answerWords, seriesAnswerOf } from "../../domain/series-answer.ts";
import { preferredSide } from "../../domain/series-status.ts";
import { SIDES, type Side } from "../../domain/verdict.ts";
import { decidedText } from "../../domain/verdict-text.ts";
import { armWord, wordsText } from "../../domain/words.ts";
import {
  armStandingText,
  contestHeadline,
  contestLines,
  contestTitle,
  rangeText,
  valueText,
} from "../../statistics/contest-words.ts";
import { candidateSide, firstLine } from "../../statistics/first-line.ts";
import { namesOf } from "../../statistics/series-words.ts";
import { type Html, html } from "./html.ts";
import { checksText, distinctNames, type Reported, reportedHeadline } from "./reported.ts";

/** Pixels: what chats and code hosts show of a link. */
const WIDTH = 1200;
const HEIGHT = 630;
const LEFT = 64;

/** One result as a picture for a chat or a pull request. All its text is names, figures and our words. */
interface Card {
  readonly of: string;
  readonly headline: string;
  /** Whose colour the headline has. */
  readonly side: Side | null;
  readonly below: string;
  readonly rows: readonly Html[];
  /** What can overturn the headline. */
  readonly caveats: readonly string[];
  readonly foot: string;
}

interface CardRow {
  readonly side: Side;
  readonly name: string;
  /** 0 to 1; null: not known. */
  readonly share: number | null;
  readonly figures: string;
}

/** The verdict of a session as an SVG of 1200 x 630 pixels. */
export function verdictCard(reported: Reported): string {
  const { verdict, a, b } = reported;
  const names = distinctNames(reported);
  const score = { a: verdict?.score_a ?? null, b: verdict?.score_b ?? null };
  const rows = SIDES.map((side, index) => {
    const { arm } = side === "a" ? a : b;
    const value = score[side];
    const figures = `${value === null ? "not scored" : `score ${value.toFixed(2)}`}, checks: ${checksText(arm)}`;
    return drawnRow({ side, name: names[side], share: value, figures }, index);
  });
  const conflict = verdict !== null && contradict(everyVerdict(a.session));
  return drawn({
    of: memberName({ scenario: a.session.scenario, input: a.session.input?.id }),
    headline: wordsText(reportedHeadline(reported)),
    side: verdict?.winner_side ?? null,
    below:
      verdict === null
        ? `The run ended as ${a.session.state}.`
        : decidedText(verdict).slice(1, -1) || "nothing decided",
    rows,
    caveats: caveatsOf(verdict?.flags ?? [], conflict).map(({ text }) => text),
    foot: `One run: it does not tell how often this happens. ${a.session.created_at.slice(0, 10)}${verdict ? `, ${judgeText(verdict.judge.model)}` : ""}`,
  });
}

/** The names of a whole panel would leave no letter large enough to read. */
function judgeText(model: string): string {
  const judges = judgesNamed(model);
  return judges.length > 1 ? `a panel of ${judges.length} judges` : `judge ${model}`;
}

/** The conclusion of a series as an SVG of 1200 x 630 pixels. */
export function seriesCard(series: Series): string {
  const { counts, scenarios, conclusion, flags } = series;
  const names = namesOf(series.arms);
  const [first, ...others] = scenarios.map(memberName);
  const all = Math.max(1, counts.trials);
  const row = (side: Side, won: number, index: number) => {
    const figures = `won ${won} of ${counted(counts.trials, "trial")}`;
    return drawnRow({ side, name: names[side], share: won / all, figures }, index);
  };
  return drawn({
    of: others.length > 0 ? `${first} and ${others.length} more` : (first ?? ""),
    headline: wordsText(
      answerWords({
        ...series,
        answer: seriesAnswerOf(series),
        candidate: armWord(names, candidateSide(names, series.control)),
      }),
    ),
    side: preferredSide(conclusion) ?? null,
    below: wordsText(firstLine({ ...series, names })),
    rows: [row("a", counts.wins, 0), row("b", counts.losses, 1)],
    caveats: caveatsOf(flags).map(({ text }) => text),
    foot: `${counted(counts.ties, "trial")} without a winner, ${series.created_at?.slice(0, 10) ?? "imported results"}`,
  });
}

/** Arms that have room on a picture. */
const CARD_ARMS = 5;

/** What a contest says as an SVG of 1200 x 630 pixels: its best arms on one axis of points. */
export function contestCard(contest: Contest): string {
  const { flags, created_at, members, rounds } = contest;
  const { bars } = armBars(contest);
  const shown = bars.slice(0, CARD_ARMS);
  const which =
    shown.length < bars.length ? `the first ${shown.length} of ${bars.length} arms` : counted(bars.length, "arm");
  return drawn({
    of: contestTitle(contest),
    headline: contestHeadline(contest),
    side: null,
    below: wordsText(contestLines(contest).first),
    rows: shown.map((bar, index) => drawnArm(contest, bar, 290 + index * 38)),
    caveats: caveatsOf(flags).map(({ text }) => text),
    foot: `${which}, ${counted(rounds, "trial")} of ${counted(members, "task")}, ${created_at?.slice(0, 10) ?? "imported results"}`,
  });
}

function drawnArm(contest: Contest, { arm, at, range }: ArmBar, top: number): Html {
  const [x, y] = [LEFT + 380, top + 26];
  const value =
    arm.value === null ? [] : [`${contest.measure === "score" ? "score" : "solved"} ${valueText(contest, arm)}`];
  const points = range === null ? [] : [rangeText(arm)];
  return html`${line({ x: LEFT, y, size: 22, fill: COLOURS.ink, text: arm.arm_id, bold: true, width: 360 })}
<rect x="${x}" y="${top + 8}" width="${BAR}" height="20" rx="4" fill="#f0f0ed"/>${
    range &&
    html`<rect x="${x + Math.round(BAR * range[0])}" y="${top + 12}" width="${Math.round(BAR * (range[1] - range[0]))}" height="12" fill="${COLOURS.soft}" fill-opacity="0.45"/>`
  }<rect x="${x + BAR / 2 - 1}" y="${top + 4}" width="2" height="28" fill="${COLOURS.soft}"/>${
    at === null ? null : html`<circle cx="${x + Math.round(BAR * at)}" cy="${top + 18}" r="7" fill="${COLOURS.ink}"/>`
  }
${line({ x: x + BAR + 20, y, size: 20, fill: COLOURS.ink, text: [armStandingText(contest, arm), ...value, ...points].join(", ") })}`;
}

const COLOURS = {
  a: "#1a5fb4",
  b: "#a34a00",
  ink: "#1a1b1e",
  soft: "#585b63",
  line: "#deded9",
  bad: "#b3201f",
} as const;

function drawn({ of, headline, side, below, rows, caveats, foot }: Card): string {
  const colour = side === null ? COLOURS.ink : COLOURS[side];
  const mark = side === null ? null : sign(side, LEFT, 132, 60);
  const from = side === null ? LEFT : LEFT + 84;
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="Inter, system-ui, sans-serif">
<title>${of}: ${headline}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/><rect width="${WIDTH}" height="12" fill="${colour}"/>
${line({ x: LEFT, y: 84, size: 28, fill: COLOURS.soft, text: of, width: 900 })}
<text x="${WIDTH - LEFT}" y="84" font-size="28" font-weight="700" fill="${COLOURS.ink}" text-anchor="end">abeval</text>
${mark}${line({ x: from, y: 184, size: 68, fill: colour, text: headline, bold: true })}
${inLines(below).map((text, index) => line({ x: LEFT, y: 234 + 36 * index, size: 28, fill: COLOURS.soft, text }))}
${rows}
${caveats.length === 0 ? null : line({ x: LEFT, y: 516, size: 28, fill: COLOURS.bad, text: `Before you trust it: ${caveats.join(", ")}`, bold: true })}
<rect x="${LEFT}" y="544" width="${WIDTH - 2 * LEFT}" height="2" fill="${COLOURS.line}"/>
${line({ x: LEFT, y: 588, size: 24, fill: COLOURS.soft, text: foot })}
</svg>
`.text;
}

/** Characters of a line below the headline. */
const BELOW = 68;

/** One line, or two that break between words. */
function inLines(text: string): readonly string[] {
  const at = text.length <= BELOW ? -1 : text.lastIndexOf(" ", BELOW);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

const BAR = 260;

function drawnRow({ side, name, share, figures }: CardRow, index: number): Html {
  const [x, top] = [LEFT + 56, 308 + index * 92];
  return html`${sign(side, LEFT, top, 38)}${line({ x, y: top + 30, size: 30, fill: COLOURS[side], text: name, bold: true, width: 360 })}
<rect x="${x + 380}" y="${top + 8}" width="${BAR}" height="24" rx="4" fill="#f0f0ed"/><rect x="${x + 380}" y="${top + 8}" width="${Math.round(BAR * (share ?? 0))}" height="24" rx="4" fill="${COLOURS[side]}"/>
${line({ x: x + 660, y: top + 30, size: 24, fill: COLOURS.ink, text: figures, width: 350 })}`;
}

/** Letter, shape and colour of an arm go together. */
function sign(side: Side, x: number, y: number, size: number): Html {
  const [middle, letter] = [size / 2, side.toUpperCase()];
  const shape =
    side === "a"
      ? html`<circle cx="${x + middle}" cy="${y + middle}" r="${middle}" fill="${COLOURS.a}"/>`
      : html`<rect x="${x}" y="${y}" width="${size}" height="${size}" rx="4" fill="${COLOURS.b}"/>`;
  return html`${shape}<text x="${x + middle}" y="${y + size * 0.71}" font-size="${size * 0.6}" font-weight="700" fill="#ffffff" text-anchor="middle">${letter}</text>`;
}

interface Line {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly fill: string;
  readonly text: string;
  readonly bold?: boolean;
  /** Pixels that it may take; else to the right edge. */
  readonly width?: number;
}

/** Width of a character, as a part of its size; more than the mean of any word. */
const CHARACTER = 0.58;
/** Smaller nobody reads it. */
const LEAST = 0.6;

/** A line that becomes smaller where it has no room, and then shorter. */
function line({ x, y, size, fill, text, bold = false, width = WIDTH - LEFT - x }: Line): Html {
  const fit = Math.max(size * LEAST, Math.min(size, width / (CHARACTER * Math.max(1, text.length))));
  // What was made to fit has room for itself, whichever way the division rounds.
  const shown = cut(text, Math.round(width / (CHARACTER * fit)));
  return html`<text x="${x}" y="${y}" font-size="${fit.toFixed(1)}" font-weight="${bold ? 700 : 400}" fill="${fill}">${shown}</text>`;
}
