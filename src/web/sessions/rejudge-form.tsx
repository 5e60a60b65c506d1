import { useSignal } from "@preact/signals";
import { type RequestFailed, requestVerdict } from "../api.ts";
import { type Contestant, pointerTo } from "../evidence/contestant.ts";
import { asFailed } from "../loaded.ts";
import { Failed } from "../part/show.tsx";
import { navigate, toSession } from "../routes.ts";

/** Asks a judge of the reader's choice, and goes to what it says. The arms do not run again. */
export function RejudgeForm({ a, b }: { a: Contestant; b: Contestant }) {
  const judge = useSignal("");
  const judging = useSignal(false);
  const failure = useSignal<RequestFailed | null>(null);
  const usual = a.session.definition.rubric.judge.model ?? "the server's default judge";

  async function ask(event: Event): Promise<void> {
    event.preventDefault();
    judging.value = true;
    failure.value = null;
    const judge_model = judge.value.trim();
    try {
      const pair = { arm_a: pointerTo(a), arm_b: pointerTo(b) };
      const verdict = await requestVerdict({ ...pair, ...(judge_model && { judge_model }) });
      navigate(toSession(verdict.arm_a.session_id, verdict.verdict_id));
    } catch (error) {
      failure.value = asFailed(error);
      judging.value = false;
    }
  }

  return (
    <form onSubmit={(event) => void ask(event)}>
      <div class="fields">
        <label class="field">
          Judge model
          <input
            value={judge.value}
            placeholder={usual}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => (judge.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={judging.value}>
          {judging.value ? "Judging …" : "Judge"}
        </button>
      </div>
      <p class="small-print" role="status">
        {judging.value
          ? "Both orders are being judged; this takes as long as the judge does."
          : "Spends the judge's tokens only; the arms do not run again."}
      </p>
      {failure.value && <Failed what="a verdict" error={failure.value} />}
    </form>
  );
}
