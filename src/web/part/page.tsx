import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface PageProps {
  readonly title: string;
  /** For the window's title, when the heading says more than fits there. */
  readonly short?: string;
  readonly above?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** One page: its heading is the window's title and where a reader of the page begins. */
export function Page({ title, short = title, above, children }: PageProps) {
  useEffect(() => {
    document.title = `${short} · abeval`;
  }, [short]);
  return (
    <article class="page">
      {above}
      <h1>{title}</h1>
      {children}
    </article>
  );
}
