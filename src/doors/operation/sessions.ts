import { Type } from "@sinclair/typebox";
import { Failure } from "../../domain/failure.ts";
import { record } from "../../domain/schema.ts";
import { SessionOutcome } from "../../domain/session.ts";
import {
  SessionListing,
  SessionListRequest,
  SessionSummary,
  SessionSummaryRequest,
} from "../../domain/session-list.ts";
import { summarize } from "../../store/page-sessions.ts";
import { readSession } from "../../store/read-session.ts";
import { operation } from "./operation.ts";

export const listSessions = operation({
  name: "list_sessions",
  title: "List sessions",
  summary: "Persisted sessions, newest first; none when the server runs without a state directory.",
  input: SessionListRequest,
  output: Type.Array(SessionListing),
  async run({ store }, query, signal) {
    return store.persistent ? [...(await store.list(query, signal))] : [];
  },
});

export const summarizeSessions = operation({
  name: "summarize_sessions",
  title: "Summarize sessions",
  summary: "How many persisted sessions match, how they ended, what they cost.",
  input: SessionSummaryRequest,
  output: SessionSummary,
  async run({ store }, filter, signal) {
    return await (store.persistent ? store : NOTHING).summarize(filter, signal);
  },
});

/** Sessions that only memory holds are listed nowhere. */
const NOTHING = { summarize: async (filter: SessionSummaryRequest) => summarize([], filter) };

export const getSession = operation({
  name: "get_session",
  title: "Get a session",
  summary: "Everything known of a session: arm summaries, decisions, verdicts. Also while it runs.",
  input: record("GetSessionRequest", { session_id: Type.String() }),
  output: SessionOutcome,
  async run({ store }, { session_id }) {
    const outcome = await readSession(store, session_id);
    if (outcome) return outcome;
    throw new Failure("unknown_session", `there is no session "${session_id.slice(0, 100)}"`);
  },
});
