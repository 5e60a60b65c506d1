import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ChangedText } from "./file-change.ts";
import { highlightLines, type Token } from "./highlight.ts";

/** The whole texts of a file, coloured line by line; null where they are not known, or not coloured yet. */
export interface Colours {
  readonly before: readonly (readonly Token[])[] | null;
  readonly after: readonly (readonly Token[])[] | null;
}

const NONE: Colours = { before: null, after: null };

/** Colours come after the text, one version at a time, when the browser has nothing else to do. */
export function useColours(path: string, { before, after }: ChangedText): Colours {
  const colours = useSignal(NONE);
  useEffect(() => {
    colours.value = NONE;
    let waiting: number | undefined;
    const colour = (...sides: readonly (keyof Colours)[]) => {
      const [side, ...others] = sides;
      if (side === undefined) return;
      waiting = whenIdle(() => {
        colours.value = { ...colours.peek(), [side]: highlightLines(path, { before, after }[side]) };
        colour(...others);
      });
    };
    colour("after", "before");
    return () => waiting !== undefined && stopWaiting(waiting);
  }, [path, before, after, colours]);
  return colours.value;
}

/** Not every browser tells when it is idle. */
const whenIdle = globalThis.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 50));
const stopWaiting = globalThis.cancelIdleCallback ?? clearTimeout;
