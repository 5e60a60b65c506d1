import { storedVerdict } from "../../comparison/session/stored-arm.ts";
import { type Contest, isContest } from "../../domain/contest.ts";
import { didYouMean } from "../../domain/did-you-mean.ts";
import { Failure } from "../../domain/failure.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { ownTurn, Pace } from "../../runtime/pace.ts";
import { SharedWork } from "../../runtime/shared-work.ts";
import type { RequestOf } from "../endpoint/endpoints.ts";
import { contestCard, seriesCard, verdictCard } from "../report/card.ts";
import { contestHtml, contestHtmlRows, contestMarkdown } from "../report/contest.ts";
import { duelHtml } from "../report/duel-html.ts";
import { MARKDOWN_ROWS, seriesMarkdown, verdictMarkdown } from "../report/markdown.ts";
import { type Reported, reportedSession, reportedVerdict } from "../report/reported.ts";
import { HTML_ROWS, seriesHtml } from "../report/series-html.ts";
import { trajectoryHead, trajectorySteps, trajectoryTotals } from "../report/trajectory.ts";
import { verdictHtml } from "../report/verdict-html.ts";
import { differingContestRows, tellingContestRows } from "./contest-grid.ts";
import { differingRows, tellingRows } from "./grid.ts";
import type { Services } from "./operation.ts";
import { getSession } from "./reads.ts";
import { getSeries } from "./series.ts";
/** A file for others. */
export interface ReportFile {
  readonly name: string;
  readonly media_type: string;
  readonly text: string;
}

const SHOWINGS = { html: "all", "html-blind": "blind", "html-redacted": "redacted" } as const;

export async function reportSession(
  services: Services,
  { id, format = "html", verdict_id }: RequestOf<"reportSession">,
  signal: AbortSignal,
): Promise<ReportFile> {
  const reported = await reportedIn(services, { id, verdict_id }, signal);
  const name = verdict_id ?? id;
  if (format === "markdown") return markdown(name, verdictMarkdown(reported));
  return page(name, format === "html-duel" ? duelHtml(reported) : verdictHtml(reported, SHOWINGS[format]));
}

/** A series as SVG. */
export async function seriesDrawing(services: Services, asked: RequestOf<"seriesCardSvg">, signal: AbortSignal) {
  const report = await getSeries(services, asked, signal);
  return isContest(report) ? contestCard(report) : seriesCard(report);
}

interface Reportable {
  readonly id: string;
  readonly verdict_id?: string | undefined;
}

/** By who has the sessions. */
const drawing = new WeakMap<Services, SharedWork<string>>();

/** A verdict as SVG. Whoever asks for it while it is drawn gets the same: to read a session takes longer than to draw it. */
export function sessionDrawing(services: Services, asked: Reportable, signal: AbortSignal): Promise<string> {
  const shared = drawing.get(services) ?? new SharedWork();
  drawing.set(services, shared);
  const draw = async (stop: AbortSignal) => verdictCard(await reportedIn(services, asked, stop));
  return shared.of(`${asked.id} ${asked.verdict_id ?? ""}`, draw, signal);
}

async function reportedIn(services: Services, { id, verdict_id }: Reportable, signal: AbortSignal) {
  const read = (session_id: string) => getSession(services, { id: session_id }, signal);
  // To read one takes some milliseconds, and many may ask at once.
  await ownTurn();
  const session = await read(id);
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

export async function reportSeries(
  services: Services,
  { id, format = "html" }: RequestOf<"reportSeries">,
  signal: AbortSignal,
): Promise<ReportFile> {
  const series = await getSeries(services, { id }, signal);
  const { store } = services;
  if (isContest(series)) return await reportContest(store, series, format);
  if (format === "markdown")
    return markdown(id, seriesMarkdown(series, undefined, await differingRows(store, series, MARKDOWN_ROWS)));
  return page(id, await seriesHtml(series, undefined, await tellingRows(store, series, HTML_ROWS)));
}

async function reportContest(store: Services["store"], contest: Contest, format: "html" | "markdown") {
  const { series_id } = contest;
  if (format === "markdown") {
    const differing = await differingContestRows(store, contest, MARKDOWN_ROWS);
    return markdown(series_id, contestMarkdown(contest, undefined, differing));
  }
  const telling = await tellingContestRows(store, contest, contestHtmlRows(contest));
  return page(series_id, await contestHtml(contest, undefined, telling));
}

const page = (id: string, text: string) => file(`${id}.html`, "html", text);
const markdown = (id: string, text: string) => file(`${id}.md`, "markdown", text);

const file = (name: string, type: string, text: string): ReportFile => ({
  ...{ name, media_type: `text/${type};charset=utf-8`, text },
});

/** What one arm did, as JSON in pieces, which are made as they are asked for. @throws Failure `unknown_session`, `unknown_arm` */
export async function exportTrajectory(
  services: Services,
  { id, arm_id }: RequestOf<"exportTrajectory">,
  signal: AbortSignal,
): Promise<AsyncGenerator<string>> {
  const session = await getSession(services, { id }, signal);
  const arm = session.arms.find((one) => one.arm_id === arm_id);
  if (arm === undefined) throw unknownArm(arm_id, session.arms);
  const head = trajectoryHead(session, arm, services.version);
  return pieces(head, trajectorySteps(session, arm_id), (steps) => trajectoryTotals(arm, steps));
}

async function* pieces(
  head: object,
  steps: Iterable<object>,
  totals: (steps: number) => object,
): AsyncGenerator<string> {
  const pace = new Pace();
  yield `${JSON.stringify(head).slice(0, -1)},"steps":[`;
  let count = 0;
  for (const step of steps) {
    const text = JSON.stringify(step);
    await pace.bytes(text.length);
    yield count === 0 ? text : `,${text}`;
    count += 1;
  }
  yield `],"final_metrics":${JSON.stringify(totals(count))}}`;
}

function unknownArm(arm_id: string, arms: readonly { readonly arm_id: string }[]): Failure {
  const ids = arms.map((arm) => arm.arm_id);
  const shown = JSON.stringify(arm_id.slice(0, 100));
  return new Failure(
    "unknown_arm",
    `the session has no arm ${shown}${didYouMean(arm_id, ids) || `; it has ${ids.join(" and ")}`}`,
  );
}
