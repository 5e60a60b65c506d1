import type { Contest } from "../../domain/contest.ts";
import { NO_ROWS, type ShownRows } from "../../domain/grid-words.ts";
import { memberWord } from "../../domain/member.ts";
import { counted, countText, momentText } from "../../domain/number-text.ts";
import { seriesFlagWords } from "../../domain/series-flags.ts";
import { contestLines, contestTable, contestTitle, pairTable, RANKS_TEXT } from "../../statistics/contest-words.ts";
import { HALTED } from "../../statistics/series-words.ts";
import type { Again } from "../../statistics/six-lines.ts";
import { html, htmlPage, htmlTable } from "./html.ts";
import { flagList, linesMarkdown, markdownTable, plain, workMarkdown } from "./markdown.ts";
import { HTML_ROWS } from "./series-html.ts";
import { workHtml } from "./work-html.ts";

/** The contest as a short page for a pull request: the answer, a line for each arm, what they left where they differ, each pair, what to beware of. */
export function contestMarkdown(contest: Contest, again?: Again, differing: ShownRows = NO_ROWS): string {
  const { head, rows } = contestTable(contest);
  const pairs = pairTable(contest);
  const { failure, flags, series_id } = contest;
  const parts = [
    `## abeval: ${plain(contestTitle(contest))}\n`,
    ...linesMarkdown(contestLines(contest, again)),
    ...(failure === null ? [] : [`${HALTED}: ${plain(failure)}\n`]),
    markdownTable(head, rows),
    `${RANKS_TEXT}\n`,
    ...workMarkdown(differing, memberWord(differing.rows), null),
    `<details><summary>${counted(pairs.rows.length, "pair")}</summary>\n\n${markdownTable(pairs.head, pairs.rows)}\n</details>\n`,
    ...flagList(flags, (flag) => seriesFlagWords(flag, inputsOf(contest))),
    `Contest \`${plain(series_id)}\`\n`,
  ];
  return parts.join("\n");
}

const inputsOf = ({ inputs_from_checkout }: Contest) => (inputs_from_checkout ? { inputs_from_checkout } : {});

/** Rows whose work the page shows: of many arms fewer, so that the page is as long. */
export const contestHtmlRows = ({ contest }: Contest): number => Math.ceil((2 * HTML_ROWS) / contest.arms.length);

/** Pairs on the page. */
const SHOWN_PAIRS = 500;

/** In the order of the plan; a table of results has none, and its arms are those of its rows. */
const armsOf = ({ plan }: Contest, { rows }: ShownRows) =>
  [...new Set(plan?.contest?.arms ?? rows.flatMap(({ cells }) => cells.map(({ arm_id }) => arm_id)))].map((arm_id) => ({
    arm_id,
    head: arm_id,
  }));

/** The contest as one page that stands alone, made in turns. */
export async function contestHtml(contest: Contest, again?: Again, shown: ShownRows = NO_ROWS): Promise<string> {
  const { failure, flags, series_id, created_at } = contest;
  const { first, lines } = contestLines(contest, again);
  const table = contestTable(contest);
  const pairs = pairTable(contest);
  const title = contestTitle(contest);
  const origin = [
    title,
    `${countText(contest.trials.length)} trials`,
    ...(created_at === null ? [] : [momentText(created_at)]),
  ];
  const body = html`<p class="soft">${origin.join(" · ")}</p><h1>${first}</h1>
${failure === null ? null : html`<p class="bad">${HALTED}: ${failure}</p>`}
${lines.map(({ label, words, command }) => html`<p><b>${label}</b> ${words}${command === undefined ? null : html` <code>${command}</code>`}</p>`)}
${htmlTable(table.head, table.rows)}<p class="soft">${RANKS_TEXT}</p>
${flags.length === 0 ? null : html`<h2>Before you trust it</h2>${flags.map((flag) => html`<p>${seriesFlagWords(flag, inputsOf(contest))}</p>`)}`}
${await workHtml(shown, { word: memberWord(shown.rows), arms: armsOf(contest, shown), names: null })}
<h2>Each pair</h2>
${htmlTable(pairs.head, pairs.rows.slice(0, SHOWN_PAIRS))}
<p class="soft">Contest ${series_id}</p>`;
  return htmlPage(`${title} · abeval`, body);
}
