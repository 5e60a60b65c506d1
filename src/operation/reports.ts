import { type Static, Type } from "@sinclair/typebox";
import { oneOf, record } from "../domain/schema.ts";
import { seriesHtml } from "../report/series-html.ts";
import { seriesMarkdown } from "../report/series-markdown.ts";
import { sessionHtml } from "../report/session-html.ts";
import { markdownOf } from "../report/session-markdown.ts";
import { operation } from "./operation.ts";
import { getSeries } from "./series.ts";
import { getSession } from "./sessions.ts";

const SESSION_FORMATS = ["html", "html-blind", "html-redacted", "markdown"] as const;
const SERIES_FORMATS = ["html", "markdown"] as const;

export const SessionReportQuery = Type.Object({
  format: Type.Optional(
    oneOf(SESSION_FORMATS, {
      description:
        "`html` (default): all of it. `html-blind`: without names, models and verdict. `html-redacted`: figures alone, nothing that arms, judge or task say. `markdown`: a short page.",
    }),
  ),
});

export const SeriesReportQuery = Type.Object({
  format: Type.Optional(oneOf(SERIES_FORMATS, { description: "`html` (default), or `markdown`: a short page." })),
});

/** A file for others. */
const Report = record("Report", { name: Type.String(), media_type: Type.String(), text: Type.String() });
export type Report = Static<typeof Report>;

const SHOWINGS = { html: "all", "html-blind": "blind", "html-redacted": "redacted" } as const;

export const reportSession = operation({
  name: "report_session",
  title: "A session as a file",
  summary: "One page that loads nothing and runs nothing: verdict, facts, checks, answers, diffs.",
  input: Type.Object({ session_id: Type.String(), ...SessionReportQuery.properties }),
  output: Report,
  async run(services, { session_id, format = "html" }, signal) {
    const session = await getSession.run(services, { session_id }, signal);
    return format === "markdown"
      ? markdown(session_id, markdownOf(session))
      : page(session_id, sessionHtml(session, SHOWINGS[format]));
  },
});

export const reportSeries = operation({
  name: "report_series",
  title: "A series as a file",
  summary: "One page that loads nothing and runs nothing: conclusion, scenarios, arms, every trial.",
  input: Type.Object({ series_id: Type.String(), ...SeriesReportQuery.properties }),
  output: Report,
  async run(services, { series_id, format = "html" }, signal) {
    const series = await getSeries.run(services, { series_id }, signal);
    return format === "markdown" ? markdown(series_id, seriesMarkdown(series)) : page(series_id, seriesHtml(series));
  },
});

const page = (id: string, text: string): Report => ({
  name: `${id}.html`,
  media_type: "text/html;charset=utf-8",
  text,
});

const markdown = (id: string, text: string): Report => ({
  name: `${id}.md`,
  media_type: "text/markdown;charset=utf-8",
  text,
});
