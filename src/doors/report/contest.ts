import type { Contest } from "../../domain/contest.ts";
import { counted, countText, momentText } from "../../domain/number-text.ts";
import { seriesFlagWords } from "../../domain/series-flags.ts";
import { contestLines, contestTable, pairTable, RANKS_TEXT } from "../../statistics/contest-words.ts";
import { HALTED } from "../../statistics/series-words.ts";
import type { Again } from "../../statistics/six-lines.ts";
import { html, htmlPage, htmlTable } from "./html.ts";
import { flagList, linesMarkdown, markdownTable, plain } from "./markdown.ts";

/** The contest as a short page for a pull request: the answer, a line for each arm, each pair, what to beware of. */
export function contestMarkdown(contest: Contest, again?: Again): string {
  const { head, rows } = contestTable(contest);
  const pairs = pairTable(contest);
  const { failure, flags, series_id } = contest;
  const parts = [
    `## abeval: ${plain(titleOf(contest))}\n`,
    ...linesMarkdown(contestLines(contest, again)),
    ...(failure === null ? [] : [`${HALTED}: ${plain(failure)}\n`]),
    markdownTable(head, rows),
    `${RANKS_TEXT}\n`,
    `<details><summary>${counted(pairs.rows.length, "pair")}</summary>\n\n${markdownTable(pairs.head, pairs.rows)}\n</details>\n`,
    ...flagList(flags, (flag) => seriesFlagWords(flag, inputsOf(contest))),
    `Contest \`${plain(series_id)}\`\n`,
  ];
  return parts.join("\n");
}

const titleOf = ({ contest, members }: Contest) =>
  `${counted(contest.arms.length, "arm")}, ${counted(members, "task")}`;

const inputsOf = ({ inputs_from_checkout }: Contest) => (inputs_from_checkout ? { inputs_from_checkout } : {});

/** Pairs on the page. */
const SHOWN_PAIRS = 500;

/** The contest as one page that stands alone. */
export function contestHtml(contest: Contest, again?: Again): string {
  const { failure, flags, series_id, created_at } = contest;
  const { first, lines } = contestLines(contest, again);
  const table = contestTable(contest);
  const pairs = pairTable(contest);
  const title = titleOf(contest);
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
<h2>Each pair</h2>
${htmlTable(pairs.head, pairs.rows.slice(0, SHOWN_PAIRS))}
<p class="soft">Contest ${series_id}</p>`;
  return htmlPage(`${title} · abeval`, body);
}
