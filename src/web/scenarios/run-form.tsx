import { useSignal } from "@preact/signals";
import type { CostEstimate } from "../../domain/health.ts";
import { isScripted } from "../../domain/offline-model.ts";
import type { Scenario } from "../../domain/scenario.ts";
import { startRun } from "../api.ts";
import { Estimate } from "../doctor/checks.tsx";
import { useSubmission } from "../loaded.ts";
import { JudgeField, ModelField, useUsedNames } from "../part/fields.tsx";
import { Refused } from "../part/show.tsx";
import { type ChosenModels, navigate, toLive } from "../routes.ts";
import { RepeatForm } from "./repeat-form.tsx";

interface RunFormProps {
  readonly scenario: Scenario;
  readonly estimate: CostEstimate | null;
  /** Filled in at first. */
  readonly models: ChosenModels;
}

const MODEL = "[A-Za-z0-9][A-Za-z0-9_.\\-]*/[^\\s]+";

/** Starts a run and goes to its live page. */
export function RunForm({ scenario, estimate, models }: RunFormProps) {
  const model = useSignal(models.model ?? "");
  const judge = useSignal(models.judge ?? "");
  const { models: usedModels } = useUsedNames();
  const scripted = model.value.trim() === "" && scenario.arms.every((arm) => isScripted(arm.model));
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const { session_id } = await startRun(requestOf(scenario.name, model.value.trim(), judge.value.trim()));
    navigate(toLive(session_id));
  });
  return (
    <div class="run-form">
      <form class="fields" onSubmit={onSubmit}>
        <ModelField
          label="Model of both arms"
          model={model}
          pattern={MODEL}
          title="<provider>/<model>"
          suggested={usedModels}
          placeholder={scripted ? "as the arms say (scripted)" : "as each arm says"}
        />
        <JudgeField model={judge} scenario={scenario} />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? "Starting …" : "Run both arms"}
        </button>
      </form>
      {scripted ? (
        <p class="small-print">Both arms replay a script: no model is called for them and nothing is spent on them.</p>
      ) : (
        estimate && <Estimate estimate={estimate} />
      )}
      {failure.value && <Refused error={failure.value} />}
      <RepeatForm chosen={requestOf(scenario.name, model.value.trim(), judge.value.trim())} />
    </div>
  );
}

function requestOf(scenario: string, model_override: string, judge_model: string) {
  return { scenario, ...(model_override && { model_override }), ...(judge_model && { judge_model }) };
}
