import { type ReadonlySignal, signal } from "@preact/signals";

/** Whether the window is narrower than a width of CSS, now and whenever it changes. */
export function narrowerThan(width: string): ReadonlySignal<boolean> {
  const window = globalThis.matchMedia?.(`(max-width: ${width})`);
  const below = signal(window?.matches ?? false);
  window?.addEventListener("change", ({ matches }) => {
    below.value = matches;
  });
  return below;
}
