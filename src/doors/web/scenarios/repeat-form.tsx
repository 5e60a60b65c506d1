import { useSignal } from "@preact/signals";
import type { RunRequest } from "../../../domain/request.ts";
import { call, listSeries, listSessions, runDoctor } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { CheckField, NumberField } from "../part/fields.tsx";
import { SendingNotice } from "../part/sending-notice.tsx";
import { Show } from "../part/show.tsx";
import { leadOn, toSeries } from "../routes.ts";
import { firstSince, useSendOnce } from "../send-once.ts";
import { chancesText, costText, type SeriesSize, timeText } from "./series-estimate.ts";

interface RepeatFormProps {
  /** What one run would be. */
  readonly chosen: RunRequest;
}

/** The server's limit. */
const MOST_TRIALS = 1_000;
const MOST_AT_ONCE = 16;

/** Newest series of which one may be the one that was asked for. */
const LOOKED_THROUGH = 50;

/** Starts a series of one scenario and goes to its page. */
export function RepeatForm({ chosen }: RepeatFormProps) {
  const { scenario, ...models } = chosen;
  const open = useSignal(false);
  const trials = useSignal(30);
  const sure = useSignal(true);
  const parallel = useSignal(1);
  const planned = async (limit: number) => (await listSeries({ scenario, limit })).map(({ series_id: id }) => ({ id }));
  const sending = useSendOnce({
    mark: async () => (await planned(1))[0]?.id ?? null,
    send: async () => {
      const limits = { trials: trials.value, stop_when_sure: sure.value, parallel: parallel.value };
      return (await call("POST /api/series", { scenarios: [scenario], ...models, ...limits })).series_id;
    },
    find: async (newest) => firstSince(await planned(LOOKED_THROUGH), newest)?.id ?? null,
    done: (series_id, from) => leadOn(from, toSeries(series_id)),
  });
  const busy = sending.busy.value;
  return (
    <details class="fold" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>One run says little: run it many times</summary>
      <form onSubmit={sending.onSubmit}>
        <div class="fields">
          <NumberField label="Trials, at most" value={trials} min={1} max={MOST_TRIALS} />
          <NumberField label="At once" value={parallel} min={1} max={MOST_AT_ONCE} />
          <CheckField label="Stop when sure" value={sure} />
          <button type="submit" disabled={busy}>
            {busy ? "Starting …" : `Run ${trials.value || "many"} times`}
          </button>
        </div>
        {open.value && isCount(trials.value, MOST_TRIALS) && isCount(parallel.value, MOST_AT_ONCE) && (
          <WhatASeriesTakes chosen={chosen} size={{ trials: trials.value, parallel: parallel.value }} />
        )}
        <SendingNotice of={sending} happened="A series of this scenario began">
          {(series_id) => (
            <>
              <a href={toSeries(series_id)}>See what became of it</a>. Sending the form again starts another series.
            </>
          )}
        </SendingNotice>
      </form>
    </details>
  );
}

const isCount = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;

/** Earlier runs that the time goes by, the newest. */
const EARLIER = 20;

/** What so many trials would cost, take and show, before they are started. What is not known is said to be unknown. */
function WhatASeriesTakes({ chosen, size }: { chosen: RunRequest; size: SeriesSize }) {
  const { scenario, model_override: model, judge_model: judge } = chosen;
  const report = useLoaded(`series of ${size.trials} ${scenario}`, (signal) =>
    runDoctor(scenario, signal, size.trials),
  );
  const runs = useLoaded(`times ${scenario} ${model} ${judge}`, (signal) =>
    listSessions({ scenario, model, judge, state: "completed", limit: EARLIER }, signal),
  );
  const ended = runs.value.state === "ready" ? runs.value.value : [];
  const costs = ended.flatMap(({ cost_usd }) => cost_usd ?? []);
  return (
    <div class="estimate">
      <Show of={report} what="what it may cost; the checks of the scenario run first">
        {({ estimate }) => (
          <>
            <p>
              {estimate
                ? costText(estimate, { asked: Boolean(model || judge), earlier: costs })
                : "What it may cost is not known."}
            </p>
            {estimate?.series && <p class="small-print">{chancesText(estimate.series)}</p>}
          </>
        )}
      </Show>
      <Show of={runs} what="how long it takes">
        {(rows) => (
          <p>
            {timeText(
              rows.flatMap(({ wall_ms }) => wall_ms ?? []),
              size,
            )}
          </p>
        )}
      </Show>
    </div>
  );
}
