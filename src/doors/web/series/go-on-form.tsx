import { useSignal } from "@preact/signals";
import type { Series } from "../../../domain/series.ts";
import type { SeriesLimits } from "../../../domain/series-record.ts";
import { call, getSeries, revision } from "../api.ts";
import { CheckField, NumberField } from "../part/fields.tsx";
import { SendingNotice } from "../part/sending-notice.tsx";
import { useSendOnce } from "../send-once.ts";

/** Differs whenever a series was asked to go on. */
const placeOf = ({ finished_at, changes, trials }: Series) => [finished_at, changes.length, trials.length].join(" ");

/** Adds trials to a series that has ended, or finishes one that was interrupted. The claim stays valid. */
export function GoOnForm({ series, limits }: { series: Series; limits: SeriesLimits }) {
  const left = series.forecast.trials_left ?? 0;
  const trials = useSignal(left > 0 ? limits.trials : limits.trials + 10);
  const sure = useSignal(limits.stop_when_sure);
  const { series_id } = series;
  const place = placeOf(series);
  /** Where the page saw it when it was asked to go on. */
  const leftAt = useSignal<string | null>(null);
  const sending = useSendOnce({
    mark: async () => {
      leftAt.value = null;
      return placeOf(await getSeries(series_id));
    },
    send: async () => {
      const scenarios = [...new Set(series.scenarios.map(({ scenario }) => scenario))];
      const changed = { trials: trials.value, stop_when_sure: sure.value };
      await call("POST /api/series", { scenarios, ...changed, continue: series_id });
      return series_id;
    },
    find: async (before) => (placeOf(await getSeries(series_id)) === before ? null : series_id),
    done: () => {
      leftAt.value = place;
      revision.value += 1;
    },
  });
  // It may have ended again before this page has read of it.
  const wentOn = leftAt.value !== null && leftAt.value !== place;
  const busy = sending.busy.value && !wentOn;
  return (
    <form class="run-form" onSubmit={sending.onSubmit}>
      <div class="fields">
        <NumberField label="Trials of each scenario, in all" value={trials} min={1} max={1_000} />
        <CheckField label="Stop when sure" value={sure} />
        <button type="submit" disabled={busy}>
          {busy ? "Starting …" : "Continue"}
        </button>
      </div>
      <p class="estimate">
        The trials so far stay and count. Scenarios, arms, judge, measure and margin must be the same as at the start.
      </p>
      <SendingNotice of={sending} happened="The series continued">
        {() => "This page shows how far it came. Its trials stay and count; sending the form again goes on from there."}
      </SendingNotice>
    </form>
  );
}
