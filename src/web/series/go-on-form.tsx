import { useSignal } from "@preact/signals";
import type { Series } from "../../domain/series.ts";
import type { SeriesLimits } from "../../domain/series-record.ts";
import { startSeries } from "../api.ts";
import { revision } from "../connection.ts";
import { useSubmission } from "../loaded.ts";
import { CheckField, NumberField } from "../part/fields.tsx";
import { Refused } from "../part/show.tsx";

/** Adds trials to a series that has ended, or finishes one that was interrupted. The claim stays valid. */
export function GoOnForm({ series, limits }: { series: Series; limits: SeriesLimits }) {
  const left = series.forecast.trials_left ?? 0;
  const trials = useSignal(left > 0 ? limits.trials : limits.trials + 10);
  const sure = useSignal(limits.stop_when_sure);
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const scenarios = series.scenarios.map(({ scenario }) => scenario);
    const changed = { trials: trials.value, stop_when_sure: sure.value };
    await startSeries({ scenarios, ...changed, continue: series.series_id });
    revision.value += 1;
  });
  return (
    <form class="run-form" onSubmit={onSubmit}>
      <div class="fields">
        <NumberField label="Trials of each scenario, in all" value={trials} min={1} max={1_000} />
        <CheckField label="Stop when sure" value={sure} />
        <button type="submit" disabled={busy.value}>
          {busy.value ? "Starting …" : "Go on"}
        </button>
      </div>
      <p class="estimate">
        The trials so far stay and count. Scenarios, arms, judge and margin must be the same as at the start.
      </p>
      {failure.value && <Refused error={failure.value} />}
    </form>
  );
}
