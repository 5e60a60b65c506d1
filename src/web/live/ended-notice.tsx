import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SessionOutcome } from "../../domain/session.ts";
import { Notice } from "../part/notice.tsx";
import { navigate, toSession } from "../routes.ts";

/** Seconds that the finished timeline stays, so that the last lights are seen. */
const STAY_S = 3;

/** The run is over: on to its verdict, unless the reader wants to stay. */
export function EndedNotice({ session }: { session: SessionOutcome }) {
  const left = useSignal<number | null>(STAY_S);
  useEffect(() => {
    const timer = setInterval(() => {
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
