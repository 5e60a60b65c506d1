import { signal } from "@preact/signals";
import type { ErrorBody } from "../../domain/error-body.ts";
import type { FailureCode } from "../../domain/failure.ts";
import type { Scenario } from "../../domain/scenario.ts";
import type { Series } from "../../domain/series.ts";
import type { AnswerOf, EndpointAt, EndpointRoute, RequestOf } from "../endpoint/endpoints.ts";

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

/** Fields without a value are not sent. */
type Wanted<T> = { readonly [Name in keyof T]: T[Name] | (undefined extends T[Name] ? null | undefined : never) };

/** Asks an endpoint of the table. */
export function call<Route extends EndpointRoute>(
  route: Route,
  asked: Wanted<RequestOf<EndpointAt<Route>>>,
  signal?: AbortSignal,
): Promise<AnswerOf<EndpointAt<Route>>> {
  const [method = "", path = ""] = route.split(" ");
  const left: Record<string, unknown> = { ...asked };
  const place = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(left[name]);
    delete left[name];
    return encodeURIComponent(value);
  });
  if (method === "POST") return request(place, { ...jsonBody(left), ...(signal && { signal }) });
  return request(`${place}${query(left)}`, { method, ...(signal && { signal }) });
}

const jsonBody = (body: object) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

export const listScenarios = (signal?: AbortSignal) => call("GET /api/scenarios", {}, signal);
export const getScenario = (name: string, signal?: AbortSignal) =>
  call("GET /api/scenarios/:name", { name }, signal) as Promise<Scenario>; // its schema cannot say that there are two arms
export const getSession = (id: string, signal?: AbortSignal) => call("GET /api/sessions/:id", { id }, signal);

/** The checks of the machine answer at once. A scenario's commands run, which takes seconds. */
export const runDoctor = (scenario: string | null, signal?: AbortSignal, trials?: number) =>
  call("GET /api/doctor", { scenario, trials }, signal);

export const listSessions = (page: Wanted<RequestOf<"listSessions">>, signal?: AbortSignal) =>
  call("GET /api/sessions", page, signal);
export const summarizeSessions = (filter: Wanted<RequestOf<"summarizeSessions">>, signal?: AbortSignal) =>
  call("GET /api/session-summary", filter, signal);
export const listSeries = (page: RequestOf<"listSeries">, signal?: AbortSignal) =>
  call("GET /api/series", page, signal);
/** The browser sends the last answer's tag along, so that nothing is sent again while nothing has changed. */
export const getSeriesOrContest = (id: string, signal?: AbortSignal, by: string | null = null) =>
  call("GET /api/series/:id", { id, by }, signal);

/** @throws RequestFailed for a contest, which says nothing of two arms */
export async function getSeries(id: string, signal?: AbortSignal): Promise<Series> {
  const report = await getSeriesOrContest(id, signal);
  if (report.kind !== "contest") return report;
  throw new RequestFailed("unreadable", "More than two arms.");
}

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

/** What a table of results shows. */
export const sendResults = (table: File, asked: { arms: string | null; tie_margin: number }) =>
  request<Series>(`/api/series/results${query(asked)}`, {
    method: "POST",
    headers: { "content-type": table.name.endsWith(".csv") ? "text/csv" : "application/x-ndjson" },
    body: table,
  });

export const streamPath = (id: string) => `/api/runs/${encodeURIComponent(id)}/stream`;

function query(parameters: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text === "" ? "" : `?${text}`;
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

/** Whether the server answered the last request. */
export const connected = signal(true);

/** Rises each time the server is back. What a page shows is then read again. */
export const revision = signal(0);

/** Milliseconds between two tries: prompt for a reader, and no load for a server that restarts. */
const RETRY_MS = 1_000;

/** Asks the server every second until it answers. */
export function lostConnection(): void {
  if (!connected.peek()) return;
  connected.value = false;
  setTimeout(tryAgain, RETRY_MS);
}

async function tryAgain(): Promise<void> {
  try {
    const response = await fetch("/api/health");
    if (!response.ok) throw new Error(`status ${response.status}`);
    connected.value = true;
    revision.value += 1;
  } catch {
    setTimeout(tryAgain, RETRY_MS);
  }
}
