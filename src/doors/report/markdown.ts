import { knownCost, knownTokens, leastText } from "../../domain/at-least.ts";
import type { Cell } from "../../domain/cell.ts";
import { checkScoreText, isMissed, whyText } from "../../domain/check-result.ts";
import { whyDisqualified } from "../../domain/disqualification.ts";
import { endText } from "../../domain/end-text.ts";
import { cut } from "../../domain/excerpt.ts";
import {
  cellWords,
  differingTitle,
  NO_ROWS,
  questionLines,
  rowWords,
  type ShownRows,
  workLabel,
  workText,
} from "../../domain/grid-words.ts";
import { memberName, memberWord } from "../../domain/member.ts";
import { counted, countText, durationText, usdText } from "../../domain/number-text.ts";
import { plainText } from "../../domain/plain-text.ts";
import type { Series } from "../../domain/series.ts";
import { seriesFlagWords } from "../../domain/series-flags.ts";
import type { ArmSummary } from "../../domain/session.ts";
import type { CriterionScore } from "../../domain/verdict.ts";
import { flagWords, toldFlags } from "../../domain/verdict-flags.ts";
import { decidedText, suspicionLines, undecidedChecks, unmetText } from "../../domain/verdict-text.ts";
import { verdictNotes } from "../../domain/verdict-words.ts";
import { type ArmNames, type Words, wordsText } from "../../domain/words.ts";
import { solvedWord } from "../../statistics/figure-text.ts";
import {
  armFigures,
  costsText,
  failedTable,
  GROUPS_TEXT,
  groupTable,
  HALTED,
  leftOutText,
  namesInShort,
  namesOf,
  originOfTrial,
  powerText,
  rateText,
  scoreText,
  shownScenarios,
  solvedText,
  sourceText,
  trialText,
} from "../../statistics/series-words.ts";
import { type Again, type SixLines, sixLines } from "../../statistics/six-lines.ts";
import {
  checksText,
  costTexts,
  distinctNames,
  howItEnded,
  isOwn,
  type Reported,
  reportedHeadline,
  sessionsOf,
  whyNoVerdict,
} from "./reported.ts";

/** Rows whose work a page for a pull request shows. */
export const MARKDOWN_ROWS = 3;

/**
 * The series as a short page for a pull request: the answer, what the arms left where they differ, scenarios, arms, what to beware
 * of, every trial.
 */
export function seriesMarkdown(series: Series, again?: Again, differing: ShownRows = NO_ROWS): string {
  const { scenarios, arms, failure, flags } = series;
  const cost = costsText(series);
  const power = powerText(series);
  const parts = [
    `## abeval: ${plain(namesInShort(scenarios))}\n`,
    ...answerMarkdown(series, again),
    ...(failure === null ? [] : [`${HALTED}: ${plain(failure)}\n`]),
    ...workMarkdown(differing, memberWord(scenarios), namesOf(arms)),
    ...groupsAndFailed(series),
    scenarioTable(series),
    markdownTable(["", arms.a.arm_id, arms.b.arm_id], armFigures(series)),
    ...(power === null ? [] : [`${plain(power)}\n`]),
    ...flagList(flags, (flag) => seriesFlagWords(flag, series)),
    ...(cost === "" ? [] : [`Cost: ${plain(cost)}\n`]),
    trialsFolded(series),
    `${sourceText(series, (text) => `\`${plain(text)}\``)}\n`,
  ];
  return parts.join("\n");
}

const answerMarkdown = (series: Series, again: Again): string[] => linesMarkdown(sixLines(series, again));

/** What is told first, as a list. */
export function linesMarkdown({ first, lines }: SixLines): string[] {
  const items = lines.map(({ label, words, command }) => {
    const typed = command === undefined ? "" : ` <code>${plain(command)}</code>`;
    return `- **${label}** ${plain(words)}${typed}`;
  });
  return [`**${plain(first)}**\n`, ...items, ""];
}

/** Characters of what one of two arms left; more arms have as many together. */
const WORK_CHARS = 1_000;

/** What arms left in some rows. @param names null for more than two arms */
export function workMarkdown({ rows, total }: ShownRows, word: string, names: ArmNames | null): string[] {
  if (rows.length === 0) return [];
  return [
    `### ${differingTitle(rows.length, total, word)}\n`,
    ...rows.flatMap((row) => {
      const chars = Math.floor((2 * WORK_CHARS) / Math.max(2, row.cells.length));
      return [
        `**${plain(memberName(row))}**: ${plain(rowWords(row, names))}\n`,
        ...[...questionLines(row).map((line) => `- ${plain(line)}`), ""],
        ...row.cells.flatMap((cell) => cellMarkdown(cell, names, chars)),
      ];
    }),
  ];
}

function cellMarkdown(cell: Cell, names: ArmNames | null, chars: number): string[] {
  const text = workText(cell);
  const said = `${plain(cellWords(cell, names))}. ${workLabel(cell)}${text === null ? "." : ":"}\n`;
  return text === null
    ? [said]
    : [said, quoted(cut(text.trimEnd(), chars), cell.change === undefined ? "text" : "diff")];
}

/** What somebody wrote, as it is: nothing in it is markup. */
function quoted(text: string, language: string): string {
  const shown = plainText(text);
  const longest = Math.max(2, ...shown.matchAll(/`+/g).map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${shown}\n${fence}\n`;
}

/** A list ends with a blank line. */
export const flagList = <Flag extends string>(flags: readonly Flag[], wordsOf: (flag: Flag) => Words): string[] =>
  flags.length === 0 ? [] : [...flags.map((flag) => `- \`${flag}\`: ${plain(wordsOf(flag))}`), ""];

function groupsAndFailed(series: Series): string[] {
  const [groups, failed] = [groupTable(series), failedTable(series)];
  return [
    ...(groups === null ? [] : [markdownTable(groups.head, groups.rows), `${GROUPS_TEXT}\n`]),
    ...(failed === null ? [] : [markdownTable(failed.head, failed.rows)]),
  ];
}

function scenarioTable(series: Series): string {
  const { scenarios, arms } = series;
  const solved = solvedWord(series);
  const more = leftOutText(scenarios.length);
  const head = ["scenario", "wins-ties-losses", "win rate", `${arms.a.arm_id} ${solved}`, `${arms.b.arm_id} ${solved}`];
  return (
    markdownTable(
      head,
      shownScenarios(scenarios).map(({ counts, headline, solved, ...member }) => [
        memberName(member),
        scoreText(counts),
        rateText(headline.win_rate),
        ...[solvedText(solved.a), solvedText(solved.b)],
      ]),
    ) + (more === null ? "" : `${more}\n`)
  );
}

/** A comment on a pull request has room for 65,536 characters. */
const SHOWN_TRIALS = 200;

/** GitHub and GitLab fold it; a table inside needs the blank line before it. */
function trialsFolded({ trials, arms, kind }: Series): string {
  const rows = trials
    .slice(-SHOWN_TRIALS)
    .map((trial) => [
      String(trial.trial),
      memberName(trial),
      trialText(trial, arms),
      trial.counted ? "yes" : "no",
      usdText(trial.cost_usd),
      originOfTrial(trial),
    ]);
  const head = ["trial", "scenario", "outcome", "counts", "cost", kind === "results" ? "results" : "session"];
  const all = counted(trials.length, "trial");
  const title = rows.length < trials.length ? `The last ${rows.length} of ${all}` : all;
  return `<details><summary>${title}</summary>\n\n${markdownTable(head, rows)}\n</details>\n`;
}

/** Two arms as a short page for a pull request: the statement, both arms side by side, each criterion. */
export function verdictMarkdown(reported: Reported): string {
  const { verdict, a, b } = reported;
  const { scenario, input, version } = a.session;
  const title = `## abeval: ${plain(memberName({ scenario, input: input?.id }))}\n`;
  const names = distinctNames(reported);
  const arms = markdownTable(["", names.a, names.b], armRows([a.arm, b.arm]));
  const cost = `Cost: ${plain(costTexts(reported).join(", "))}\n`;
  const ids = sessionsOf(reported).map(({ session_id }) => `session \`${session_id}\``);
  if (verdict === null) {
    const why = `No verdict: ${plain(whyNoVerdict(a.session))}\n`;
    const how = `The run: ${plain(howItEnded(a.session))}.\n`;
    return [title, why, how, arms, cost, `${ids.join(" and ")}, abeval ${version}\n`].join("\n");
  }
  const again = isOwn(reported) ? "" : `, verdict \`${verdict.verdict_id}\``;
  const parts = [
    title,
    `${`**${plain(reportedHeadline(reported))}** ${decidedText(verdict)}`.trim()}\n`,
    `${plain(verdict.statement)}\n`,
    arms,
    markdownTable(["criterion", "weight", names.a, names.b], verdict.criteria.map(criterionRow)),
    ...flagList(toldFlags(verdict.flags), (flag) => flagWords(flag, verdict)),
    ...verdictNotes(verdict).map((line) => `${plain(line)}\n`),
    ...suspicionLines(verdict).map((line) => `Suspected words of ${plain(line)}\n`),
    cost,
    `Judge \`${plain(verdict.judge.model)}\`, ${ids.join(" and ")}${again}, abeval ${version}\n`,
  ];
  return parts.join("\n");
}

type ArmRow = (name: string, cell: (arm: ArmSummary) => string) => string[];

function armRows(arms: readonly ArmSummary[]): string[][] {
  const row: ArmRow = (name, cell) => [name, ...arms.map(cell)];
  const [a, b] = arms;
  const absent = new Set(a && b ? undecidedChecks(a, b).map(({ id }) => id) : []);
  const tokens = (arm: ArmSummary, side: "tokens_in" | "tokens_out") =>
    leastText(knownTokens(arm, [side]), (value) => (value === null ? "unknown" : countText(value)));
  return [
    row("model", (arm) => arm.model),
    row("ended", endText),
    ...(arms.some(({ error }) => error) ? [row("error", ({ error }) => error ?? "none")] : []),
    ...disqualified(arms, row),
    ...notDone(arms, row),
    row("hidden checks", checksText),
    row("failed checks", (arm) => failedChecks(arm, absent)),
    ...numbersOf(arms, row),
    ...(absent.size > 0 ? [row("could not run", () => [...absent].join(", "))] : []),
    row("turns, tool calls", (arm) => `${arm.turns}, ${arm.tool_calls}`),
    row("tokens", (arm) => `${tokens(arm, "tokens_in")} in, ${tokens(arm, "tokens_out")} out`),
    row("cost", (arm) => leastText(knownCost(arm), usdText)),
    ...(arms.some(({ at_least }) => at_least) ? [row("not known", ({ at_least }) => at_least?.why ?? "")] : []),
    row("working time", (arm) => durationText(arm.working_ms)),
  ];
}

/** The numbers that checks gave, and what they say of them. There is a row only where a check gives one. */
function numbersOf(arms: readonly ArmSummary[], row: ArmRow): string[][] {
  const numbers = ({ probe }: ArmSummary) =>
    (probe?.checks ?? [])
      .filter(({ score }) => score !== undefined)
      .map((check) => [`${check.id} ${checkScoreText(check.score ?? 0)}`, whyText(check)].filter(Boolean).join(": "))
      .join("; ");
  return arms.some(numbers) ? [row("scores", (arm) => numbers(arm) || "none")] : [];
}

/** There is a row only when an arm was disqualified. */
function disqualified(arms: readonly ArmSummary[], row: ArmRow): string[][] {
  const why = (arm: ArmSummary) => whyDisqualified(arm.violations).join(" and ");
  return arms.some(why) ? [row("disqualified", (arm) => why(arm) || "no")] : [];
}

/** There is a row only when an arm left out something required. */
function notDone(arms: readonly ArmSummary[], row: ArmRow): string[][] {
  const left = (arm: ArmSummary) => unmetText(arm).join(", ");
  return arms.some(left) ? [row("required, not done", (arm) => left(arm) || "none")] : [];
}

/** A check that could run on neither arm has failed nothing; on one arm alone it counts as failed. */
function failedChecks({ probe, changes }: ArmSummary, absent: ReadonlySet<string>): string {
  if (probe === null && changes === null) return "unknown";
  const failed = (probe?.checks ?? []).filter((check) => isMissed(check) && !absent.has(check.id));
  return failed.map(({ id, could_not_run }) => (could_not_run ? `${id} (could not run)` : id)).join(", ") || "none";
}

function criterionRow({ id, weight, score_a, score_b, supported }: CriterionScore): string[] {
  const cell = (score: number | null) => (supported && score !== null ? score.toFixed(2) : "not scored");
  return [id, String(weight), cell(score_a), cell(score_b)];
}

/** Escapes text so that nothing in it is read as markup. GitHub makes links of addresses, and tells whoever is named by `@name`. */
export const plain = (text: string | Words) =>
  plainText(typeof text === "string" ? text : wordsText(text))
    .replace(/\s+/g, " ")
    .replace(/[\\`*_{}[\]<>|#!&]|:(?=\/\/)|(?<=www)\./gi, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/(?<!\w)@(?=\w)/g, "@&#8203;");

/** A table of plain texts. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(" | ")} |`;
  return `${[line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n")}\n`;
}
