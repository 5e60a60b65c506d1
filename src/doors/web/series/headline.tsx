import type { Series } from "../../../domain/series.ts";
import { evidenceText, limitText } from "../../../statistics/figure-text.ts";
import type { sixLines } from "../../../statistics/six-lines.ts";
import { count, usd, words } from "../format.ts";
import { Entry } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { everyMember } from "./members.ts";
import { RangeBar } from "./range-bar.tsx";

/** What a series says below its first line. */
export const AnswerLines = ({ lines }: Pick<ReturnType<typeof sixLines>, "lines">) => (
  <dl class="six-lines">
    {lines.map(({ label, words, command }) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>
          <Say words={words} />
          {command !== undefined && (
            <>
              {" "}
              <code>{command}</code>
            </>
          )}
        </dd>
      </div>
    ))}
  </dl>
);

/** The difference with its range on a line from -100 to +100 points. */
export function DifferenceBar({ series: { result, conclusion } }: { series: Series }) {
  if (result === null) return null;
  const [win_rate = 0, low = 0, high = 1] = [result.difference, result.low, result.high].map(
    (share) => (share + 1) / 2,
  );
  return (
    <figure class="win-rate">
      <RangeBar {...{ win_rate, low, high, conclusion }} />
      <p class="range-axis small-print">
        <span>-100 points</span>
        <span>0</span>
        <span>+100 points: {result.candidate} is ahead</span>
      </p>
    </figure>
  );
}

export function SeriesAtAGlance({ series }: { series: Series }) {
  const { counts, limits, headline, levels, cost_usd, state, earlier, kind } = series;
  const planned = limits && limits.trials * everyMember(series);
  return (
    <dl class="glance">
      <Entry name="Trials that count">
        {count(counts.trials)}
        {planned !== null && <span class="aside"> of {count(planned)} planned</span>}
      </Entry>
      <Entry name="Wins – none – losses">
        {count(counts.wins)} – {count(counts.ties)} – {count(counts.losses)}
      </Entry>
      <Entry name="Evidence">
        {evidenceText(headline.e, levels.alpha)}
        <span class="aside">
          {" "}
          {limitText(levels.alpha)} needed
          {earlier && `; with all stored trials ${evidenceText(earlier.e_with_this, levels.alpha)}`}
        </span>
      </Entry>
      {kind !== "results" && <Entry name="Cost so far">{usd(cost_usd.total)}</Entry>}
      <Entry name="State">
        <span class={`state state-${state}`}>{words(state)}</span>
      </Entry>
    </dl>
  );
}
