import { useEffect } from "preact/hooks";
import type { SessionOutcome } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { getSession } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { lazy } from "../part/lazy.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind, voteOn } from "../preferences.ts";
import { navigate, toLive } from "../routes.ts";
import { chosenVerdict, comparisonOf } from "./comparison.ts";
import { Ended } from "./ended.tsx";
import { Report } from "./report.tsx";

const Ballot = lazy(async () => (await import("./ballot.tsx")).Ballot, "the two arms");

/** The page of a session: its verdict, or why it has none. A run that has not ended leads to its live page. */
export function SessionPage({ id, verdict_id }: { id: string; verdict_id: string | null }) {
  const session = useLoaded(`session ${id} ${verdict_id}`, (signal) => getSession(id, signal));
  const loaded = session.value;
  const running = loaded.state === "ready" && !isFinal(loaded.value.state);
  useEffect(() => {
    if (running) navigate(toLive(id), { replace: true });
  }, [running, id]);
  if (loaded.state !== "ready")
    return (
      <Page title="Session" short={id}>
        <Show of={session} what={`session ${id}`}>
          {() => null}
        </Show>
      </Page>
    );
  const verdict = chosenVerdict(loaded.value, verdict_id);
  if (verdict) return <VerdictPage session={loaded.value} verdict={verdict} />;
  return verdict_id === null ? <Ended session={loaded.value} /> : <NoSuchVerdict id={id} />;
}

function NoSuchVerdict({ id }: { id: string }) {
  return (
    <Page title="There is no such verdict">
      <p>
        The <a href={`/sessions/${id}`}>session</a> exists, but it holds no verdict of that name.
      </p>
    </Page>
  );
}

function VerdictPage({ session, verdict }: { session: SessionOutcome; verdict: Verdict }) {
  const comparison = useLoaded(verdict.verdict_id, (signal) => comparisonOf(session, verdict, signal));
  const loaded = comparison.value;
  if (loaded.state !== "ready" || !loaded.value)
    return (
      <Page title="Verdict">
        <Show of={comparison} what="the arms of this verdict">
          {() => <p class="empty">An arm of this verdict is no longer there.</p>}
        </Show>
      </Page>
    );
  const hidden = blind.value && voteOn(verdict.verdict_id) === null;
  const { session_id, votes = [] } = session;
  return hidden ? (
    <Ballot comparison={loaded.value} session_id={session_id} />
  ) : (
    <Report comparison={loaded.value} session_id={session_id} votes={votes} />
  );
}
