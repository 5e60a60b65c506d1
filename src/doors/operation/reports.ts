import { type Static, Type } from "@sinclair/typebox";
import { storedVerdict } from "../../comparison/session/stored-verdict.ts";
import { Failure } from "../../domain/failure.ts";
import { oneOf, record } from "../../domain/schema.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { ownTurn } from "../../runtime/pace.ts";
import { SharedWork } from "../../runtime/shared-work.ts";
import { seriesCard, verdictCard } from "../report/card.ts";
import { duelHtml } from "../report/duel-html.ts";
import { seriesMarkdown, verdictMarkdown } from "../report/markdown.ts";
import { type Reported, reportedSession, reportedVerdict } from "../report/reported.ts";
import { seriesHtml } from "../report/series-html.ts";
import { verdictHtml } from "../report/verdict-html.ts";
import { operation, type Services } from "./operation.ts";
import { getSeries } from "./series.ts";
import { getSession } from "./sessions.ts";

const SESSION_FORMATS = ["html", "html-blind", "html-redacted", "html-duel", "markdown"] as const;
const SERIES_FORMATS = ["html", "markdown"] as const;

export const SessionReportQuery = Type.Object({
  format: Type.Optional(
    oneOf(SESSION_FORMATS, {
      description:
        "`html` (default): all of it. `html-blind`: without names, models and verdict. `html-redacted`: figures alone, nothing that arms, judge or task say. `html-duel`: both timelines played on one clock, from where they diverge to what decided. `markdown`: a short page.",
    }),
  ),
  verdict_id: Type.Optional(
    Type.String({ description: "One of its verdicts, also across two sessions. Without it, the session's own." }),
  ),
});

export const SeriesReportQuery = Type.Object({
  format: Type.Optional(oneOf(SERIES_FORMATS, { description: "`html` (default), or `markdown`: a short page." })),
});

/** A file for others. */
const ReportFile = record("Report", { name: Type.String(), media_type: Type.String(), text: Type.String() });
export type ReportFile = Static<typeof ReportFile>;

const SHOWINGS = { html: "all", "html-blind": "blind", "html-redacted": "redacted" } as const;

export const reportSession = operation({
  name: "report_session",
  title: "A session as a file",
  summary: "One page that loads nothing and runs nothing: verdict, facts, checks, answers, diffs.",
  input: Type.Object({ session_id: Type.String(), ...SessionReportQuery.properties }),
  output: ReportFile,
  async run(services, { session_id, format = "html", verdict_id }, signal) {
    const reported = await reportedIn(services, { session_id, verdict_id }, signal);
    const name = verdict_id ?? session_id;
    if (format === "markdown") return markdown(name, verdictMarkdown(reported));
    return page(name, format === "html-duel" ? duelHtml(reported) : verdictHtml(reported, SHOWINGS[format]));
  },
});

const Drawing = Type.Object({ svg: Type.String() });

export const SessionCardQuery = Type.Pick(SessionReportQuery, ["verdict_id"]);

export const sessionCard = operation({
  name: "session_card",
  title: "A verdict as a picture",
  summary: "1200 x 630 pixels for a chat or a pull request: who won, how surely, scores and checks of both arms.",
  input: Type.Object({ session_id: Type.String(), ...SessionCardQuery.properties }),
  output: Drawing,
  run: async (services, asked, signal) => ({ svg: await drawn(services, asked, signal) }),
});

export const seriesCardFile = operation({
  name: "series_card",
  title: "A series as a picture",
  summary: "1200 x 630 pixels for a chat or a pull request: what the trials show, with range and wins of both arms.",
  input: Type.Object({ series_id: Type.String() }),
  output: Drawing,
  run: async (services, asked, signal) => ({ svg: seriesCard(await getSeries.run(services, asked, signal)) }),
});

interface Reportable {
  readonly session_id: string;
  readonly verdict_id?: string | undefined;
}

/** By who has the sessions. */
const drawing = new WeakMap<Services, SharedWork<string>>();

/** Whoever asks for a picture while it is drawn gets the same: to read a session takes longer than to draw it. */
function drawn(services: Services, asked: Reportable, signal: AbortSignal): Promise<string> {
  const shared = drawing.get(services) ?? new SharedWork();
  drawing.set(services, shared);
  const draw = async (stop: AbortSignal) => verdictCard(await reportedIn(services, asked, stop));
  return shared.of(`${asked.session_id} ${asked.verdict_id ?? ""}`, draw, signal);
}

async function reportedIn(services: Services, { session_id, verdict_id }: Reportable, signal: AbortSignal) {
  const read = (id: string) => getSession.run(services, { session_id: id }, signal);
  // To read one takes some milliseconds, and many may ask at once.
  await ownTurn();
  const session = await read(session_id);
  return verdict_id === undefined ? reportedSession(session) : await judgedIn(session, verdict_id, read);
}

type Read = (session_id: string) => Promise<SessionOutcome>;

/** Reads the other session too when the verdict compares arms of two. @throws Failure `invalid_request`, `unknown_session`, `unknown_arm` */
async function judgedIn(session: SessionOutcome, verdict_id: string, read: Read): Promise<Reported> {
  const verdict = storedVerdict(session, verdict_id);
  const others = [verdict.arm_a, verdict.arm_b].map((arm) => arm.session_id).filter((id) => id !== session.session_id);
  const reported = reportedVerdict(verdict, [session, ...(await Promise.all(others.map(read)))]);
  if (reported) return reported;
  throw new Failure("unknown_arm", `an arm that ${verdict_id} compares is no longer there`);
}

export const reportSeries = operation({
  name: "report_series",
  title: "A series as a file",
  summary: "One page that loads nothing and runs nothing: conclusion, scenarios, arms, every trial.",
  input: Type.Object({ series_id: Type.String(), ...SeriesReportQuery.properties }),
  output: ReportFile,
  async run(services, { series_id, format = "html" }, signal) {
    const series = await getSeries.run(services, { series_id }, signal);
    return format === "markdown"
      ? markdown(series_id, seriesMarkdown(series))
      : page(series_id, await seriesHtml(series));
  },
});

const page = (id: string, text: string) => file(`${id}.html`, "html", text);
const markdown = (id: string, text: string) => file(`${id}.md`, "markdown", text);

const file = (name: string, type: string, text: string): ReportFile => ({
  ...{ name, media_type: `text/${type};charset=utf-8`, text },
});
