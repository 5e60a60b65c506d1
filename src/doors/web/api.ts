import type { DoctorReport } from "../../domain/doctor-report.ts";
import type { ErrorBody } from "../../domain/error-body.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { Health } from "../../domain/health.ts";
import type { JudgeProfiles } from "../../domain/judge-profile.ts";
import type { Provider } from "../../domain/provider.ts";
import type { RunRequest, RunStarted, VerdictRequest } from "../../domain/request.ts";
import type { Scenario, ScenarioListing } from "../../domain/scenario.ts";
import type {
  SelfTest,
  SelfTestListing,
  SelfTestListRequest,
  SelfTestRequest,
  SelfTestStarted,
} from "../../domain/self-test.ts";
import type { Series, SeriesMembers } from "../../domain/series.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SeriesListRequest, SeriesRequest, SeriesStarted } from "../../domain/series-request.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../../domain/session-list.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Vote, VoteRequest } from "../../domain/vote.ts";
import { lostConnection } from "./connection.ts";

/** A request that gave no value. `unreachable`: nothing answered. `unreadable`: the answer is not the API's. */
export class RequestFailed extends Error {
  override readonly name = "RequestFailed";
  readonly code: FailureCode | "unreachable" | "unreadable";
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: RequestFailed["code"], message: string, details: RequestFailed["details"] = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export const getHealth = (signal?: AbortSignal) => get<Health>("/api/health", signal);
export const listScenarios = (signal?: AbortSignal) => get<ScenarioListing[]>("/api/scenarios", signal);
export const getScenario = (name: string, signal?: AbortSignal) =>
  get<Scenario>(`/api/scenarios/${encodeURIComponent(name)}`, signal);
export const getSession = (id: string, signal?: AbortSignal) =>
  get<SessionOutcome>(`/api/sessions/${encodeURIComponent(id)}`, signal);

/** The checks of the machine answer at once. A scenario's commands run, which takes seconds. */
export const runDoctor = (scenario: string | null, signal?: AbortSignal, trials?: number) =>
  get<DoctorReport>(`/api/doctor${query({ scenario, trials })}`, signal);

/** Fields without a value are not sent. */
type Asked<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export const listSessions = (page: Asked<SessionListRequest>, signal?: AbortSignal) =>
  get<SessionListing[]>(`/api/sessions${query(page)}`, signal);

export const summarizeSessions = (filter: Asked<SessionSummaryRequest>, signal?: AbortSignal) =>
  get<SessionSummary>(`/api/session-summary${query(filter)}`, signal);

export const listSeries = (page: SeriesListRequest, signal?: AbortSignal) =>
  get<SeriesListing[]>(`/api/series${query(page)}`, signal);
/** The browser sends the last answer's tag along, so that nothing is sent again while nothing has changed. */
export const getSeries = (id: string, signal?: AbortSignal, by: string | null = null) =>
  get<Series>(`/api/series/${encodeURIComponent(id)}${query({ by })}`, signal);
/** A page of its rows. */
export const getMembers = (id: string, after: number, signal?: AbortSignal) =>
  get<SeriesMembers>(`/api/series/${encodeURIComponent(id)}/members${query({ after })}`, signal);

/** Address of a report in a format. */
export type ReportAddress = (format: string) => string;

/** The report of the session's own verdict, or of another verdict in it. */
export const sessionReport =
  (id: string, verdict_id: string | null = null): ReportAddress =>
  (format) =>
    `/api/sessions/${encodeURIComponent(id)}/report${query({ format, verdict_id })}`;
export const seriesReport =
  (id: string): ReportAddress =>
  (format) =>
    `/api/series/${encodeURIComponent(id)}/report${query({ format })}`;
/** The address of a picture of the verdict, or of the series. */
export const sessionPicture =
  (id: string, verdict_id: string | null = null): ReportAddress =>
  (format) =>
    `/api/sessions/${encodeURIComponent(id)}/card.${format}${query({ verdict_id })}`;
export const seriesPicture =
  (id: string): ReportAddress =>
  (format) =>
    `/api/series/${encodeURIComponent(id)}/card.${format}`;
/** A report as text. */
export async function readReport(path: string): Promise<string> {
  const response = await reach(path, {});
  if (!response.ok) throw new RequestFailed("unreadable", `the server answered ${response.status}`);
  return await response.text();
}

export const startRun = (request: RunRequest) => send<RunStarted>("POST", "/api/runs/async", request);
export const cancelRun = (id: string) => send<RunStarted>("DELETE", `/api/runs/${encodeURIComponent(id)}`);
export const startSeries = (request: SeriesRequest) => send<SeriesStarted>("POST", "/api/series", request);
/** What a table of results shows; the server keeps nothing of it. */
export const sendResults = (table: File, asked: { arms: string | null; tie_margin: number }) =>
  request<Series>(`/api/series/results${query(asked)}`, {
    method: "POST",
    headers: { "content-type": table.name.endsWith(".csv") ? "text/csv" : "application/x-ndjson" },
    body: table,
  });
export const cancelSeries = (id: string) => send<SeriesStarted>("DELETE", `/api/series/${encodeURIComponent(id)}`);
export const requestVerdict = (request: VerdictRequest) => send<Verdict>("POST", "/api/verdicts", request);

export const sendVote = (session_id: string, request: VoteRequest) =>
  send<Vote>("POST", `/api/sessions/${encodeURIComponent(session_id)}/votes`, request);

export const listProviders = (signal?: AbortSignal) => get<Provider[]>("/api/providers", signal);
export const listJudges = (signal?: AbortSignal) => get<JudgeProfiles>("/api/judges", signal);
export const listSelfTests = (page: SelfTestListRequest, signal?: AbortSignal) =>
  get<SelfTestListing[]>(`/api/self-tests${query(page)}`, signal);
export const startSelfTest = (request: SelfTestRequest) => send<SelfTestStarted>("POST", "/api/self-tests", request);
export const getSelfTest = (id: string, signal?: AbortSignal) =>
  get<SelfTest>(`/api/self-tests/${encodeURIComponent(id)}`, signal);

export const streamPath = (id: string) => `/api/runs/${encodeURIComponent(id)}/stream`;

function query(parameters: Readonly<Record<string, string | number | null | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
}

const get = <T>(path: string, signal?: AbortSignal) => request<T>(path, signal ? { signal } : {});

function send<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T> {
  if (body === undefined) return request<T>(path, { method });
  return request<T>(path, { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await reach(path, init);
  const body = await readJson(response);
  if (response.ok) return body as T; // the server checks what it sends against the same schemas
  const { error } = body as Partial<ErrorBody>; // or, from a proxy, anything
  const message = error?.message ?? `the server answered ${response.status}`;
  throw new RequestFailed(error?.code ?? "unreadable", message, error?.details);
}

async function reach(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    lostConnection();
    throw new RequestFailed("unreachable", "The server does not answer.");
  }
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return (await response.json()) ?? {};
  } catch {
    throw new RequestFailed("unreadable", `${response.status} ${response.statusText}: the answer is not JSON.`);
  }
}
