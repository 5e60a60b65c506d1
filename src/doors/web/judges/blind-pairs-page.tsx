import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { getSession, listSessions } from "../api.ts";
import { count, countOf } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { hasSeen, voteOn } from "../preferences.ts";
import { toJudges } from "../routes.ts";
import { Ballot } from "../verdict/ballot.tsx";
import { chosenVerdict, comparisonOf } from "../verdict/comparison.ts";

/** Sessions that are looked through, the newest. */
const LOOKED_THROUGH = 200;

/** Pairs of arms one after the other, each without names and verdict, for as many votes as a reader has time for. */
export function BlindPairsPage() {
  const rows = useLoaded("blind pairs", (signal) =>
    listSessions({ state: "completed", limit: LOOKED_THROUGH }, signal),
  );
  return (
    <Show of={rows} what="the pairs">
      {(listed) => <Pairs ids={listed.filter(({ outcome }) => outcome !== null).map(({ session_id }) => session_id)} />}
    </Show>
  );
}

function Pairs({ ids }: { ids: readonly string[] }) {
  // A session that ends meanwhile moves no pair.
  const queue = useRef(ids);
  const at = useSignal(0);
  const voted = useSignal(0);
  const id = queue.current[at.value];
  const next = (isVoted: boolean) => {
    at.value += 1;
    if (isVoted) voted.value += 1;
  };
  if (id === undefined)
    return (
      <Page title="No pair is left">
        <p>
          {voted.value > 0 && `You voted on ${countOf(voted.value, "pair")}. `}
          You have voted on every pair here whose verdict this browser has not shown you. Run more{" "}
          <a href="/scenarios">scenarios</a>, or see <a href={toJudges()}>how the judges agree with people</a>.
        </p>
      </Page>
    );
  return (
    <>
      <p class="blind-progress aside" role="status">
        {countOf(voted.value, "vote")} so far, at most {count(queue.current.length - at.value)} pairs left.{" "}
        <button type="button" class="quiet" onClick={() => next(false)}>
          Skip this pair
        </button>
      </p>
      <Pair key={id} id={id} next={next} />
    </>
  );
}

/** One pair. A reader who has seen its verdict or voted on it goes on to the next. */
function Pair({ id, next }: { id: string; next: (isVoted: boolean) => void }) {
  const pair = useLoaded(`blind pair ${id}`, async (signal) => {
    const session = await getSession(id, signal);
    const verdict = chosenVerdict(session, null);
    return verdict && (await comparisonOf(session, verdict, signal));
  });
  const loaded = pair.value;
  const isShown = useRef(false);
  const verdict_id = loaded.state === "ready" ? loaded.value?.verdict.verdict_id : undefined;
  const isOver = loaded.state === "ready" && (!verdict_id || voteOn(verdict_id) !== null || hasSeen(verdict_id));
  useEffect(() => {
    if (isOver) next(isShown.current);
    else if (verdict_id !== undefined) isShown.current = true;
  }, [isOver, verdict_id]);
  return (
    <Show of={pair} what="the next pair">
      {(comparison) => (comparison && !isOver ? <Ballot comparison={comparison} session_id={id} /> : null)}
    </Show>
  );
}
