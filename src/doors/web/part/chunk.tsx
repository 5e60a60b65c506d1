import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface ChunkProps {
  /** Pixels that it takes, more or less, until it is drawn. */
  readonly height: number;
  /** Draw it at once: it is in sight, or holds what the address names. */
  readonly eager: boolean;
  /** It keeps nothing that a reader did, so it goes when it is far away: a list may be longer than what a browser holds. */
  readonly passing?: boolean;
  readonly children: () => ComponentChildren;
}

/** How far out of sight it is drawn. */
const AHEAD = "1500px";

/** How far out of sight it goes. As near as it may be for what is drawn, as far as it can be for the browser's search. */
const AWAY = "20000px";

const waiting: (() => boolean)[] = [];

/** One piece a frame: several together would keep a reader waiting. @param draw false: the reader has gone past it */
function inTurn(draw: () => boolean): void {
  if (waiting.push(draw) === 1) requestAnimationFrame(drawNext);
}

function drawNext(): void {
  let drew = false;
  while (!drew && waiting.length > 0) drew = waiting.shift()?.() === true;
  if (waiting.length > 0) requestAnimationFrame(drawNext);
}

/** A piece of a long list, drawn when it comes near. It then stays, unless it is a passing one. */
export function Chunk({ height, eager, passing = false, children }: ChunkProps) {
  const drawn = useSignal(eager);
  const left = useSignal(height);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (eager || !place.current) return;
    let near = false;
    const come = (entries: readonly IntersectionObserverEntry[]) => {
      near = entries.at(-1)?.isIntersecting === true;
      if (near) inTurn(() => (drawn.value ||= near));
    };
    const go = (entries: readonly IntersectionObserverEntry[]) => {
      const last = entries.at(-1);
      if (!drawn.peek() || !last || last.isIntersecting || last.target.contains(document.activeElement)) return;
      left.value = last.boundingClientRect.height;
      drawn.value = false;
    };
    const observers = [
      new IntersectionObserver(come, { rootMargin: AHEAD }),
      ...(passing ? [new IntersectionObserver(go, { rootMargin: AWAY })] : []),
    ];
    for (const observer of observers) observer.observe(place.current);
    return () => {
      for (const observer of observers) observer.disconnect();
    };
  }, [eager, passing, drawn, left]);
  const shown = drawn.value || eager;
  if (!shown) return <div ref={place} class="chunk-ahead" style={{ height: `${left.value}px` }} />;
  return passing ? <div ref={place}>{children()}</div> : children();
}

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
