import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface ChunkProps {
  /** Pixels that it takes, more or less, until it is drawn. */
  readonly height: number;
  /** Draw it at once: it is in sight, or holds what the address names. */
  readonly eager: boolean;
  readonly children: () => ComponentChildren;
}

/** How far out of sight it is drawn. */
const AHEAD = "1200px";

/** A piece of a long list, drawn when it comes near. It then stays, so that the browser's search finds it. */
export function Chunk({ height, eager, children }: ChunkProps) {
  const drawn = useSignal(eager);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (drawn.peek() || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) drawn.value = true;
      },
      { rootMargin: AHEAD },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [drawn]);
  if (!drawn.value && !eager) return <div ref={place} class="chunk-ahead" style={{ height: `${height}px` }} />;
  return <>{children()}</>;
}
