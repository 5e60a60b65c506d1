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
  const skipped = useSignal(0);
  const id = queue.current[at.value];
  const next = (isVoted: boolean) => {
    at.value += 1;
    if (isVoted) voted.value += 1;
  };
  const skip = () => {
    skipped.value += 1;
    next(false);
  };
  if (queue.current.length === 0) return <NoPairs />;
  if (id === undefined)
    return (
      <Page title="No pair is left">
        <p>{doneText(queue.current.length, voted.value, skipped.value)}</p>
        <p>
          Run more <a href="/scenarios">scenarios</a>, or see <a href={toJudges()}>how the judges agree with people</a>.
        </p>
      </Page>
    );
  return (
    <>
      <p class="blind-progress aside" role="status">
        {countOf(voted.value, "vote")} so far, at most {count(queue.current.length - at.value)} pairs left.{" "}
        <button type="button" class="quiet" onClick={skip}>
          Skip this pair
        </button>
      </p>
      <Pair key={id} id={id} next={next} />
    </>
  );
}

/** Before the first vote of a new server there is nothing that anybody could have voted on. */
const NoPairs = () => (
  <Page title="There is no pair to vote on yet">
    <p>
      A pair is what two arms left in one finished run. You see both without names and without the verdict, and say with
      one key which is better. Your votes then tell how often each <a href={toJudges()}>judge</a> agrees with people.
    </p>
    <p>
      Run a <a href="/scenarios">scenario</a>: its result comes here. A run whose verdict you have opened does not.
    </p>
  </Page>
);

/** What became of the pairs: only what this reader did is said of them. */
function doneText(all: number, voted: number, skipped: number): string {
  const rest = all - voted - skipped;
  return [
    `You voted on ${countOf(voted, "pair")}${skipped > 0 ? ` and skipped ${count(skipped)}` : ""}.`,
    ...(rest > 0
      ? [
          `${countOf(rest, "other")} ${rest === 1 ? "was" : "were"} left out: you have voted on it before, this browser has shown you its verdict, or it has no arms to show.`,
        ]
      : []),
    ...(all === LOOKED_THROUGH ? [`Only the newest ${count(LOOKED_THROUGH)} runs were looked through.`] : []),
  ].join(" ");
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
