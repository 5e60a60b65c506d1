import type { Arm } from "../../domain/arm.ts";
import { allInputs } from "../../domain/editable-inputs.ts";
import { everyVerdict } from "../../domain/every-verdict.ts";
import { Failure } from "../../domain/failure.ts";
import { memberName } from "../../domain/member.ts";
import { isScripted } from "../../domain/model-name.ts";
import type { VerdictRequest } from "../../domain/request.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { ownPrompts } from "../../domain/task.ts";
import type { Flag, Verdict } from "../../domain/verdict.ts";
import { holding } from "../../store/request-keys.ts";
import { type Case, newVerdictId } from "../judge/judge.ts";
import { type ChosenJudge, chooseJudge, judgeFlags, judgeModelName } from "../planning/choose-judge.ts";
import { conditionsOf, selfTestKeyOf } from "../planning/comparison.ts";
import { contextFlags } from "../planning/context-flags.ts";
import { demandJudgePrice, withListPrices } from "../planning/cost-limits.ts";
import { reserve } from "../planning/reservation.ts";
import type { SessionServices } from "../planning/services.ts";
import { worstCaseOfJudging } from "../planning/worst-case-cost.ts";
import { applyModelOverride } from "../scenario/declared-differences.ts";
import { comparabilityDigest } from "../scenario/digest.ts";
import type { Requester } from "./started-session.ts";
import { type StoredArm, storedArm, storedSession } from "./stored-arm.ts";
/**
 * A new verdict on two stored arms, without running them again. arm_a's session supplies rubric and reference. It is
 * stored with both sessions; a finished session without a verdict is completed by it.
 * @throws KeyHeld when another request with the requester's key was first; Failure `invalid_request`, `unknown_session`,
 * `unknown_arm`, `scenario_mismatch` (before anything else is looked at), `session_not_finished`, `credentials_missing`,
 * `provider_failed`.
 */
export async function rejudge(
  services: SessionServices,
  request: VerdictRequest,
  signal: AbortSignal,
  { key }: Requester = {},
): Promise<Verdict> {
  const { arm_a, arm_b, judge_model } = request;
  if (arm_a.session_id === arm_b.session_id && arm_a.arm_id === arm_b.arm_id)
    throw new Failure("invalid_request", "arm_a and arm_b are the same arm; name two arms to compare");
  const [sessionA, sessionB] = [
    await storedSession(services, arm_a.session_id),
    await storedSession(services, arm_b.session_id),
  ];
  const [memberA, memberB] = [memberOf(sessionA), memberOf(sessionB)];
  if (memberA !== memberB)
    throw new Failure("scenario_mismatch", `arms of different scenarios cannot be compared: ${memberA} and ${memberB}`);
  const [a, b] = [storedArm(sessionA, arm_a), storedArm(sessionB, arm_b)];
  const { definition } = sessionA;
  const asked = judgeModelName(services, judge_model, definition.rubric.judge.model);
  const prices = await withListPrices(services, definition, asked);
  const chosen = chooseJudge({ ...services, prices }, judge_model, definition);
  const kase = caseOf(a, b, chosen.judge_model);
  const record = await judgeFlags(services.store, selfTestKeyOf(conditionsOf(definition, chosen.judge_model)));
  const session_ids = [...new Set([arm_a.session_id, arm_b.session_id])];
  const verdict_id = newVerdictId(services.clock.now().toISOString(), services.entropy);
  return await holding(services.store.request_keys, key, {
    id: verdict_id,
    async work() {
      const flags = [...kase.flags, ...record];
      const verdict = await judged(services, chosen, { ...kase, flags, verdict_id }, signal);
      await services.store.add(session_ids, { type: "judged", verdict });
      return verdict;
    },
  });
}

/** The verdict that an earlier request asked for. @throws Failure `session_not_finished` while it is not there */
export async function rejudgedBefore(
  services: SessionServices,
  { arm_a }: VerdictRequest,
  verdict_id: string,
): Promise<Verdict> {
  const session = await storedSession(services, arm_a.session_id);
  const verdict = everyVerdict(session).find((each) => each.verdict_id === verdict_id);
  if (verdict) return verdict;
  throw new Failure(
    "session_not_finished",
    `${verdict_id}, which was requested with this key, does not exist yet: ask again; if it never comes, its server has stopped, and only a new key asks the judge again`,
    { retryable: true, details: { retry_after_s: 5 } },
  );
}

const memberOf = ({ scenario, input }: SessionOutcome) => memberName({ scenario, input: input?.id });

/** @throws Failure as the judge does, `overloaded` when it could cost more than the day has left, `invalid_request` without a price. */
async function judged(
  services: SessionServices,
  { judge, price, prices, spent_usd }: ChosenJudge,
  kase: Case,
  signal: AbortSignal,
): Promise<Verdict> {
  if (services.max_cost_per_day_usd !== undefined)
    demandJudgePrice({ limit: "--max-cost-per-day", judge_prices: prices });
  const reservation = await reserve(services, "rejudge", worstCaseOfJudging(kase, price));
  try {
    return await judge(kase, signal);
  } finally {
    await reservation.settle(spent_usd());
  }
}

function caseOf(a: StoredArm, b: StoredArm, judge_model: string): Case {
  const { scenario, scenario_digest, definition } = a.session;
  const { task, policies, rubric } = definition;
  const kind = a.session.session_id === b.session.session_id ? "rejudge" : "cross_session";
  const flags = flagsOf(a, b, judge_model);
  // Arms may come of different rows.
  const input = definition.input?.id === b.session.definition.input?.id ? definition.input?.id : undefined;
  const prompts = ownPrompts([asRun(a), asRun(b)]);
  return { scenario, input, scenario_digest, kind, task, prompts, policies, rubric, a, b, flags, ...checkoutOf(a, b) };
}

/** What was so when the arms ran stays so whoever judges. */
function checkoutOf(a: StoredArm, b: StoredArm): Pick<Case, "inputs_from_checkout"> {
  const sessions = [...new Set([a.session, b.session])];
  const inputs = allInputs(sessions.map(({ settings }) => settings.inputs_from_checkout));
  return inputs ? { inputs_from_checkout: inputs } : {};
}

function flagsOf(a: StoredArm, b: StoredArm, judge_model: string): Flag[] {
  const flags: Flag[] = [];
  if (comparabilityDigest(a.session.definition) !== comparabilityDigest(b.session.definition))
    flags.push("scenario_drift");
  if (a.session.verdict !== null || b.session.verdict !== null) flags.push("exploratory_rejudge");
  return [...flags, ...replayFlags(a, b), ...contextFlags([asRun(a), asRun(b)], a.session.definition, judge_model)];
}

/** What one took from a recording in no time, the other waited and paid for. A scripted arm does neither. */
function replayFlags(a: StoredArm, b: StoredArm): Flag[] {
  const isReplayed = ({ session, summary }: StoredArm) => session.settings.replayed?.includes(summary.arm_id) === true;
  if (!isReplayed(a) && !isReplayed(b)) return [];
  const isLive = (arm: StoredArm) => !isReplayed(arm) && !isScripted(arm.summary.model);
  return isLive(a) || isLive(b) ? ["replayed", "replayed_and_live"] : ["replayed"];
}

/** The arm's definition with the model and the price that it really ran with. */
function asRun({ session, summary }: StoredArm): Arm {
  const { definition, request } = session;
  const { arms } =
    request.model_override === null ? definition : applyModelOverride(definition, request.model_override);
  const arm = arms[0].id === summary.arm_id ? arms[0] : arms[1];
  const price = session.settings.prices?.arms[arm.id];
  return price === undefined ? arm : { ...arm, price_per_mtok: price };
}
