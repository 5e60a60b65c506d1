import type { Verdict } from "../../domain/verdict.ts";
import { clipTexts, fullestThatFits } from "../fit.ts";
import type { Answer } from "../tool.ts";
import { type VerdictView, viewVerdict } from "./verdict-view.ts";

interface Level {
  /** Citations for each criterion. */
  readonly quotes: number;
  readonly chars: number;
}

const LEVELS: readonly [Level, ...Level[]] = [
  { quotes: Number.POSITIVE_INFINITY, chars: Number.POSITIVE_INFINITY },
  { quotes: 4, chars: 1_000 },
  { quotes: 2, chars: 400 },
  { quotes: 0, chars: 300 },
  { quotes: 0, chars: 160 },
];

/** The answer with as much of a verdict's reasons as a result holds; scores and outcome are always whole. */
export const verdictThatFits = <Version extends Answer>(verdict: Verdict, make: (view: VerdictView) => Version) =>
  fullestThatFits(LEVELS, ({ quotes, chars }) => make(clipTexts(viewVerdict(verdict, quotes), chars)));
