import { Type } from "@sinclair/typebox";
import { SessionListRequest } from "../../domain/request.ts";
import { nullable, record } from "../../domain/schema.ts";
import { SessionListing } from "../../domain/session.ts";
import { listSessions as operation } from "../../operation/sessions.ts";
import { takeThatFits } from "../fit.ts";
import { READS, tool } from "../tool.ts";

/** Sessions of a page unless asked otherwise. */
const DEFAULT_LIMIT = 20;

/** Leaves room in a result for the text beside the data. */
const PAGE_BYTES = 16_000;

const SessionList = record("SessionList", {
  sessions: Type.Array(SessionListing),
  next_before: nullable(Type.String(), { description: "Pass as before for the next page; null: no more." }),
});

export const listSessions = tool({
  name: operation.name,
  title: operation.title,
  description:
    "Stored sessions, newest first: id, scenario, state, arms and their models, who won. Free and instant. " +
    `Use it to find a session again, or two of one scenario to compare. ${DEFAULT_LIMIT} a page by default. Next: get_session, or rejudge with arms of two sessions.`,
  input: SessionListRequest,
  output: SessionList,
  annotations: READS,
  live: true,
  async call(services, { limit = DEFAULT_LIMIT, ...query }, { signal }) {
    const rows = await operation.run(services, { ...query, limit: limit + 1 }, signal);
    const sessions = [...takeThatFits(rows.slice(0, limit), PAGE_BYTES)];
    const next_before = sessions.length < rows.length ? (sessions.at(-1)?.session_id ?? null) : null;
    const more = next_before === null ? [] : [`More: before "${next_before}".`];
    return {
      structured: { sessions, next_before },
      text: sessions.length === 0 ? "No sessions." : [...sessions.map(rowText), ...more].join("\n"),
    };
  },
});

function rowText({ session_id, scenario, state, created_at, arms, judge_model, ...row }: SessionListing): string {
  const named = row.winner === null ? row.outcome : `${row.winner} won`;
  const result = named === null ? state : `${state}, ${named}, confidence ${row.confidence}, judge ${judge_model}`;
  const who = arms.map(({ arm_id, model, status }) => `${arm_id} (${model}) ${status}`).join(" vs ");
  return `- ${session_id}: ${scenario}, ${created_at}, ${result}; ${who}`;
}
