import { preferredSide } from "../../../domain/series-status.ts";
import type { Conclusion } from "../../../domain/series-summary.ts";
import type { Side } from "../../../domain/verdict.ts";

interface RangeBarProps {
  /** Arm a's win rate, 0 to 1; null without trials. */
  readonly win_rate: number | null;
  readonly low: number;
  readonly high: number;
  /** The preferred arm gives the bar its colour. */
  readonly conclusion?: Conclusion;
  /** Half the width of the rates around 1/2 that count as no difference. */
  readonly margin?: number;
}

/** A win rate with its range between 0 and 100%. The figures stand beside it. */
export function RangeBar({ win_rate, low, high, conclusion = "undecided", margin }: RangeBarProps) {
  if (win_rate === null) return <span class="range unknown" aria-hidden="true" />;
  const side = preferredSide(conclusion);
  return (
    <span class={side ? `range side-${side}` : "range"} aria-hidden="true">
      {margin !== undefined && <span class="range-margin" style={between(0.5 - margin, 0.5 + margin)} />}
      <span class="range-half" />
      <span class="range-span" style={between(low, high)} />
      <span class="range-rate" style={{ left: percent(win_rate) }} />
    </span>
  );
}

/** A share that one arm reached, with its range, between 0 and 100%. The figures stand beside it. */
export const ShareBar = ({ side, share, low, high }: { side: Side; share: number; low: number; high: number }) => (
  <span class={`range side-${side}`} aria-hidden="true">
    <span class="range-span" style={between(low, high)} />
    <span class="range-rate" style={{ left: percent(share) }} />
  </span>
);

const percent = (share: number) => `${share * 100}%`;

const between = (low: number, high: number) => ({ left: percent(low), width: percent(high - low) });
