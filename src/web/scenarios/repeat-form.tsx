import { useSignal } from "@preact/signals";
import type { CostEstimate } from "../../domain/health.ts";
import type { RunRequest } from "../../domain/request.ts";
import { startSeries } from "../api.ts";
import { usd } from "../format.ts";
import { useSubmission } from "../loaded.ts";
import { CheckField, NumberField } from "../part/fields.tsx";
import { Refused } from "../part/show.tsx";
import { navigate, toSeries } from "../routes.ts";

interface RepeatFormProps {
  /** What one run would be. */
  readonly chosen: RunRequest;
  /** Of one run; null when it costs nothing or that is not known. */
  readonly estimate: CostEstimate | null;
}

/** Starts a series of one scenario and goes to its page. */
export function RepeatForm({ chosen: { scenario, ...models }, estimate }: RepeatFormProps) {
  const trials = useSignal(30);
  const sure = useSignal(true);
  const parallel = useSignal(1);
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const limits = { trials: trials.value, stop_when_sure: sure.value, parallel: parallel.value };
    const { series_id } = await startSeries({ scenarios: [scenario], ...models, ...limits });
    navigate(toSeries(series_id));
  });
  return (
    <details class="fold">
      <summary>One run says little: run it many times</summary>
      <form onSubmit={onSubmit}>
        <div class="fields">
          <NumberField label="Trials, at most" value={trials} min={1} max={1_000} />
          <NumberField label="At once" value={parallel} min={1} max={16} />
          <CheckField label="Stop when sure" value={sure} />
          <button type="submit" disabled={busy.value}>
            {busy.value ? "Starting …" : `Run ${trials.value || "many"} times`}
          </button>
        </div>
        {estimate && <p class="estimate">{costText(estimate, trials.value)}</p>}
        {failure.value && <Refused error={failure.value} />}
      </form>
    </details>
  );
}

function costText({ low_usd, high_usd }: CostEstimate, trials: number): string {
  if (low_usd === null || high_usd === null || !Number.isInteger(trials))
    return "What it may cost is not known: some model has no price.";
  return `All ${trials} trials may cost ${usd(low_usd * trials)} to ${usd(high_usd * trials)}; fewer when it stops early.`;
}
