import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Whether something is open: as the page says at first and whenever it says otherwise, and in between as the reader wants it. */
export function useOpened(said: boolean): Signal<boolean> {
  const opened = useSignal(said);
  const before = useRef(said);
  useLayoutEffect(() => {
    // Only a change: a reader may open what has just been drawn before an effect runs.
    if (before.current !== said) opened.value = said;
    before.current = said;
  }, [said, opened]);
  return opened;
}
