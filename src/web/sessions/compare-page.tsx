import { type Signal, useSignal } from "@preact/signals";
import type { ArmSummary } from "../../domain/session.ts";
import type { ArmPointer } from "../../domain/verdict.ts";
import { factsOf } from "../../judge/facts.ts";
import { getSession, RequestFailed, requestVerdict } from "../api.ts";
import { ArmChanges } from "../diff/arm-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { ChecksTable } from "../evidence/checks-table.tsx";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { isJudgeable, pointerTo, type ShownArm, shownArmOf } from "../evidence/shown-arm.ts";
import { duration, tokens, when, words } from "../format.ts";
import { asFailed, useLoaded, useSubmission } from "../loaded.ts";
import { ArmName, ModelName } from "../part/arm-name.tsx";
import { JudgeField } from "../part/fields.tsx";
import { Notice } from "../part/notice.tsx";
import { Page, Part } from "../part/page.tsx";
import { Refused, Show } from "../part/show.tsx";
import { awaited, blind } from "../preferences.ts";
import { navigate, toSession } from "../routes.ts";
import { Standings } from "../series/standing.tsx";
import { verdictsOn } from "../verdict/comparison.ts";
import { FactsTable } from "../verdict/facts-table.tsx";
import { VerdictTable } from "../verdict/history.tsx";

/** Two arms of one scenario: earlier verdicts on them, and a form for a new one. */
export function ComparePage({ a, b }: { a: ArmPointer; b: ArmPointer }) {
  const key = keyOf(a, b);
  const pair = useLoaded(key, (signal) => readPair(a, b, signal), { changes: isAwaited });
  return (
    <Page title="Compare two arms">
      <Show of={pair} what="the two arms">
        {([first, second]) => <Pair pair={[first, second]} />}
      </Show>
    </Page>
  );
}

const keyOf = (...pair: readonly ArmPointer[]) =>
  pair.map(({ session_id, arm_id }) => `${session_id}/${arm_id}`).join(" ");

/** A judging of the pair was asked for, perhaps before the page was loaded again, and gave no verdict yet. */
const isAwaited = ([a, b]: Two) =>
  awaited.value[keyOf(pointerTo(a), pointerTo(b))] === verdictsOn(a.session, pointerTo(a), pointerTo(b)).length;

function setAwaited(key: string, verdicts: number | null): void {
  const { [key]: _, ...others } = awaited.value;
  awaited.value = verdicts === null ? others : { ...others, [key]: verdicts };
}

type Two = readonly [ShownArm, ShownArm];

async function readPair(a: ArmPointer, b: ArmPointer, signal: AbortSignal): Promise<Two> {
  const [one, other] = await Promise.all([getSession(a.session_id, signal), getSession(b.session_id, signal)]);
  return [armOf(shownArmOf(one, a.arm_id, "a"), a), armOf(shownArmOf(other, b.arm_id, "b"), b)];
}

function armOf(found: ShownArm | undefined, { session_id, arm_id }: ArmPointer): ShownArm {
  if (found) return found;
  throw new RequestFailed("unknown_arm", `${session_id} has no arm "${arm_id}"`);
}

function Pair({ pair: [a, b] }: { pair: Two }) {
  const verdicts = verdictsOn(a.session, pointerTo(a), pointerTo(b));
  if (a.session.scenario !== b.session.scenario)
    return (
      <Notice tone="warn" title="These arms did different tasks">
        <p>
          {a.session.scenario} and {b.session.scenario}: only arms of one scenario can be compared.
        </p>
      </Notice>
    );
  return (
    <>
      <div class="columns">
        {[a, b].map((shown) => (
          <ArmCard key={shown.side} shown={shown} />
        ))}
      </div>
      {a.session.scenario_digest !== b.session.scenario_digest && (
        <Notice tone="warn" title="The scenario file changed between these sessions">
          <p>If task, fixture, checks, rubric or policies differ, the verdict will say so.</p>
        </Notice>
      )}
      {!blind.value && <Standings sessions={[...new Set([a.session, b.session])]} />}
      <BeforeJudging pair={[a, b]} />
      <section>
        <h2>Judge them</h2>
        <Judging pair={[a, b]} known={verdicts.length} />
      </section>
      <section>
        <h2>Verdicts on this pair</h2>
        {verdicts.length === 0 && <p class="empty">These two have not been judged against each other.</p>}
        {verdicts.length > 0 && blind.value && <p class="empty">Hidden in blind mode; open one to vote.</p>}
        {verdicts.length > 0 && !blind.value && <VerdictTable verdicts={verdicts} session_id={a.session.session_id} />}
      </section>
    </>
  );
}

/** What a reader can see for free, before a judge is paid. In blind mode without names. */
function BeforeJudging({ pair }: { pair: Two }) {
  const [a, b] = blind.value ? hidden(pair) : pair;
  const facts = { a: factsOf(a.arm, a.session.definition.policies), b: factsOf(b.arm, b.session.definition.policies) };
  return (
    <>
      <Part title="Both arms in numbers">
        <FactsTable a={a} b={b} facts={facts} />
      </Part>
      <Part title="Hidden checks">
        <ChecksTable arms={[a, b]} />
      </Part>
      <Part title="What the arms say">
        <Answers arms={[a, b]} />
      </Part>
      <Part title="What they changed">
        <ArmChanges shown={a} open_lines={OPEN_LINES} />
        <ArmChanges shown={b} open_lines={OPEN_LINES} />
      </Part>
      <Part title="What they did">
        <DecisionLogs arms={[a, b]} />
      </Part>
    </>
  );
}

/** Lines of a changed file above which it stays closed. */
const OPEN_LINES = 40;

/** Names, titles and models tell who an arm is. */
const hidden = ([a, b]: Two): Two => [
  { ...a, name: "arm a", arm: anonymous(a.arm) },
  { ...b, name: "arm b", arm: anonymous(b.arm) },
];

const anonymous = ({ agent: _, ...arm }: ArmSummary): ArmSummary => ({
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

interface JudgingProps {
  readonly pair: Two;
  /** Verdicts on the pair. */
  readonly known: number;
}

/** The form for a new verdict, unless the pair cannot be judged or is being judged. */
function Judging({ pair, known }: JudgingProps) {
  const busy = useSignal(false);
  const lost = pair.find((shown) => !isJudgeable(shown));
  if (lost)
    return (
      <Notice tone="warn" title={`${lost.name} cannot be judged`}>
        <p>Its run ended before what it left was looked at.</p>
      </Notice>
    );
  if (!isAwaited(pair) || busy.value) return <RejudgeForm pair={pair} known={known} busy={busy} />;
  const [a, b] = pair;
  return (
    <div role="status">
      <Notice tone="note" title="A judging of these two was asked for">
        <p>Its verdict opens below when it is there. Asking once more is paid once more.</p>
        <button type="button" class="quiet" onClick={() => setAwaited(keyOf(pointerTo(a), pointerTo(b)), null)}>
          Ask once more
        </button>
      </Notice>
    </div>
  );
}

/** Judges two stored arms again and goes to the new verdict. */
function RejudgeForm({ pair: [a, b], known, busy }: JudgingProps & { busy: Signal<boolean> }) {
  const judge = useSignal("");
  const key = keyOf(pointerTo(a), pointerTo(b));
  const { failure, onSubmit } = useSubmission(async () => {
    const judge_model = judge.value.trim();
    busy.value = true;
    setAwaited(key, known);
    try {
      const pointers = { arm_a: pointerTo(a), arm_b: pointerTo(b) };
      const verdict = await requestVerdict({ ...pointers, ...(judge_model && { judge_model }) });
      setAwaited(key, null);
      navigate(toSession(verdict.arm_a.session_id, verdict.verdict_id));
    } catch (error) {
      // Without an answer nobody knows whether it is judged.
      if (asFailed(error).code !== "unreachable") setAwaited(key, null);
      throw error;
    } finally {
      busy.value = false;
    }
  });
  return (
    <form onSubmit={onSubmit}>
      <div class="fields">
        <JudgeField model={judge} scenario={a.session.definition} />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? "Judging …" : "Judge"}
        </button>
      </div>
      <p class="small-print" role="status">
        {busy.value
          ? "Both orders are being judged; this takes as long as the judge does."
          : "Spends the judge's tokens only; the arms do not run again."}
      </p>
      {failure.value && <Refused error={failure.value} />}
    </form>
  );
}
