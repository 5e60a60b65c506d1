import {
  ErrorCode,
  type ListResourcesResult,
  type ReadResourceResult,
  type Resource,
} from "@modelcontextprotocol/sdk/types.js";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { ScenarioListing } from "../../domain/scenario.ts";
import type { SessionListing } from "../../domain/session-list.ts";
import { wholeJson } from "../../domain/whole-json.ts";
import type { Services } from "../operation/operation.ts";
import { getScenario, getSession, listScenarios, listSessions } from "../operation/reads.ts";
import { errorText, RESOURCE_NOT_FOUND, RequestError } from "./errors.ts";
import { fullSession } from "./view/full-session.ts";
import { viewScenario } from "./view/scenario-view.ts";

const MIME = "application/json";

/** Sessions of one page of the list. */
const PAGE = 50;

export const TEMPLATES = [
  {
    uriTemplate: "abeval://scenarios/{name}",
    name: "scenario",
    title: "Scenario",
    description: "Definition of a scenario, without hidden checks, reference fix and scripts.",
    mimeType: MIME,
  },
  {
    uriTemplate: "abeval://sessions/{session_id}",
    name: "session",
    title: "Session",
    description: "Everything stored of a session, without texts of changed files and hidden parts.",
    mimeType: MIME,
  },
];

/** Scenarios on the first page, then sessions, newest first; the cursor is the last session's id. */
export async function listResources(
  services: Services,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListResourcesResult> {
  const [scenarios, rows] = await told(services, async () => [
    cursor === undefined ? await listScenarios(services, {}, signal) : [],
    await sessionsAfter(services, cursor, signal),
  ]);
  const sessions = rows.slice(0, PAGE);
  const last = sessions.at(-1);
  return {
    resources: [
      ...scenarios.filter(({ error }) => error === null).map(scenarioResource),
      ...sessions.map(sessionResource),
    ],
    ...(last && rows.length > PAGE && { nextCursor: last.session_id }),
  };
}

async function sessionsAfter(services: Services, cursor: string | undefined, signal: AbortSignal) {
  const query = { limit: PAGE + 1, ...(cursor !== undefined && { before: cursor }) };
  try {
    return await listSessions(services, query, signal);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "unknown_session") throw error;
    throw new RequestError(ErrorCode.InvalidParams, "unknown cursor; start again without one");
  }
}

const scenarioResource = ({ name, title, description }: ScenarioListing): Resource => ({
  uri: `abeval://scenarios/${encodeURIComponent(name)}`,
  name,
  title,
  description,
  mimeType: MIME,
});

const sessionResource = ({ session_id, scenario, state, winner, created_at }: SessionListing): Resource => ({
  uri: `abeval://sessions/${encodeURIComponent(session_id)}`,
  name: session_id,
  title: `${scenario}: ${winner === null ? state : `${winner} won`}`,
  mimeType: MIME,
  annotations: { lastModified: created_at },
});

export async function readResource(services: Services, uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
  const value = await valueAt(services, uri, signal);
  return { contents: [{ uri, mimeType: MIME, text: wholeJson(value, 2) }] };
}

async function valueAt(services: Services, uri: string, signal: AbortSignal): Promise<unknown> {
  const { kind, id } = partsOf(uri);
  return await told(
    services,
    async () =>
      kind === "scenarios"
        ? viewScenario(await getScenario(services, { name: id }, signal), false)
        : fullSession(await getSession(services, { id }, signal), false),
    shownUri(uri),
  );
}

/** @throws RequestError in the place of what `work` throws; the SDK would hand on the message of any error as it is. */
async function told<T>(services: Services, work: () => Promise<T>, data?: object): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const missing = error instanceof Failure && MISSING.has(error.code);
    throw new RequestError(missing ? RESOURCE_NOT_FOUND : ErrorCode.InternalError, errorText(error, services), data);
  }
}

const MISSING: ReadonlySet<FailureCode> = new Set(["unknown_scenario", "unknown_session"]);

/** The shown part is longer than any valid address. */
const shownUri = (uri: string) => ({ uri: uri.slice(0, 300) });

/** @throws RequestError for an address that is not one of ours. */
function partsOf(uri: string): { readonly kind: string; readonly id: string } {
  const [, kind, id] = /^abeval:\/\/(scenarios|sessions)\/([^/?#]+)$/.exec(uri) ?? [];
  if (kind !== undefined && id !== undefined) {
    try {
      return { kind, id: decodeURIComponent(id) };
    } catch {
      // A lone percent sign: not an address of ours.
    }
  }
  const known = TEMPLATES.map(({ uriTemplate }) => uriTemplate).join(" or ");
  throw new RequestError(RESOURCE_NOT_FOUND, `there is no resource at this address; expected ${known}`, shownUri(uri));
}
