import type { ArmPointer, Verdict } from "../../domain/verdict.ts";
import { getSession, RequestFailed } from "../api.ts";
import { type Contestant, contestantOf, samePointer } from "../evidence/contestant.ts";
import { duration, tokens, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { ModelName } from "../part/model-name.tsx";
import { Notice } from "../part/notice.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { toSession } from "../routes.ts";
import { verdictsOf } from "../verdict/comparison.ts";
import { VerdictTable } from "../verdict/history.tsx";
import { RejudgeForm } from "./rejudge-form.tsx";

/** Any two arms of one scenario: what was said of them, and a new verdict by a judge of the reader's choice. */
export function ComparePage({ a, b }: { a: ArmPointer; b: ArmPointer }) {
  const key = [a, b].map(({ session_id, arm_id }) => `${session_id}/${arm_id}`).join(" ");
  const pair = useLoaded(key, (signal) => readPair(a, b, signal));
  return (
    <Page title="Compare two arms">
      <Show of={pair} what="the two arms">
        {([first, second]) => <Pair pair={[first, second]} />}
      </Show>
    </Page>
  );
}

type Two = readonly [Contestant, Contestant];

async function readPair(a: ArmPointer, b: ArmPointer, signal: AbortSignal): Promise<Two> {
  const [one, other] = await Promise.all([getSession(a.session_id, signal), getSession(b.session_id, signal)]);
  return [armOf(contestantOf(one, a.arm_id, "a"), a), armOf(contestantOf(other, b.arm_id, "b"), b)];
}

function armOf(found: Contestant | undefined, { session_id, arm_id }: ArmPointer): Contestant {
  if (found) return found;
  throw new RequestFailed("unknown_arm", `${session_id} has no arm "${arm_id}"`);
}

function Pair({ pair: [a, b] }: { pair: Two }) {
  const verdicts = pairVerdicts(a, b);
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
        {[a, b].map((contestant) => (
          <Corner key={contestant.side} contestant={contestant} />
        ))}
      </div>
      {a.session.scenario_digest !== b.session.scenario_digest && (
        <Notice tone="warn" title="The scenario file changed between these sessions">
          <p>If task, fixture, checks, rubric or policies differ, the verdict will say so.</p>
        </Notice>
      )}
      <section>
        <h2>Judge them</h2>
        <RejudgeForm a={a} b={b} />
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

function Corner({ contestant: { side, name, arm, session } }: { contestant: Contestant }) {
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

/** Every verdict on the two, whichever was arm a, oldest first. */
function pairVerdicts(a: Contestant, b: Contestant): Verdict[] {
  const pointers = [a, b].map(({ session, arm }) => ({ session_id: session.session_id, arm_id: arm.arm_id }));
  return verdictsOf(a.session).filter(({ arm_a, arm_b }) =>
    pointers.every((pointer) => samePointer(pointer, arm_a) || samePointer(pointer, arm_b)),
  );
}
