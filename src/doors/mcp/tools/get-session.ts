import { type Static, Type } from "@sinclair/typebox";
import { withoutReasons } from "../../../domain/cell.ts";
import { isContest } from "../../../domain/contest.ts";
import { Failure } from "../../../domain/failure.ts";
import { nullable, oneOf, record, Slug } from "../../../domain/schema.ts";
import { type ArmSummary, isFinal, SessionId, type SessionOutcome, STATES } from "../../../domain/session.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { tellingContestRows } from "../../operation/contest-grid.ts";
import { tellingRows } from "../../operation/grid.ts";
import type { Services } from "../../operation/operation.ts";
import { getSession as operation } from "../../operation/reads.ts";
import { getSeries } from "../../operation/series.ts";
import { CLIPS, fullestThatFits, RESULT_BYTES } from "../fit.ts";
import { type Answer, READS, tool } from "../tool.ts";
import { DecisionsPage, DiffView, decisionsText, diffText, pageDecisions, pageDiff } from "../view/arm-pages.ts";
import { CONTEST_ROWS, ContestBrief, contestThatFits } from "../view/contest-view.ts";
import { fullSession, withoutCheckQuotes, withoutPaged } from "../view/full-session.ts";
import { MCP_ROWS, SeriesFields, seriesText, seriesThatFits } from "../view/series-view.ts";
import { SessionView, summariseSession, summaryText, summaryThatFits } from "../view/session-summary.ts";
import { VerdictView, verdictRest, verdictText, verdictThatFits } from "../view/verdict-view.ts";
import { IncludeHidden } from "./get-scenario.ts";

const DETAILS = ["summary", "criteria", "decisions", "diff", "full"] as const;

/** Decisions, or lines of a diff, of one arm unless asked otherwise. */
const DEFAULT_LIMIT = { decisions: 40, diff: 400, trials: 40 };
const MAX_LIMIT = 1_000;

const GetSessionRequest = record("GetSessionToolRequest", {
  session_id: Type.String({
    description:
      "Id of a session or a series, from run_scenario or list_sessions; `cmp-<comparison>` is the series of all stored runs of a comparison.",
  }),
  detail: Type.Optional(
    oneOf(DETAILS, {
      description:
        "summary (default): state, arms, verdict in brief. criteria: scores, reasons and quotes of the verdict. decisions: what the arms did, step by step. diff: what they changed. full: everything else too, large: definition, checks, the judge's calls.",
    }),
  ),
  arm_id: Type.Optional(Slug({ description: "Only this arm; for decisions and diff." })),
  after_seq: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        "Continue after this decision, line of the diff, trial of a series, or character of full; a page names the next.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LIMIT,
      description: "Decisions or diff lines for each arm, or trials, at most.",
    }),
  ),
  verdict_id: Type.Optional(Type.String({ description: "For criteria: a rejudge instead of the run's own verdict." })),
  include_hidden: IncludeHidden,
});
type GetSessionRequest = Static<typeof GetSessionRequest>;

/** The OpenAPI document has its schema; here it would be most of the list of tools. */
const FullSession = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "SessionOutcome as in the HTTP API, without the texts of changed files and, unless asked for, hidden parts of the definition and what the hidden checks printed.",
});

const SessionDetail = record("SessionDetail", {
  session_id: Type.Optional(SessionId),
  state: oneOf(STATES),
  detail: oneOf(DETAILS),
  summary: Type.Optional(SessionView),
  contest: Type.Optional(ContestBrief),
  verdict: Type.Optional(nullable(VerdictView)),
  decisions: Type.Optional(Type.Array(DecisionsPage)),
  diff: Type.Optional(Type.Array(DiffView)),
  session: Type.Optional(FullSession),
  series: Type.Optional(SeriesFields),
});
type Slice = Answer<typeof SessionDetail>;

export const getSession = tool("getSession", {
  description:
    "What is known of a session or a series, also while it runs. Free and instant. Start with the summary; then criteria, decisions or diff say why. " +
    "Slices fit about 8,000 tokens and page with after_seq; only the structured data of full may be larger. While state is not completed, failed, cancelled or interrupted, ask again in a few seconds. Next: rejudge for a second opinion.",
  input: GetSessionRequest,
  output: SessionDetail,
  annotations: READS,
  live: true,
  async call(services, request, { signal }) {
    if (isSeriesId(request.session_id)) return await seriesSlice(services, request, signal);
    const outcome = await operation(services, { id: request.session_id }, signal);
    return SLICES[request.detail ?? "summary"](outcome, request);
  },
});

const SLICES: Readonly<
  Record<(typeof DETAILS)[number], (outcome: SessionOutcome, request: GetSessionRequest) => Slice>
> = { summary, criteria, decisions, diff, full };

const isSeriesId = (id: string) => /^(series|cmp)-/.test(id);

async function seriesSlice(
  services: Services,
  { session_id, detail = "summary", after_seq = 0, limit = DEFAULT_LIMIT.trials, include_hidden }: GetSessionRequest,
  signal: AbortSignal,
): Promise<Slice> {
  if (detail !== "summary")
    throw new Failure(
      "invalid_request",
      `detail: a series has a summary; ask for ${detail} with the session_id of one of its trials`,
    );
  const report = await getSeries(services, { id: session_id }, signal);
  const advice = report.state === "running" ? "\nStill running; ask again in a few seconds." : "";
  if (isContest(report)) {
    const { rows } = await tellingContestRows(services.store, report, CONTEST_ROWS);
    return contestThatFits(report, include_hidden ? rows : rows.map(withoutReasons), ({ contest, text }) => ({
      structured: { state: report.state, detail, contest },
      text: `${text}${advice}`,
    }));
  }
  const telling = await tellingRows(services.store, report, MCP_ROWS);
  const rows = include_hidden ? telling.rows : telling.rows.map(withoutReasons);
  return seriesThatFits(report, { after: after_seq, limit, rows }, (series) => ({
    structured: { state: report.state, detail, series: { ...series } },
    text: `${seriesText(series, report)}${advice}`,
  }));
}

const identityOf = ({ session_id, state }: SessionOutcome) => ({ session_id, state });

function summary(outcome: SessionOutcome): Slice {
  const advice = isFinal(outcome.state) ? "" : "\nStill running; ask again in a few seconds.";
  return summaryThatFits(outcome, (brief) => ({
    structured: { ...identityOf(outcome), detail: "summary", summary: brief },
    text: `${summaryText(brief, outcome)}${advice}`,
  }));
}

function criteria(outcome: SessionOutcome, { verdict_id, include_hidden = false }: GetSessionRequest): Slice {
  const about = { ...identityOf(outcome), detail: "criteria" } as const;
  const verdict = chosenVerdict(outcome, verdict_id);
  if (!verdict) return { structured: { ...about, verdict: null }, text: `${outcome.state}: there is no verdict` };
  const shown = include_hidden ? verdict : withoutCheckQuotes(verdict);
  return verdictThatFits(shown, (view) => ({
    structured: { ...about, verdict: view },
    text: verdictText(view, shown),
    rest: verdictRest(view),
  }));
}

/** The run's own verdict unless another is named; a session that has none may have been rejudged. */
function chosenVerdict({ session_id, verdict, verdicts }: SessionOutcome, id: string | undefined): Verdict | undefined {
  const all = verdict === null ? [...verdicts].reverse() : [verdict, ...verdicts];
  const chosen = id === undefined ? all[0] : all.find(({ verdict_id }) => verdict_id === id);
  if (id === undefined || chosen) return chosen;
  const known = all.map(({ verdict_id }) => verdict_id).join(", ") || "none";
  throw new Failure(
    "invalid_request",
    `verdict_id: ${session_id} has no verdict "${id.slice(0, 100)}"; its verdicts: ${known}`,
  );
}

function decisions(outcome: SessionOutcome, request: GetSessionRequest): Slice {
  const arms = chosenArms(outcome, request.arm_id);
  const { after_seq = 0, limit = DEFAULT_LIMIT.decisions } = request;
  const share = (RESULT_BYTES * DATA_SHARE) / arms.length;
  return fullestThatFits(DECISION_LEVELS, ({ bytes = share, ...level }) => {
    const page = { after_seq, limit, bytes, ...level };
    const pages = arms.map(({ arm_id }) => pageDecisions(arm_id, outcome.decisions[arm_id] ?? [], page));
    return {
      structured: { ...identityOf(outcome), detail: "decisions", decisions: pages },
      text: pages.map(decisionsText).join("\n"),
    };
  });
}

/** The share of a result that a page's data may take, since the text repeats it. */
const DATA_SHARE = 0.5;

interface DecisionLevel {
  readonly chars: number;
  readonly detail: boolean;
  /** The bytes of each page; its share of a result when absent. */
  readonly bytes?: number;
}

const WHOLE: DecisionLevel = { chars: Number.POSITIVE_INFINITY, detail: true, bytes: Number.POSITIVE_INFINITY };

/** First everything with shorter and shorter texts, then the steps alone, then as many steps as fit. */
const DECISION_LEVELS: readonly [DecisionLevel, ...DecisionLevel[]] = [
  WHOLE,
  ...CLIPS.slice(1).map((chars) => ({ ...WHOLE, chars })),
  { ...WHOLE, chars: 300, detail: false },
  { chars: 160, detail: false },
];

function diff(outcome: SessionOutcome, request: GetSessionRequest): Slice {
  const arms = chosenArms(outcome, request.arm_id);
  const { after_seq = 0, limit = DEFAULT_LIMIT.diff } = request;
  // The patch stands in the data and in the text.
  const bytes = (RESULT_BYTES * 0.4) / arms.length;
  const pages = arms.flatMap((arm) => pageDiff(arm, { after_seq, limit, bytes }) ?? []);
  const waiting = `${outcome.state}: no changes are known yet`;
  return {
    structured: { ...identityOf(outcome), detail: "diff", diff: pages },
    text: pages.map(diffText).join("\n\n") || waiting,
  };
}

function chosenArms({ session_id, arms }: SessionOutcome, arm_id: string | undefined): readonly ArmSummary[] {
  const chosen = arms.filter((arm) => arm_id === undefined || arm.arm_id === arm_id);
  if (chosen.length > 0) return chosen;
  const known = arms.map((arm) => arm.arm_id).join(", ");
  throw new Failure("unknown_arm", `arm_id: ${session_id} has no arm "${arm_id}"; its arms: ${known}`);
}

function full(outcome: SessionOutcome, { include_hidden = false, after_seq = 0 }: GetSessionRequest): Slice {
  const session = fullSession(outcome, include_hidden);
  const page = pageJson(JSON.stringify(withoutPaged(session)), after_seq);
  return {
    structured: { ...identityOf(outcome), detail: "full", session },
    text: [...(after_seq === 0 ? [summaryText(summariseSession(outcome), outcome)] : []), fullText(page)].join("\n"),
    rest: page.json,
  };
}

/** A stretch of a long JSON text. The stretches joined are the text. */
interface JsonPage {
  readonly json: string;
  /** Characters before it, and of the whole text. */
  readonly from: number;
  readonly total: number;
}

/** Bytes of a stretch. It leaves room for the summary before it. */
const PAGE_BYTES = RESULT_BYTES * 0.75;

/** Returns as much text from `from` on as a page holds, and at least one character unless the text has ended. */
function pageJson(text: string, from: number): JsonPage {
  let json = text.slice(from, from + PAGE_BYTES);
  while (Buffer.byteLength(json) > PAGE_BYTES)
    json = json.slice(0, Math.floor((json.length * PAGE_BYTES) / Buffer.byteLength(json)));
  // A surrogate pair stays whole.
  const isCut = from + json.length < text.length && /[\ud800-\udbff]$/.test(json);
  return { json: isCut ? json.slice(0, -1) : json, from, total: text.length };
}

/** Says what the page is, and how to get the next. */
function fullText({ json, from, total }: JsonPage): string {
  if (from >= total)
    return `Nothing is left: the session is ${total} characters of JSON; start again with after_seq 0.`;
  const end = from + json.length;
  const which = json.length === total ? "all of it" : `characters ${from + 1} to ${end} of ${total}`;
  const more = end < total ? `; more with after_seq ${end}` : "";
  return `Below, as JSON, ${which}${more}. Decisions and patches: detail "decisions" and "diff".`;
}
