import type { SessionOutcome, SessionState } from "../../../domain/session.ts";
import { setupFailureOf } from "../../../domain/setup-failure.ts";
import { sessionPicture, sessionReport } from "../api.ts";
import { BothArmsChanges } from "../diff/both-arms-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { areChangesNews, isAnswerTheWork, isJudgeable, pointerTo, shownArmsOf } from "../evidence/shown-arm.ts";
import { when, words } from "../format.ts";
import { Notice } from "../part/notice.tsx";
import { Origin } from "../part/origin.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { toCompare, toLive, toRunAgain, toScenario } from "../routes.ts";
import { MORE_OF_SESSION, ShareWays } from "../share/share.tsx";

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
export function Ended({ session }: { session: SessionOutcome }) {
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
