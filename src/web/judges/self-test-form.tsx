import { type Signal, useSignal } from "@preact/signals";
import { listScenarios, startSelfTest } from "../api.ts";
import { useLoaded, useSubmission } from "../loaded.ts";
import { ModelField } from "../part/fields.tsx";
import { Refused, Show } from "../part/show.tsx";
import { navigate, toSelfTest } from "../routes.ts";

/** Starts a self-test and goes to its page. */
export function SelfTestForm({ scenario }: { scenario: string | null }) {
  const scenarios = useLoaded("scenarios", listScenarios);
  const chosen = useSignal(scenario ?? "");
  const judge = useSignal("");
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const judge_model = judge.value.trim();
    const request = { scenario: chosen.value, ...(judge_model && { judge_model }) };
    navigate(toSelfTest((await startSelfTest(request)).self_test_id));
  });
  return (
    <>
      <form class="fields" onSubmit={onSubmit}>
        <Show of={scenarios} what="the scenarios">
          {(listed) => <ScenarioField names={listed.map(({ name }) => name)} chosen={chosen} />}
        </Show>
        <ModelField label="Judge model" model={judge} placeholder="the scenario's judge" />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? "Starting …" : "Test this judge"}
        </button>
      </form>
      {failure.value && <Refused error={failure.value} />}
    </>
  );
}

function ScenarioField({ names, chosen }: { names: readonly string[]; chosen: Signal<string> }) {
  return (
    <label class="field">
      Scenario
      <select required value={chosen.value} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
        <option value="">choose one</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
