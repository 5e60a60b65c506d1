import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import { evidenceText, limitText } from "../../../statistics/figure-text.ts";
import { winRateWords } from "../../../statistics/series-words.ts";
import { count, usd, words } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { Entry } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { everyMember } from "./members.ts";
import { RangeBar } from "./range-bar.tsx";

/** The win rate with its range on a line from 0 to 100%. */
export function WinRate({ series }: { series: Series }) {
  const { arms, headline, levels, conclusion } = series;
  return (
    <figure class="win-rate">
      <figcaption>
        <Say words={winRateWords(series)} />
      </figcaption>
      <RangeBar {...headline} conclusion={conclusion} margin={levels.margin} />
      <p class="range-axis small-print">
        <span>
          0% <ArmName side="b" name={arms.b.arm_id} />
        </span>
        <span>50%</span>
        <span>
          <ArmName side="a" name={arms.a.arm_id} /> 100%
        </span>
      </p>
      <p class="small-print">
        A trial without a winner counts half. Grey: {percentText(0.5 - levels.margin)} to{" "}
        {percentText(0.5 + levels.margin)}, no difference worth having. The range holds whenever the series is stopped.
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
