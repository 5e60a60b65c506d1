import { LINE_STYLES, quadrantOf } from "../../../domain/quadrant.ts";
import type { Series } from "../../../domain/series.ts";

/** Difference against cost, with both ranges; nothing where no cost is compared. */
export function QuadrantChart({ series }: { series: Series }) {
  const found = quadrantOf(series);
  if (found === null) return null;
  return (
    <figure class="quadrant">
      <svg viewBox={found.box} role="img" aria-label={found.label} style={{ width: "100%", maxWidth: "30rem" }}>
        {found.lines.map(({ kind, ...ends }, index) => (
          <line key={index} stroke="currentColor" {...LINE_STYLES[kind]} {...ends} />
        ))}
        <circle cx={found.at.x} cy={found.at.y} r={5} fill="currentColor" />
        {found.texts.map(({ x, y, anchor, text }) => (
          <text key={text} x={x} y={y} text-anchor={anchor} font-size="12" fill="currentColor" fill-opacity="0.75">
            {text}
          </text>
        ))}
      </svg>
    </figure>
  );
}
