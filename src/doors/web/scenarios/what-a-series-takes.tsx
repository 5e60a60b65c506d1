import type { RunRequest } from "../../../domain/request.ts";
import { listSessions, runDoctor } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { Show } from "../part/show.tsx";
import { chancesText, costText, type SeriesSize, timeText } from "./series-estimate.ts";

/** Earlier runs that the time goes by, the newest. */
const EARLIER = 20;

/** What so many trials would cost, take and show, before they are started. What is not known is said to be unknown. */
export function WhatASeriesTakes({ chosen, size }: { chosen: RunRequest; size: SeriesSize }) {
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
