import { percentText } from "../../../domain/number-text.ts";
import type { Series } from "../../../domain/series.ts";
import { count, countOf, usd } from "../format.ts";

/** What more trials would bring, by a forecast from those that there are. */
export function Outlook({ series: { forecast, conclusion, limits } }: { series: Series }) {
  const { trials_left, chance_of_claim, chance_of_conclusion, more_trials, cost_usd } = forecast;
  const isOpen = conclusion === "undecided";
  return (
    <>
      {limits && trials_left !== null && (
        <p>
          {trials_left === 0 ? "The plan has no trial left." : `The plan has ${countOf(trials_left, "trial")} left.`}{" "}
          {isOpen && chance_of_claim !== null && chance_of_conclusion !== null && (
            <>
              The chance of a claim in them is <strong>{percentText(chance_of_claim)}</strong>, of any conclusion{" "}
              <strong>{percentText(chance_of_conclusion)}</strong>.
            </>
          )}
        </p>
      )}
      {isOpen && (
        <p>
          {more_trials === null
            ? "From these trials nobody can say how many more would be enough for a claim."
            : `If further trials split the same way, about ${count(more_trials)} more would be enough${cost_usd ? `, for about ${usd(cost_usd)}` : ""}.`}{" "}
          {more_trials !== null && (
            <span class="aside">Where arms do not differ, such a forecast seldom comes true.</span>
          )}
        </p>
      )}
    </>
  );
}
