import type { ComponentChildren } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { Neutral } from "./arm-name.tsx";

interface PageProps {
  readonly title: string;
  /** The window's title, when the heading is too long for it. */
  readonly short?: string;
  /** The title with marks and colours. */
  readonly heading?: ComponentChildren;
  readonly above?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Page({ title, short = title, heading = title, above, children }: PageProps) {
  useEffect(() => {
    document.title = `${short} · abeval`;
  }, [short]);
  const kinds = ["page", useContext(Neutral) && "neutral"];
  return (
    <article class={kinds.filter(Boolean).join(" ")}>
      {above}
      <h1>{heading}</h1>
      {children}
    </article>
  );
}

/** A part of a page. The keys `j` and `k` lead from one to the next. */
export function PagePart({ id, title, children }: { id?: string; title: string; children: ComponentChildren }) {
  return (
    <section id={id} data-stop tabIndex={-1}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** One of a list of names, each with what it says. */
export function Entry({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Holds what may be wider than the page. It scrolls by itself, by mouse and by keyboard. */
export function Scroller({ label, kind, children }: { label: string; kind: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll only what has the focus
    <section class={kind} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
