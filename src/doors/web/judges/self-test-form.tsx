import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { isBuiltin } from "../../../domain/model-name.ts";
import { call, getScenario, listScenarios } from "../api.ts";
import { useLoaded } from "../loaded.ts";
import { SelectField } from "../part/fields.tsx";
import { JudgeField } from "../part/model-field.tsx";
import { SendingNotice } from "../part/sending-notice.tsx";
import { Show } from "../part/show.tsx";
import { leadOn, toSelfTest } from "../routes.ts";
import { firstSince, useSendOnce } from "../send-once.ts";

/** Newest self-tests of which one may be the one that was asked for. */
const LOOKED_THROUGH = 50;

/** A self-test is stored at its end. */
const LOST = "A self-test that goes on is lost with its server; what its judge had answered by then was paid.";

/** Starts a self-test and goes to its page. */
export function SelfTestForm({ scenario, judge: named }: { scenario: string | null; judge: string | null }) {
  const scenarios = useLoaded("scenarios", listScenarios);
  const chosen = useSignal(scenario ?? "");
  const judge = useSignal(named ?? "");
  const form = useRef<HTMLFormElement>(null);
  // Who followed a link to test a judge is led to the form, which stands below all judges.
  useEffect(() => {
    if (named !== null) form.current?.querySelector("select")?.focus();
  }, [named, scenarios.value.state]);
  const tests = async (limit: number) =>
    (await call("GET /api/self-tests", { limit })).map(({ self_test_id: id, scenario: of }) => ({ id, scenario: of }));
  const sending = useSendOnce({
    mark: async () => (await tests(1))[0]?.id ?? null,
    send: async () => {
      const judge_model = judge.value.trim();
      const request = { scenario: chosen.value, ...(judge_model && { judge_model }) };
      return (await call("POST /api/self-tests", request)).self_test_id;
    },
    find: async (newest) => {
      const begun = firstSince(await tests(LOOKED_THROUGH), newest, ({ scenario: of }) => of === chosen.value);
      return begun?.id ?? null;
    },
    done: (self_test_id, from) => leadOn(from, toSelfTest(self_test_id)),
  });
  const busy = sending.busy.value;
  return (
    <>
      <form ref={form} class="fields" onSubmit={sending.onSubmit}>
        <Show of={scenarios} what="the scenarios">
          {(listed) => (
            <SelectField
              label="Scenario"
              required
              value={chosen.value}
              choices={[["", "choose one"], ...listed.map(({ name }) => [name, name] as const)]}
              pick={(name) => (chosen.value = name)}
            />
          )}
        </Show>
        <JudgeField model={judge} usual="the scenario's judge" caller="here" />
        <button type="submit" class="primary" disabled={busy}>
          {busy ? "Starting …" : "Test this judge"}
        </button>
      </form>
      <p class="aside" role="status">
        {isBuiltin(judge.value.trim()) && `${judge.value.trim()} ${ASKS_NO_MODEL}`}
        {chosen.value !== "" && judge.value.trim() === "" && <UsualJudge key={chosen.value} scenario={chosen.value} />}
      </p>
      <SendingNotice of={sending} happened="A self-test on this scenario began" lost={LOST}>
        {(self_test_id) => (
          <>
            <a href={toSelfTest(self_test_id)}>See what became of it</a>. Sending the form again asks the judge all of
            it again.
          </>
        )}
      </SendingNotice>
    </>
  );
}

const ASKS_NO_MODEL = "asks no model, so there is no judge to test. Name a judge model.";

/** Who is tested when the field of the judge is empty. */
function UsualJudge({ scenario }: { scenario: string }) {
  const loaded = useLoaded(`scenario ${scenario}`, (signal) => getScenario(scenario, signal)).value;
  const model = loaded.state === "ready" ? loaded.value.rubric.judge.model : null;
  if (model === null) return null;
  return (
    <>
      The judge of {scenario} is <code>{model}</code>. {isBuiltin(model) && `It ${ASKS_NO_MODEL}`}
    </>
  );
}
