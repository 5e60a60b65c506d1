import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Milliseconds since the page began. */
export const ticks = (): number => Number(document.timeline.currentTime ?? 0);

/** Milliseconds since 1970 by this browser's clock; they go on when the page is loaded again. */
export const moment = (): number => performance.timeOrigin + ticks();

/** Milliseconds between two updates of the figures that count up. */
const STEP_MS = 250;

/** The time in `ticks`, updated while `running`. */
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
