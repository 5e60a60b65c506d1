import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ColourAnswer, ColourJob } from "../colour-worker.ts";
import { type Coloured, languageOf } from "./coloured-lines.ts";
import type { ChangedText } from "./file-change.ts";

/** The whole texts of a file with their colours; null where they are not known, or not coloured yet. */
export interface Colours {
  readonly before: Coloured | null;
  readonly after: Coloured | null;
}

const NONE: Colours = { before: null, after: null };

/** How far out of sight a text is coloured. */
const AHEAD = "300px";

interface Place {
  readonly colours: Colours;
  /** Where the text stands. */
  readonly place: RefObject<HTMLDivElement | null>;
}

/**
 * Colours come after the text, when it is near, from a thread of their own. The code that knows the languages is read then, too:
 * most visits end before.
 */
export function useColours(path: string, { before, after }: ChangedText): Place {
  const colours = useSignal(NONE);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    colours.value = NONE;
    const language = languageOf(path);
    if (language === undefined) return;
    let gone = false;
    const stopLooking = onceNear(place.current, async () => {
      const answer = await inTurn({ language, before, after }, () => gone);
      if (answer && !gone)
        colours.value = { before: joined(before, answer.before), after: joined(after, answer.after) };
    });
    return () => {
      gone = true;
      stopLooking();
    };
  }, [path, before, after, colours]);
  return { colours: colours.value, place };
}

const joined = (text: string | null, colouring: ColourAnswer["before"]): Coloured | null =>
  text !== null && colouring ? { text, colouring } : null;

/** Milliseconds after which a file stays plain: its texts may be made to hold up whoever colours them. */
const PATIENCE_MS = 10_000;

let worker: Worker | undefined;
let turn: Promise<unknown> = Promise.resolve();

/** One file after the other. Null where nobody waits for it any more, or it cannot be coloured. */
function inTurn(job: ColourJob, isGone: () => boolean): Promise<ColourAnswer | null> {
  const answer = turn.then(() => (isGone() ? null : answered(job))).catch(() => null);
  turn = answer;
  return answer;
}

async function answered(job: ColourJob): Promise<ColourAnswer | null> {
  worker ??= new Worker("/colour-worker.js", { type: "module" });
  const { promise, resolve } = Promise.withResolvers<ColourAnswer | null>();
  const giveUp = () => {
    worker?.terminate();
    worker = undefined;
    resolve(null);
  };
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = giveUp;
  const timer = setTimeout(giveUp, PATIENCE_MS);
  worker.postMessage(job);
  return await promise.finally(() => clearTimeout(timer));
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
