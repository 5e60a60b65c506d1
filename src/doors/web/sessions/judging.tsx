import { useSignal } from "@preact/signals";
import type { Health } from "../../../domain/health.ts";
import { call } from "../api.ts";
import { type ArmPair, isJudgeable, pairKey, pointerTo } from "../evidence/shown-arm.ts";
import { when } from "../format.ts";
import { moment } from "../live/ticks.ts";
import { asFailed, useLoaded, useSubmission } from "../loaded.ts";
import { JudgeField } from "../part/model-field.tsx";
import { Notice } from "../part/notice.tsx";
import { Refused } from "../part/show.tsx";
import { type AskedJudging, askedJudgings } from "../preferences.ts";
import { address, leadOn, toSession } from "../routes.ts";
import { verdictsOn } from "../verdict/comparison.ts";

interface JudgingProps {
  readonly pair: ArmPair;
  /** Verdicts on the pair. */
  readonly known: number;
}

const keyOfPair = ([a, b]: ArmPair): string => pairKey(pointerTo(a), pointerTo(b));

/** A judging of the pair was asked for, perhaps before the page was loaded again, and gave no verdict yet. */
export function isAwaited([a, b]: ArmPair): boolean {
  const asked = askedJudgings.value[keyOfPair([a, b])];
  return asked?.verdicts === verdictsOn(a.session, pointerTo(a), pointerTo(b)).length;
}

function remember(key: string, asked: AskedJudging | null): void {
  const { [key]: _, ...others } = askedJudgings.peek();
  askedJudgings.value = asked ? { ...others, [key]: asked } : others;
}

/** The form for a new verdict, unless the pair cannot be judged or is being judged. */
export function Judging({ pair, known }: JudgingProps) {
  const key = keyOfPair(pair);
  const judge = useSignal(askedJudgings.peek()[key]?.judge_model ?? "");
  const { busy, failure, onSubmit } = useJudging(pair, known, () => judge.value.trim());
  const lost = pair.find((shown) => !isJudgeable(shown));
  if (lost)
    return (
      <Notice tone="warn" title={`${lost.name} cannot be judged`}>
        <p>Its run ended before what it left was looked at.</p>
      </Notice>
    );
  const asked = askedJudgings.value[key];
  if (asked && isAwaited(pair) && !busy.value) return <Awaited asked={asked} askAgain={() => remember(key, null)} />;
  return (
    <form onSubmit={onSubmit}>
      <div class="fields">
        <JudgeField model={judge} usual={pair[0].session.definition.rubric.judge.model} caller="here" />
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? "Judging …" : "Judge"}
        </button>
      </div>
      <p class="small-print" role="status">
        {busy.value
          ? "Both orders are being judged; this takes as long as the judge does."
          : "Spends the judge's tokens only; the arms do not run again."}
      </p>
      {failure.value && <Refused error={failure.value} />}
    </form>
  );
}

/** Judges two stored arms again and goes to the new verdict. */
function useJudging(pair: ArmPair, known: number, judgeModel: () => string) {
  const key = keyOfPair(pair);
  const { busy, failure, onSubmit } = useSubmission(async () => {
    const judge_model = judgeModel();
    const from = address.peek();
    remember(key, { verdicts: known, asked_at: moment(), judge_model });
    try {
      const pointers = { arm_a: pointerTo(pair[0]), arm_b: pointerTo(pair[1]) };
      const verdict = await call("POST /api/verdicts", { ...pointers, ...(judge_model && { judge_model }) });
      remember(key, null);
      leadOn(from, toSession(verdict.arm_a.session_id, verdict.verdict_id));
    } catch (error) {
      // A request without an answer may have been accepted.
      if (asFailed(error).code !== "unreachable") remember(key, null);
      throw error;
    }
  });
  return { busy, failure, onSubmit };
}

/** By this browser's clock. */
const startOf = ({ uptime_ms }: Health): number => moment() - uptime_ms;

/** Keeps a reader from paying twice for one judging. A server that was restarted does not know of it. */
function Awaited({ asked, askAgain }: { asked: AskedJudging; askAgain: () => void }) {
  // When, not for how long: the answer grows old while the page waits.
  const started = useLoaded("started", async (signal) => startOf(await call("GET /api/health", {}, signal))).value;
  const lost = started.state === "ready" && started.value > asked.asked_at;
  return (
    <div role="status">
      {lost ? (
        <Notice tone="warn" title="The judging of these two was lost">
          <p>
            It was asked for {when(new Date(asked.asked_at).toISOString())}, and the server was started anew since. What
            the judge had answered until then is spent.
          </p>
          <button type="button" onClick={askAgain}>
            Judge them anew
          </button>
        </Notice>
      ) : (
        <Notice tone="note" title="A judging of these two was asked for">
          <p>The comparison of these two shows its verdict when it is there. Asking once more is paid once more.</p>
          <button type="button" class="quiet" onClick={askAgain}>
            Ask once more
          </button>
        </Notice>
      )}
    </div>
  );
}
