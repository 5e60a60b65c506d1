import type { SessionOutcome, SessionState } from "../../domain/session.ts";
import { ArmChanges } from "../diff/arm-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { contestantsOf, pointerTo } from "../evidence/contestant.ts";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { when, words } from "../format.ts";
import { Notice } from "../part/notice.tsx";
import { Page } from "../part/page.tsx";
import { toCompare, toLive, toScenario } from "../routes.ts";

const TITLES: Partial<Record<SessionState, string>> = {
  failed: "This run failed",
  cancelled: "This run was stopped",
  interrupted: "This run was interrupted",
};

/** A session that came to an end without a verdict: why, and what is left of it. */
export function Ended({ session }: { session: SessionOutcome }) {
  const { failure, state, definition, created_at, session_id } = session;
  const [a, b] = contestantsOf(session);
  const judgeable = a.arm.changes !== null && b.arm.changes !== null;
  const title = TITLES[state] ?? "This run has no verdict";
  return (
    <Page
      title={title}
      short={`${title}: ${session.scenario}`}
      above={
        <p class="overline">
          <a href={toScenario(session.scenario)}>{definition.title}</a> · {when(created_at)}
          <span class="session-id"> {session_id}</span>
        </p>
      }
    >
      {failure && (
        <Notice tone={failure.class === "user" ? "warn" : "danger"} title={`Stopped while ${words(failure.stage)}`}>
          <p class="arm-text">
            {failure.message} <code>{failure.code}</code>
          </p>
          {failure.retryable && <p>The same run may well succeed when it is started again.</p>}
        </Notice>
      )}
      {!failure && state === "interrupted" && (
        <Notice tone="warn" title="The server stopped while it ran">
          <p>What the arms had done by then is below.</p>
        </Notice>
      )}
      <nav class="actions" aria-label="What to do next">
        <a class="button" href={toScenario(session.scenario)}>
          Run again
        </a>
        {judgeable && (
          <a class="button" href={toCompare(pointerTo(a), pointerTo(b))}>
            Judge what they left
          </a>
        )}
        <a href={toLive(session_id, true)}>Timeline</a>
      </nav>
      <section>
        <h2>What they did</h2>
        <DecisionLogs contestants={[a, b]} />
      </section>
      {judgeable && (
        <section>
          <h2>What they changed</h2>
          <ArmChanges contestant={a} />
          <ArmChanges contestant={b} />
        </section>
      )}
      {judgeable && (
        <section>
          <h2>What the arms say</h2>
          <Answers contestants={[a, b]} />
        </section>
      )}
    </Page>
  );
}
