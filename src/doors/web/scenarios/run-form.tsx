import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import type { CostEstimate } from "../../../domain/doctor-report.ts";
import { withInputId } from "../../../domain/member.ts";
import { isScripted } from "../../../domain/model-name.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import { call, listSessions } from "../api.ts";
import { Estimate } from "../doctor/checks.tsx";
import { JudgeField, ModelField } from "../part/model-field.tsx";
import { SendingNotice } from "../part/sending-notice.tsx";
import { type ChosenModels, leadOn, toLive } from "../routes.ts";
import { firstSince, useSendOnce } from "../send-once.ts";
import { RepeatForm } from "./repeat-form.tsx";
import { OTHER_MODELS } from "./series-estimate.ts";

interface RunFormProps {
  readonly scenario: Scenario;
  readonly estimate: CostEstimate | null;
  /** Filled in at first. */
  readonly models: ChosenModels;
}

const MODEL = "[A-Za-z0-9][A-Za-z0-9_.\\-]*/[^\\s]+";

/** Newest runs of which one may be the one that was asked for. */
const LOOKED_THROUGH = 50;

/** Starts a run and goes to its live page. */
export function RunForm({ scenario, estimate, models }: RunFormProps) {
  const model = useSignal(models.model ?? "");
  const judge = useSignal(models.judge ?? "");
  const input = useSignal("");
  const inputField = useId();
  const chosen = model.value.trim() !== "" || judge.value.trim() !== "";
  const scripted = model.value.trim() === "" && scenario.arms.every((arm) => isScripted(arm.model));
  const runs = async (limit: number) =>
    (await listSessions({ scenario: scenario.name, limit })).map(({ session_id: id, trial }) => ({
      id,
      isTrial: trial !== undefined,
    }));
  // A series that runs here starts its own.
  const sending = useSendOnce({
    mark: async () => (await runs(1))[0]?.id ?? null,
    send: async () => {
      const request = requestOf(scenario.name, model.value.trim(), judge.value.trim());
      return (await call("POST /api/runs/async", { ...request, ...withInputId(input.value || undefined) })).session_id;
    },
    find: async (newest) => firstSince(await runs(LOOKED_THROUGH), newest, ({ isTrial }) => !isTrial)?.id ?? null,
    done: (session_id, from) => leadOn(from, toLive(session_id)),
  });
  const busy = sending.busy.value;
  return (
    <div class="run-form">
      <form class="fields" onSubmit={sending.onSubmit}>
        {scenario.inputs && (
          <div class="field">
            <label for={inputField}>Input, one of {scenario.inputs.count} rows</label>
            <input
              id={inputField}
              required
              pattern="[A-Za-z0-9._\-]{1,64}"
              title="Id of a row"
              value={input.value}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => (input.value = event.currentTarget.value)}
            />
          </div>
        )}
        <ModelField
          label="Model of both arms"
          model={model}
          pattern={MODEL}
          title="<provider>/<model>"
          used="models"
          caller="runs"
          placeholder={scripted ? "as the arms say (scripted)" : "as each arm says"}
        />
        <JudgeField model={judge} usual={scenario.rubric.judge.model} caller="runs" />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? "Starting …" : "Run both arms"}
        </button>
      </form>
      {scripted && (
        <p class="small-print">Both arms replay a script: no model is called for them and nothing is spent on them.</p>
      )}
      {!scripted && chosen && <p class="small-print">{OTHER_MODELS}</p>}
      {!scripted && !chosen && estimate && <Estimate estimate={estimate} />}
      <SendingNotice of={sending} happened="A run of this scenario began">
        {(session_id) => (
          <>
            <a href={toLive(session_id)}>See what became of it</a>. Sending the form again starts another run.
          </>
        )}
      </SendingNotice>
      <RepeatForm chosen={requestOf(scenario.name, model.value.trim(), judge.value.trim())} />
    </div>
  );
}

function requestOf(scenario: string, model_override: string, judge_model: string) {
  return { scenario, ...(model_override && { model_override }), ...(judge_model && { judge_model }) };
}
