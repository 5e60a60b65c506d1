import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { PagePart } from "./page.tsx";

/** A part of a long page. */
export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly content: ComponentChildren;
}

/** The parts of a long page, beside a list of them that follows the reader. */
export function Sections({ sections }: { sections: readonly PageSection[] }) {
  const ids = sections.map(({ id }) => id);
  const current = useCurrent(ids);
  return (
    <div class="sectioned">
      <nav class="contents" aria-label="Sections">
        <ol>
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                aria-current={id === current ? "true" : undefined}
                onClick={(event) => goToPart(event, id)}
              >
                {title}
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <div class="sections">
        {sections.map(({ id, title, content }) => (
          <PagePart key={id} id={id} title={title}>
            {content}
          </PagePart>
        ))}
      </div>
    </div>
  );
}

/** Leads to a part of the page. It is no place of its own for the way back, so the address stays. */
export function goToPart(event: Event, id: string): void {
  event.preventDefault();
  const section = document.getElementById(id);
  section?.scrollIntoView({ block: "start" });
  section?.focus({ preventScroll: true });
}

/** Share of the window's height: the current section is the last that begins above it. */
const LINE = 0.25;

function useCurrent(ids: readonly string[]): string | undefined {
  const current = useSignal(ids[0]);
  useEffect(() => {
    // A section that loads later is another element under the same id.
    const topOf = (id: string) => document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY;
    const look = () => {
      current.value = ids.findLast((id) => topOf(id) <= innerHeight * LINE) ?? ids[0];
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [ids.join(" "), current]);
  return current.value;
}
