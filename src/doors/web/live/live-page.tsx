import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { SessionOutcome } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { type TimeAxis, timeAxis } from "../../../domain/timeline.ts";
import { call, connected } from "../api.ts";
import { duration, when, words } from "../format.ts";
import { Notice } from "../part/notice.tsx";
import { Origin } from "../part/origin.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { StopButton } from "../part/stop-button.tsx";
import { blind } from "../preferences.ts";
import { navigate, toScenario, toSession } from "../routes.ts";
import { FollowedRun } from "./followed-run.ts";
import { LaneHead } from "./lane-head.tsx";
import type { Logs } from "./spend.ts";
import { SpendChart } from "./spend-chart.tsx";
import { type StepFilter, stepFilter } from "./step-filter.ts";
import { TimeStrip } from "./strip.tsx";
import { useTicks } from "./ticks.ts";
import { Timeline } from "./timeline.tsx";

/** Both arms at work. A run that has ended leads to its verdict, unless `stay` asks for the timeline. */
export function LivePage({ id, stay }: { id: string; stay: boolean }) {
  const run = useMemo(() => new FollowedRun(id), [id]);
  useEffect(() => {
    void run.start();
    return () => run.stop();
  }, [run]);
  const leave = run.endedBefore.value && !stay;
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

interface RunProps {
  readonly run: FollowedRun;
  readonly session: SessionOutcome;
  readonly stay: boolean;
}

function Run({ run, session, stay }: RunProps) {
  const running = !run.ended.value;
  const [first, second] = session.arms;
  const logs = { a: run.decisions.value[first.arm_id] ?? [], b: run.decisions.value[second.arm_id] ?? [] };
  const names = blind.value ? { a: "arm a", b: "arm b" } : { a: first.arm_id, b: second.arm_id };
  const filter = useMemo(stepFilter, [run]);
  const axis = useMemo(() => timeAxis(logs), [logs.a, logs.b]);
  return (
    <Page
      title={session.definition.title}
      short={`${running ? "Running" : "Timeline"}: ${session.scenario}`}
      above={
        <p class="overline">
          <a href={toScenario(session.scenario)}>{session.scenario}</a> · {running ? "running now" : "timeline"} ·{" "}
          {when(session.created_at)}
          <Origin session={session} />
          <span class="session-id"> {session.session_id}</span>
          {!running && stay && (
            <>
              {" "}
              · <a href={toSession(session.session_id)}>Back to the session</a>
            </>
          )}
        </p>
      }
    >
      <div role="status" class="ended">
        {!running && !stay && <EndedNotice session={session} />}
      </div>
      <Clock run={run} session={session} {...{ logs, axis, filter, running }} />
      <SpendChart session={session} logs={logs} names={names} />
      <Timeline steps={axis.steps} folded={run.endedBefore.value} {...{ logs, names, filter, running }} />
    </Page>
  );
}

interface ClockProps extends Pick<RunProps, "run" | "session"> {
  readonly logs: Logs;
  readonly axis: TimeAxis;
  readonly filter: Signal<StepFilter>;
  readonly running: boolean;
}

/** All that changes with the time alone, apart from the thousands of steps that do not. */
function Clock({ run, session, logs, axis, filter, running }: ClockProps) {
  const now = useTicks(running && connected.value);
  const silence = running && axis.steps.length > 0 && run.lastEvent.value > 0 ? now.value - run.lastEvent.value : 0;
  const elapsed = axis.steps.length > 0 ? axis.span_ms + Math.max(0, silence) : 0;
  return (
    <>
      <div class="live-bar">
        <Stages session={session} />
        <span class="elapsed">{duration(elapsed)}</span>
        {running && (
          <StopButton
            what="the run"
            question="Stop both arms?"
            stop={() => call("DELETE /api/runs/:id", { id: session.session_id })}
          />
        )}
      </div>
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
      {axis.steps.length > 0 && <TimeStrip axis={axis} whole_ms={Math.max(elapsed, 1)} filter={filter} />}
    </>
  );
}

/** The states of a run that ends with a verdict, in order. */
const STAGES: readonly string[] = ["queued", "preparing", "running", "probing", "judging", "completed"];

/** How far the run has come; of one that ended otherwise, the stage in which it did. */
function Stages({ session: { state, failure } }: { session: SessionOutcome }) {
  const unplanned = isFinal(state) && state !== "completed";
  const last = STAGES.indexOf(failure?.stage ?? "");
  const stages = unplanned ? [...STAGES.slice(0, last + 1), state] : STAGES;
  const now = stages.indexOf(state);
  return (
    <ol class="stages" aria-label="Stages">
      {stages.map((stage, index) => (
        <li key={stage} class={index < now ? "stage-done" : ""} aria-current={index === now ? "step" : undefined}>
          {words(stage)}
        </li>
      ))}
    </ol>
  );
}

/** Seconds before the verdict opens: enough to see the last checks. */
const STAY_S = 3;

/** Whether a reader has opened a step or scrolled: the page then stays where it is. */
const isReading = () => scrollY > 0 || document.querySelector("details.decision[open]") !== null;

/** Says that the run has ended and opens its verdict, unless the reader wants to stay. */
function EndedNotice({ session }: { session: SessionOutcome }) {
  const left = useSignal<number | null>(isReading() ? null : STAY_S);
  useEffect(() => {
    const timer = setInterval(() => {
      if (isReading()) left.value = null;
      if (left.peek() === null) return;
      left.value = (left.peek() ?? 0) - 1;
      if (left.peek() === 0) navigate(toSession(session.session_id), { replace: true });
    }, 1_000);
    return () => clearInterval(timer);
  }, [session.session_id, left]);
  const good = session.verdict !== null;
  return (
    <Notice tone={good ? "good" : "warn"} title={good ? "The verdict is ready" : "The run ended without a verdict"}>
      <p>
        <a class="button" href={toSession(session.session_id)}>
          {good ? "Read the verdict" : "See why"}
        </a>{" "}
        {left.value !== null && (
          <>
            Opening in {left.value} s.{" "}
            <button type="button" class="quiet" onClick={() => (left.value = null)}>
              Stay here
            </button>
          </>
        )}
      </p>
    </Notice>
  );
}
