import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useCitedTarget } from "../evidence/cited.ts";
import type { DiffLine } from "./file-change.ts";
import type { Token } from "./highlight.ts";
import { ShownText } from "./shown-text.tsx";

type Coloured = readonly (readonly Token[])[] | null;

interface LineChunkProps {
  readonly lines: readonly DiffLine[];
  readonly colours: { readonly before: Coloured; readonly after: Coloured };
  /** Index of the cited line within these. */
  readonly cited: number | null;
  readonly eager: boolean;
}

/** Pixels; the same as in the style sheet. */
const LINE_HEIGHT = 20;

/** How far out of sight a chunk is drawn. */
const AHEAD = "1200px";

/** Draws its lines when they come near. They then stay, so that the browser's search finds them. */
export function LineChunk({ lines, colours, cited, eager }: LineChunkProps) {
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
  if (!drawn.value && cited === null)
    return <div ref={place} class="lines-ahead" style={{ height: `${lines.length * LINE_HEIGHT}px` }} />;
  return (
    <>
      {lines.map((line, index) => (
        <Line key={index} line={line} colours={colours} isCited={index === cited} />
      ))}
    </>
  );
}

const SIGNS = { same: " ", added: "+", removed: "−", gap: "" };

function Line({ line, colours, isCited }: { line: DiffLine; colours: LineChunkProps["colours"]; isCited: boolean }) {
  const { kind, before, after, text } = line;
  const target = useCitedTarget<HTMLDivElement>(isCited);
  if (kind === "gap") return <div class="line line-gap">{`line ${after ?? before}`}</div>;
  return (
    <div class={`line line-${kind}`} ref={target} tabIndex={isCited ? -1 : undefined} data-cited={isCited || undefined}>
      <span class="line-number">{before}</span>
      <span class="line-number">{after}</span>
      <span class="line-sign">{SIGNS[kind]}</span>
      <span class="line-text">{tokensOf(line, colours) ?? <ShownText text={text} />}</span>
    </div>
  );
}

/** Null when the coloured text is not exactly this line. */
function tokensOf({ before, after, text }: DiffLine, colours: LineChunkProps["colours"]) {
  const tokens = after === null ? colours.before?.[(before ?? 0) - 1] : colours.after?.[after - 1];
  if (!tokens || tokens.map((token) => token.text).join("") !== text) return null;
  return tokens.map((token, index) => (
    <span key={index} class={token.class}>
      <ShownText text={token.text} />
    </span>
  ));
}
