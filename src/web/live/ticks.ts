import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Milliseconds since the page began, from the clock that its animations go by. */
export const ticks = (): number => Number(document.timeline.currentTime ?? 0);

/** How often moving figures move, milliseconds. */
const STEP_MS = 250;

/** The time of the page, moving while something runs. */
export function useTicks(running: boolean): ReadonlySignal<number> {
  const now = useSignal(ticks());
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => {
      now.value = ticks();
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [running, now]);
  return now;
}
