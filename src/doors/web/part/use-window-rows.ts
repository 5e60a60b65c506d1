import { type ReadonlySignal, signal } from "@preact/signals";
import {
  observeWindowOffset,
  observeWindowRect,
  type VirtualItem,
  Virtualizer,
  windowScroll,
} from "@tanstack/virtual-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useReducer, useState } from "preact/hooks";

interface WindowRows {
  readonly count: number;
  /** Pixels of every row. */
  readonly height: number;
  /** Holds the rows. */
  readonly list: RefObject<HTMLElement | null>;
}

/** Rows drawn beyond the screen, so that keys and fast scrolling find some. */
const OVERSCAN = 8;

/** The rows of a long list that are in sight while the window scrolls; each says where it begins, in pixels from the list's top. */
export function useWindowRows({ count, height, list }: WindowRows): readonly VirtualItem[] {
  const [, draw] = useReducer((drawn: number) => drawn + 1, 0);
  const [rows] = useState(
    () => new Virtualizer<Window, HTMLElement>(optionsOf({ count, height, list }, () => draw(null))),
  );
  rows.setOptions(optionsOf({ count, height, list }, () => draw(null)));
  useLayoutEffect(() => rows._didMount(), []);
  useLayoutEffect(() => rows._willUpdate());
  useLayoutEffect(() => rows.measure(), [height]);
  return rows.getVirtualItems();
}

const optionsOf = ({ count, height, list }: WindowRows, onChange: () => void) => ({
  count,
  overscan: OVERSCAN,
  estimateSize: () => height,
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
  initialOffset: () => scrollY,
  initialRect: { width: innerWidth, height: innerHeight },
  scrollMargin: list.current ? list.current.getBoundingClientRect().top + scrollY : 0,
  onChange,
});

/** Whether the window is narrower than a width of CSS, now and whenever it changes. */
export function narrowerThan(width: string): ReadonlySignal<boolean> {
  const window = globalThis.matchMedia?.(`(max-width: ${width})`);
  const below = signal(window?.matches ?? false);
  window?.addEventListener("change", ({ matches }) => {
    below.value = matches;
  });
  return below;
}
