import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Not every browser tells when it is idle. */
const whenIdle = globalThis.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 50));
const stopWaiting = globalThis.cancelIdleCallback ?? clearTimeout;

/** Whether the browser had nothing else to do since this was first drawn. */
export function useIdle(): boolean {
  const idle = useSignal(false);
  useEffect(() => {
    const waiting = whenIdle(() => {
      idle.value = true;
    });
    return () => stopWaiting(waiting);
  }, [idle]);
  return idle.value;
}
