import { useSignal } from "@preact/signals";
import type { CostEstimate } from "../../domain/health.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { type RequestFailed, startRun } from "../api.ts";
import { Estimate } from "../doctor/checks.tsx";
import { asFailed } from "../loaded.ts";
import { Failed } from "../part/show.tsx";
import { navigate, toLive } from "../routes.ts";

interface RunFormProps {
  readonly scenario: Scenario;
  readonly estimate: CostEstimate | null;
}

const MODEL = "[A-Za-z0-9][A-Za-z0-9_.\\-]*/[^\\s]+";

/** Starts a run, and goes to watch it. */
export function RunForm({ scenario, estimate }: RunFormProps) {
  const model = useSignal("");
  const judge = useSignal("");
  const starting = useSignal(false);
  const failure = useSignal<RequestFailed | null>(null);
  const scripted = model.value.trim() === "" && scenario.arms.every((arm) => arm.model.startsWith("scripted/"));

  async function start(event: Event): Promise<void> {
    event.preventDefault();
    starting.value = true;
    failure.value = null;
    try {
      const { session_id } = await startRun(requestOf(scenario.name, model.value.trim(), judge.value.trim()));
      navigate(toLive(session_id));
    } catch (error) {
      failure.value = asFailed(error);
      starting.value = false;
    }
  }

  return (
    <form class="run-form" onSubmit={(event) => void start(event)}>
      <div class="fields">
        <label class="field">
          Model of both arms
          <input
            value={model.value}
            pattern={MODEL}
            title="<provider>/<model>"
            placeholder={scripted ? "as the arms say (scripted)" : "as each arm says"}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => (model.value = event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Judge model
          <input
            value={judge.value}
            placeholder={scenario.rubric.judge.model ?? "the server's default judge"}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => (judge.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={starting.value}>
          {starting.value ? "Starting …" : "Run both arms"}
        </button>
      </div>
      {scripted ? (
        <p class="estimate">Both arms replay a script: no model is called for them and nothing is spent on them.</p>
      ) : (
        estimate && <Estimate estimate={estimate} />
      )}
      {failure.value && <Failed what="the answer to this request" error={failure.value} />}
    </form>
  );
}

function requestOf(scenario: string, model_override: string, judge_model: string) {
  return { scenario, ...(model_override && { model_override }), ...(judge_model && { judge_model }) };
}
