import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { stopWaiting, whenIdle } from "../part/when-idle.ts";
import type { ChangedText } from "./file-change.ts";
import type { ColouredText, highlightLines } from "./highlight.ts";

/** The whole texts of a file, coloured line by line; null where they are not known, or not coloured yet. */
export interface Colours {
  readonly before: readonly (readonly ColouredText[])[] | null;
  readonly after: readonly (readonly ColouredText[])[] | null;
}

const NONE: Colours = { before: null, after: null };

/** How far out of sight a text is coloured. */
const AHEAD = "300px";

interface Coloured {
  readonly colours: Colours;
  /** Where the text stands. */
  readonly place: RefObject<HTMLDivElement | null>;
}

/**
 * Colours come after the text, when it is near, one version at a time, when the browser has nothing else to do. The code that
 * knows the languages is read then, too: most visits end before.
 */
export function useColours(path: string, { before, after }: ChangedText): Coloured {
  const colours = useSignal(NONE);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    colours.value = NONE;
    let gone = false;
    let waiting: number | undefined;
    const colour = (highlight: typeof highlightLines, ...sides: readonly (keyof Colours)[]) => {
      const [side, ...others] = sides;
      if (side === undefined || gone) return;
      waiting = whenIdle(() => {
        colours.value = { ...colours.peek(), [side]: highlight(path, { before, after }[side]) };
        colour(highlight, ...others);
      });
    };
    const stopLooking = onceNear(place.current, async () => {
      // Where the server is away the text stays plain.
      const code = await import("./highlight.ts").catch(() => null);
      if (code) colour(code.highlightLines, "after", "before");
    });
    return () => {
      gone = true;
      stopLooking();
      if (waiting !== undefined) stopWaiting(waiting);
    };
  }, [path, before, after, colours]);
  return { colours: colours.value, place };
}

function onceNear(place: Element | null, act: () => Promise<void>): () => void {
  if (place === null) return () => {};
  const look = (entries: readonly IntersectionObserverEntry[]) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    void act();
  };
  const observer = new IntersectionObserver(look, { rootMargin: AHEAD });
  observer.observe(place);
  return () => observer.disconnect();
}
