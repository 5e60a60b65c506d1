import type { ComponentChildren } from "preact";

/** Something wider than the page may be; it scrolls by itself, by mouse and by keyboard. */
export function Scroller({ label, kind, children }: { label: string; kind: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a focus no key could scroll it
    <section class={kind} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
