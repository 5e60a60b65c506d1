import { type Contest, isContest } from "../../../domain/contest.ts";
import { NO_ROWS } from "../../../domain/grid-words.ts";
import type { Series } from "../../../domain/series.ts";
import type { Again } from "../../../statistics/six-lines.ts";
import { differingContestRows, tellingContestRows } from "../../operation/contest-grid.ts";
import { differingRows, tellingRows } from "../../operation/grid.ts";
import type { Services } from "../../operation/operation.ts";
import { contestCard, seriesCard } from "../../report/card.ts";
import { contestHtml, contestHtmlRows, contestMarkdown } from "../../report/contest.ts";
import { MARKDOWN_ROWS, seriesMarkdown } from "../../report/markdown.ts";
import { HTML_ROWS, seriesHtml } from "../../report/series-html.ts";
import type { Painter } from "../terminal/paint.ts";
import { summariseContest, summariseSeries } from "../terminal/series-text.ts";
import { contestJunit, seriesJunit } from "./junit.ts";

interface Shown {
  readonly painter: Painter;
  readonly again: Again;
  /** Where what the arms left is read. Absent: nothing is kept of it. */
  readonly store?: Services["store"];
}

/** A series or a contest in each form, made when it is asked for. */
export function formsOf(report: Series | Contest, { painter, again, store }: Shown) {
  if (isContest(report))
    return {
      summary: summariseContest(report, { painter, again }),
      junit: () => contestJunit(report, again),
      markdown: async () =>
        contestMarkdown(report, again, store && (await differingContestRows(store, report, MARKDOWN_ROWS))),
      html: async () =>
        await contestHtml(report, again, store && (await tellingContestRows(store, report, contestHtmlRows(report)))),
      card: () => contestCard(report),
    };
  return {
    summary: summariseSeries(report, { painter, again }),
    junit: () => seriesJunit(report, again),
    markdown: async () =>
      seriesMarkdown(report, again, store ? await differingRows(store, report, MARKDOWN_ROWS) : NO_ROWS),
    html: async () => seriesHtml(report, again, store ? await tellingRows(store, report, HTML_ROWS) : NO_ROWS),
    card: () => seriesCard(report),
  };
}
