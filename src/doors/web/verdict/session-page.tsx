import { useEffect } from "preact/hooks";
import type { SessionOutcome, SessionState } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { setupFailureOf } from "../../../domain/setup-failure.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { getSession, sessionPicture, sessionReport } from "../api.ts";
import { BothArmsChanges } from "../diff/both-arms-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { areChangesNews, isAnswerTheWork, isJudgeable, pointerTo, shownArmsOf } from "../evidence/shown-arm.ts";
import { when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { lazy } from "../part/lazy.tsx";
import { Notice } from "../part/notice.tsx";
import { Origin } from "../part/origin.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind, voteOn } from "../preferences.ts";
import { navigate, toCompare, toLive, toRunAgain, toScenario } from "../routes.ts";
import { MORE_OF_SESSION, ShareWays } from "../share/share.tsx";
import { chosenVerdict, comparisonOf } from "./comparison.ts";
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

const TITLES: Partial<Record<SessionState, string>> = {
  failed: "This run failed",
  cancelled: "This run was stopped",
  interrupted: "This run was interrupted",
};

/** Lines at the end of an output that are shown at once. */
const LAST_LINES = 8;

/** The reason, and below it the end of what a command printed; the rest opens. */
function WhatFailed({ message }: { message: string }) {
  const { why, printed } = setupFailureOf(message);
  const last = printed.slice(-LAST_LINES);
  return (
    <>
      <p class="arm-text">{why}</p>
      {last.length > 0 && <pre class="wrapped printed">{last.join("\n")}</pre>}
      {printed.length > last.length && (
        <details class="fold">
          <summary>All {printed.length} lines that it printed</summary>
          <pre class="wrapped printed">{printed.join("\n")}</pre>
        </details>
      )}
    </>
  );
}

/** A session that ended without a verdict: why, and what its arms left. */
function Ended({ session }: { session: SessionOutcome }) {
  const { failure, state, definition, created_at, session_id } = session;
  const [a, b] = shownArmsOf(session);
  const judgeable = isJudgeable(a) && isJudgeable(b);
  const title = TITLES[state] ?? "This run has no verdict";
  const answerFirst = isAnswerTheWork([a, b]);
  const answers = judgeable && (
    <PagePart title="What the arms say">
      <Answers arms={[a, b]} />
    </PagePart>
  );
  return (
    <Page
      title={title}
      short={`${title}: ${session.scenario}`}
      above={
        <p class="overline">
          <a href={toScenario(session.scenario)}>{definition.title}</a> · {when(created_at)}
          <Origin session={session} />
          <span class="session-id"> {session_id}</span>
        </p>
      }
    >
      {failure && (
        <Notice tone={failure.class === "user" ? "warn" : "danger"} title={`Stopped while ${words(failure.stage)}`}>
          <WhatFailed message={failure.message} />
          <p>
            <code>{failure.code}</code>
            {failure.retryable && ": the same run may succeed when it is started again."}
          </p>
        </Notice>
      )}
      {!failure && state === "interrupted" && (
        <Notice tone="warn" title="The server stopped while it ran">
          <p>What the arms had done by then is below.</p>
        </Notice>
      )}
      <nav class="actions" aria-label="What to do next">
        <a class="button" href={toRunAgain(session)}>
          Run again
        </a>
        {judgeable && (
          <a class="button" href={toCompare(pointerTo(a), pointerTo(b))}>
            Judge these results
          </a>
        )}
        <a href={toLive(session_id, true)}>Timeline</a>
        <ShareWays report={sessionReport(session_id)} card={sessionPicture(session_id)} more={MORE_OF_SESSION} />
      </nav>
      {answerFirst && answers}
      <PagePart title="What they did">
        <DecisionLogs arms={[a, b]} />
      </PagePart>
      {judgeable && areChangesNews([a, b]) && (
        <PagePart title="What they changed">
          <BothArmsChanges arms={[a, b]} />
        </PagePart>
      )}
      {!answerFirst && answers}
    </Page>
  );
}
