import { Failure } from "../../domain/failure.ts";
import type { SessionSummaryRequest } from "../../domain/session-list.ts";
import { summarize } from "../../store/page-sessions.ts";
import { readSession } from "../../store/read-session.ts";
import type { Operation } from "./operation.ts";

export const listSessions: Operation<"listSessions"> = async ({ store }, query, signal) =>
  store.persistent ? [...(await store.list(query, signal))] : [];

export const summarizeSessions: Operation<"summarizeSessions"> = async ({ store }, filter, signal) =>
  await (store.persistent ? store : NOTHING).summarize(filter, signal);

/** Sessions that only memory holds are listed nowhere. */
const NOTHING = { summarize: async (filter: SessionSummaryRequest) => summarize([], filter) };

export const getSession: Operation<"getSession"> = async ({ store }, { id }) => {
  const outcome = await readSession(store, id);
  if (outcome) return outcome;
  throw new Failure("unknown_session", `there is no session "${id.slice(0, 100)}"`);
};
