import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { factsOf } from "../../../comparison/judge/facts.ts";
import { contradict } from "../../../domain/contradict.ts";
import type { Series } from "../../../domain/series.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import { timeAxis } from "../../../domain/timeline.ts";
import type { ArmPointer } from "../../../domain/verdict.ts";
import { getSeries, getSession, RequestFailed } from "../api.ts";
import { AfterThePage, BothArmsChanges } from "../diff/both-arms-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { ChecksTable } from "../evidence/checks-table.tsx";
import { cited } from "../evidence/cited.ts";
import {
  type ArmPair,
  areChangesNews,
  isAnswerTheWork,
  pairKey,
  pointerTo,
  type ShownArm,
  shownArmOf,
} from "../evidence/shown-arm.ts";
import { countOf, duration, tokens, when, words } from "../format.ts";
import { stepFilter } from "../live/step-filter.ts";
import { TimeStrip } from "../live/strip.tsx";
import { Timeline } from "../live/timeline.tsx";
import { useLoaded } from "../loaded.ts";
import { ArmName, ModelName } from "../part/arm-name.tsx";
import { CaveatChips } from "../part/caveats.tsx";
import { lazy } from "../part/lazy.tsx";
import { Notice } from "../part/notice.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { toSeries, toSession } from "../routes.ts";
import { useMembers } from "../series/members.ts";
import { SeriesTrials } from "../series/series-trials.tsx";
import { verdictsOn } from "../verdict/comparison.ts";
import { FactsTable } from "../verdict/facts-table.tsx";
import { VerdictTable } from "../verdict/history.tsx";
import { isAwaited, Judging } from "./judging.tsx";

const BothChanges = lazy(async () => (await import("../diff/both-changes.tsx")).BothChanges, "the changes");

/** Pixels of a list of a few files. */
const CHANGES_HEIGHT = 300;

/** Two arms of any sessions: earlier verdicts on them, and a form for a new one. */
export function ComparePage({ a, b }: { a: ArmPointer; b: ArmPointer }) {
  const key = pairKey(a, b);
  const pair = useLoaded(key, (signal) => readPair(a, b, signal), { changes: isAwaited });
  return (
    <Page title="Compare two arms">
      <Show of={pair} what="the two arms">
        {([first, second]) => <Pair pair={[first, second]} />}
      </Show>
    </Page>
  );
}

async function readPair(a: ArmPointer, b: ArmPointer, signal: AbortSignal): Promise<ArmPair> {
  const [one, other] = await Promise.all([getSession(a.session_id, signal), getSession(b.session_id, signal)]);
  return [armOf(shownArmOf(one, a.arm_id, "a"), a), armOf(shownArmOf(other, b.arm_id, "b"), b)];
}

function armOf(found: ShownArm | undefined, { session_id, arm_id }: ArmPointer): ShownArm {
  if (found) return found;
  throw new RequestFailed("unknown_arm", `${session_id} has no arm "${arm_id}"`);
}

function Pair({ pair: [a, b] }: { pair: ArmPair }) {
  const verdicts = verdictsOn(a.session, pointerTo(a), pointerTo(b));
  const ofOneTask = a.session.scenario === b.session.scenario;
  return (
    <>
      <div class="columns">
        {[a, b].map((shown) => (
          <ArmCard key={shown.side} shown={shown} />
        ))}
      </div>
      {!ofOneTask && (
        <Notice tone="warn" title="These arms did different tasks">
          <p>
            {a.session.scenario} and {b.session.scenario}: read them side by side; no judge compares them.
          </p>
        </Notice>
      )}
      {ofOneTask && a.session.scenario_digest !== b.session.scenario_digest && (
        <Notice tone="warn" title="The scenario file changed between these sessions">
          <p>If task, fixture, checks, rubric or policies differ, the verdict will say so.</p>
        </Notice>
      )}
      <PagePart title="Verdicts on this pair">
        {verdicts.length === 0 && ofOneTask && (
          <p>Nobody has judged these two against each other. What is known without a judge stands below.</p>
        )}
        {verdicts.length > 0 && blind.value && <p class="empty">Hidden in blind mode; open one to vote.</p>}
        {verdicts.length > 0 && !blind.value && (
          <>
            <CaveatChips flags={[]} conflict={contradict(verdicts)} />
            <VerdictTable verdicts={verdicts} session_id={a.session.session_id} />
          </>
        )}
        {ofOneTask && <Judging pair={[a, b]} known={verdicts.length} />}
      </PagePart>
      {!blind.value && <Standings sessions={[...new Set([a.session, b.session])]} />}
      <WithoutJudge pair={[a, b]} />
    </>
  );
}

/** What a reader can see for free, before a judge is paid. In blind mode without names. */
function WithoutJudge({ pair }: { pair: ArmPair }) {
  const [a, b] = blind.value ? hidden(pair) : pair;
  const facts = { a: factsOf(a.arm, a.session.definition.policies), b: factsOf(b.arm, b.session.definition.policies) };
  const answerFirst = isAnswerTheWork([a, b]);
  const answers = (
    <PagePart title="What the arms say">
      <Answers arms={[a, b]} />
    </PagePart>
  );
  return (
    <>
      {answerFirst && answers}
      <PagePart title="Both arms in numbers">
        <FactsTable a={a} b={b} facts={facts} />
      </PagePart>
      <PagePart title="Hidden checks">
        <ChecksTable arms={[a, b]} />
      </PagePart>
      {!answerFirst && answers}
      {areChangesNews([a, b]) && (
        <PagePart title="What they changed">
          <AfterThePage height={CHANGES_HEIGHT}>
            {() => <BothChanges a={a} b={b} comparison={pairKey(pointerTo(a), pointerTo(b))} />}
          </AfterThePage>
          <EachChange arms={[a, b]} />
        </PagePart>
      )}
      <PagePart title="What they did">
        <BothTimelines a={a} b={b} />
      </PagePart>
    </>
  );
}

/** What each arm did to the files that it began with, for who wants to see it by itself. */
function EachChange({ arms }: { arms: ArmPair }) {
  const open = useSignal(false);
  return (
    <details class="fold" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>Each change by itself, against the fixture</summary>
      {open.value && <BothArmsChanges arms={arms} />}
    </details>
  );
}

/** Names, titles and models tell who an arm is. */
const hidden = ([a, b]: ArmPair): ArmPair => [
  { ...a, name: "arm a", arm: anonymous(a.arm) },
  { ...b, name: "arm b", arm: anonymous(b.arm) },
];

const anonymous = ({ agent: _, imported: _imported, ...arm }: ArmSummary): ArmSummary => ({
  ...arm,
  ...{ title: "hidden", model: "hidden", model_served: null },
});

function ArmCard({ shown: { side, name, arm, session } }: { shown: ShownArm }) {
  return (
    <div class={`corner side-${side}`}>
      <h2>
        <ArmName side={side} name={blind.value ? `arm ${side}` : name} />
      </h2>
      {!blind.value && (
        <p>
          {arm.title} · <ModelName arm={arm} />
        </p>
      )}
      <p class="aside">
        {words(arm.status)}, {duration(arm.working_ms)}, {tokens(arm.tokens_in)} in
        {arm.probe && `, ${arm.probe.passed} of ${arm.probe.total} hidden checks`}
      </p>
      <p>
        <a href={toSession(session.session_id)}>Session of {when(session.created_at)}</a>
      </p>
    </div>
  );
}

/** What both arms did on one scale of time; arms of two sessions each from their own start. */
function BothTimelines({ a, b }: { a: ShownArm; b: ShownArm }) {
  const together = a.session.session_id === b.session.session_id;
  const logs = useMemo(() => ({ a: a.decisions, b: b.decisions }), [a.decisions, b.decisions]);
  const axis = useMemo(() => timeAxis(logs, together), [logs, together]);
  const filter = useMemo(stepFilter, [logs]);
  const opened = useSignal(false);
  const open = opened.value || cited.value?.kind === "decision";
  if (axis.steps.length === 0) return <p class="empty">Neither has a decision.</p>;
  return (
    <>
      {!together && <p class="small-print">They ran at different times; each begins at its own start.</p>}
      <TimeStrip axis={axis} whole_ms={axis.span_ms} filter={filter} />
      <details class="fold" open={open} onToggle={({ currentTarget }) => (opened.value = currentTarget.open)}>
        <summary>{countOf(axis.steps.length, "decision")} in all</summary>
        {open && (
          <Timeline steps={axis.steps} names={{ a: a.name, b: b.name }} running={false} folded {...{ logs, filter }} />
        )}
      </details>
    </>
  );
}

/** The series that these sessions are trials of, each once, to be opened: how the scenario of a trial stands among all. */
function Standings({ sessions }: { sessions: readonly SessionOutcome[] }) {
  const trials = Map.groupBy(sessions, ({ trial }) => trial?.series_id);
  return [...trials].map(([series_id, own]) =>
    series_id === undefined ? null : (
      <Standing key={series_id} series_id={series_id} current={own.map(({ session_id }) => session_id)} />
    ),
  );
}

function Standing({ series_id, current }: { series_id: string; current: readonly string[] }) {
  const open = useSignal(false);
  const series = useLoaded(open.value ? `series ${series_id}` : null, (signal) => getSeries(series_id, signal));
  return (
    <details class="fold" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>{countOf(new Set(current).size, "trial")} of a series: how all its trials went</summary>
      {open.value && (
        <Show of={series} what={`series ${series_id}`}>
          {(value) => <Trials series={value} current={current} />}
        </Show>
      )}
      <p>
        <a href={toSeries(series_id)}>What {series_id} shows</a>
      </p>
    </details>
  );
}

function Trials({ series, current }: { series: Series; current: readonly string[] }) {
  return <SeriesTrials {...{ series, current }} members={useMembers(series)} />;
}
