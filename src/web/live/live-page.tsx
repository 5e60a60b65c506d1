import { useEffect, useMemo } from "preact/hooks";
import type { SessionOutcome } from "../../domain/session.ts";
import { duration, when } from "../format.ts";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { navigate, toScenario, toSession } from "../routes.ts";
import { EndedNotice } from "./ended-notice.tsx";
import { FollowedRun } from "./followed-run.ts";
import { LaneHead } from "./lane-head.tsx";
import { Overview } from "./overview.tsx";
import { Stages } from "./stages.tsx";
import { StopButton } from "./stop-button.tsx";
import { useTicks } from "./ticks.ts";
import { timeAxis } from "./time-axis.ts";
import { Timeline } from "./timeline.tsx";

/** Both arms at work. A run that had ended before goes to its verdict, unless the reader asked for the timeline. */
export function LivePage({ id, stay }: { id: string; stay: boolean }) {
  const run = useMemo(() => new FollowedRun(id), [id]);
  useEffect(() => {
    void run.start();
    return () => run.stop();
  }, [run]);
  const leave = run.over.value && !stay;
  useEffect(() => {
    if (leave) navigate(toSession(id), { replace: true });
  }, [leave, id]);
  const loaded = run.session.value;
  if (loaded.state !== "ready" || leave)
    return (
      <Page title="Run" short={id}>
        <Show of={run.session} what={`run ${id}`}>
          {() => null}
        </Show>
      </Page>
    );
  return <Run run={run} session={loaded.value} stay={stay} />;
}

function Run({ run, session, stay }: { run: FollowedRun; session: SessionOutcome; stay: boolean }) {
  const running = !run.ended.value;
  const now = useTicks(running);
  const [first, second] = session.arms;
  const logs = { a: run.decisions.value[first.arm_id] ?? [], b: run.decisions.value[second.arm_id] ?? [] };
  const axis = useMemo(() => timeAxis(logs), [logs.a, logs.b]);
  const silence = running && axis.steps.length > 0 && run.heard.value > 0 ? now.value - run.heard.value : 0;
  const elapsed = axis.steps.length > 0 ? axis.span_ms + Math.max(0, silence) : 0;
  return (
    <Page
      title={session.definition.title}
      short={`${running ? "Running" : "Timeline"}: ${session.scenario}`}
      above={
        <p class="overline">
          <a href={toScenario(session.scenario)}>{session.scenario}</a> · {running ? "running now" : "timeline"} ·{" "}
          {when(session.created_at)}
          <span class="session-id"> {session.session_id}</span>
        </p>
      }
    >
      <div class="live-bar">
        <Stages state={session.state} />
        <span class="elapsed">{duration(elapsed)}</span>
        {running && <StopButton id={session.session_id} />}
      </div>
      <div role="status">{!running && !stay && <EndedNotice session={session} />}</div>
      {!running && stay && (
        <p>
          <a href={toSession(session.session_id)}>Back to the session</a>
        </p>
      )}
      <div class="lane-heads">
        {([0, 1] as const).map((index) => (
          <LaneHead
            key={index}
            session={session}
            index={index}
            log={index === 0 ? logs.a : logs.b}
            elapsed_ms={elapsed}
            finished={run.finished.value.has(session.arms[index].arm_id)}
          />
        ))}
      </div>
      {axis.steps.length > 0 && <Overview axis={axis} span_ms={Math.max(elapsed, 1)} />}
      <Timeline steps={axis.steps} running={running} />
    </Page>
  );
}
