import { useSignal } from "@preact/signals";
import type { RunRequest } from "../../domain/request.ts";
import { startSeries } from "../api.ts";
import { useSubmission } from "../loaded.ts";
import { CheckField, NumberField } from "../part/fields.tsx";
import { Refused } from "../part/show.tsx";
import { navigate, toSeries } from "../routes.ts";
import { WhatASeriesTakes } from "./what-a-series-takes.tsx";

interface RepeatFormProps {
  /** What one run would be. */
  readonly chosen: RunRequest;
}

/** As the server has them. */
const MOST_TRIALS = 1_000;
const MOST_AT_ONCE = 16;

/** Starts a series of one scenario and goes to its page. */
export function RepeatForm({ chosen }: RepeatFormProps) {
  const { scenario, ...models } = chosen;
  const open = useSignal(false);
  const trials = useSignal(30);
  const sure = useSignal(true);
  const parallel = useSignal(1);
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const limits = { trials: trials.value, stop_when_sure: sure.value, parallel: parallel.value };
    const { series_id } = await startSeries({ scenarios: [scenario], ...models, ...limits });
    navigate(toSeries(series_id));
  });
  return (
    <details class="fold" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary>One run says little: run it many times</summary>
      <form onSubmit={onSubmit}>
        <div class="fields">
          <NumberField label="Trials, at most" value={trials} min={1} max={MOST_TRIALS} />
          <NumberField label="At once" value={parallel} min={1} max={MOST_AT_ONCE} />
          <CheckField label="Stop when sure" value={sure} />
          <button type="submit" disabled={busy.value}>
            {busy.value ? "Starting …" : `Run ${trials.value || "many"} times`}
          </button>
        </div>
        {open.value && isCount(trials.value, MOST_TRIALS) && isCount(parallel.value, MOST_AT_ONCE) && (
          <WhatASeriesTakes chosen={chosen} size={{ trials: trials.value, parallel: parallel.value }} />
        )}
        {failure.value && <Refused error={failure.value} />}
      </form>
    </details>
  );
}

const isCount = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;
