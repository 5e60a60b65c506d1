import { type Static, Type } from "@sinclair/typebox";
import { firmnessText } from "../../../domain/firmness-text.ts";
import { memberName } from "../../../domain/member.ts";
import { nullable, oneOf, record } from "../../../domain/schema.ts";
import { SeriesListRequest } from "../../../domain/series-request.ts";
import { SessionListing, SessionListRequest } from "../../../domain/session-list.ts";
import { checkInput } from "../../operation/check-input.ts";
import type { Services } from "../../operation/operation.ts";
import { listSessions as operation } from "../../operation/reads.ts";
import { listSeries } from "../../operation/series.ts";
import { takeThatFits } from "../fit.ts";
import { type Answer, READS, tool } from "../tool.ts";
import { SeriesFields, seriesRowText } from "../view/series-view.ts";

/** Sessions of a page unless asked otherwise. */
const DEFAULT_LIMIT = 20;

/** Leaves room in a result for the text beside the data. */
const PAGE_BYTES = 16_000;

const KINDS = ["sessions", "series"] as const;

const { scenario, input, state, series_id, outcome, model, judge, text, conflict, limit } =
  SessionListRequest.properties;

const ListRequest = record("SessionListToolRequest", {
  ...{ scenario, input, state, series_id, outcome, model, judge, text, conflict, limit },
  before: Type.Optional(Type.String({ description: "Only those older than this one." })),
  kind: Type.Optional(oneOf(KINDS, { description: "sessions (default), or series: repeated runs." })),
});
type ListRequest = Static<typeof ListRequest>;

const SessionList = record("SessionList", {
  sessions: Type.Array(SessionListing),
  series: Type.Optional(Type.Array(SeriesFields)),
  next_before: nullable(Type.String(), { description: "Pass as before for the next page; null: no more." }),
});
type SessionList = Answer<typeof SessionList>;

export const listSessions = tool("listSessions", {
  description:
    "Stored sessions, newest first: id, scenario, state, arms and their models, who won; with kind series the stored series. Free and instant. " +
    `Finds a session again, or two of one scenario to compare. ${DEFAULT_LIMIT} a page by default. Next: get_session, or rejudge with arms of two sessions.`,
  input: ListRequest,
  output: SessionList,
  annotations: READS,
  live: true,
  async call(services, { kind = "sessions", ...query }, { signal }): Promise<SessionList> {
    return await (kind === "series" ? series(services, query, signal) : sessions(services, query, signal));
  },
});

type Query = Omit<ListRequest, "kind">;

async function sessions(services: Services, given: Query, signal: AbortSignal): Promise<SessionList> {
  const { limit = DEFAULT_LIMIT, ...query } = checkInput(SessionListRequest, given);
  const rows = await operation(services, { ...query, limit: limit + 1 }, signal);
  const page = pageOf(rows, limit, ({ session_id }) => session_id);
  const { shown, next_before } = page;
  return { structured: { sessions: shown, next_before }, text: pageText("sessions", page, rowText) };
}

async function series(services: Services, given: Query, signal: AbortSignal): Promise<SessionList> {
  const { limit = DEFAULT_LIMIT, ...query } = checkInput(SeriesListRequest, given);
  const rows = await listSeries(services, { ...query, limit: limit + 1 }, signal);
  const page = pageOf(rows, limit, ({ series_id }) => series_id);
  const { shown, next_before } = page;
  return {
    structured: { sessions: [], series: shown, next_before },
    text: pageText("series", page, seriesRowText),
  };
}

interface Page<Row> {
  readonly shown: Row[];
  readonly next_before: string | null;
}

/** `rows` holds one more than a page when there is a next one. */
function pageOf<Row>(rows: readonly Row[], limit: number, idOf: (row: Row) => string): Page<Row> {
  const shown = [...takeThatFits(rows.slice(0, limit), PAGE_BYTES)];
  const last = shown.at(-1);
  return { shown, next_before: shown.length < rows.length && last !== undefined ? idOf(last) : null };
}

function pageText<Row>(kind: string, { shown, next_before }: Page<Row>, textOf: (row: Row) => string): string {
  const more = next_before === null ? [] : [`More: before "${next_before}".`];
  return shown.length === 0 ? `No ${kind}.` : [...shown.map(textOf), ...more].join("\n");
}

function rowText({
  session_id,
  scenario,
  input,
  state,
  created_at,
  arms,
  judge_model,
  ...row
}: SessionListing): string {
  const named = row.winner === null ? row.outcome : `${row.winner} won`;
  const firm = row.confidence && firmnessText(row.confidence);
  const result = named === null ? state : [state, named, ...(firm ? [firm] : []), `judge ${judge_model}`].join(", ");
  const who = arms.map(({ arm_id, model, status }) => `${arm_id} (${model}) ${status}`).join(" vs ");
  return `- ${session_id}: ${memberName({ scenario, input })}, ${created_at}, ${result}; ${who}`;
}
