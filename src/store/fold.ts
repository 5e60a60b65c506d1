import { sumTotals } from "../domain/at-least.ts";
import type { Decision } from "../domain/decision.ts";
import { Failure } from "../domain/failure.ts";
import type { Price } from "../domain/price-list.ts";
import { type ArmSummary, isFinal, type LostAttempt, type SessionOutcome } from "../domain/session.ts";
import {
  type AttemptStartedEntry,
  type CreatedEntry,
  type EndedEntry,
  type ReleasedEntry,
  type SessionEntry,
  type SessionLog,
  type StageEntry,
  unknownKind,
} from "../domain/session-entry.ts";
import { usageOfDecisions } from "../domain/usage.ts";
import type { Verdict } from "../domain/verdict.ts";
import { gateOfVerdict } from "../domain/verdict-gate.ts";

/**
 * What a log says of its session: the one place that knows how an outcome is made. Every beginning of a log is a valid
 * outcome, since that is what a killed process leaves. What an arm used is counted from its decisions until its end is
 * in the log.
 */
export function fold([created, ...entries]: SessionLog): SessionOutcome {
  demandKnown(entries);
  // Only the last attempt of a run counts; what others asked for stays.
  const start = lastBeginning(entries);
  const lost_attempts = lostAttempts(created, entries.slice(0, start));
  // Grows in place: a session may be judged again any number of times.
  const verdicts = entries.slice(0, start).flatMap(askedLater);
  let rejudged = verdicts.find(isRejudge);
  let state: State = { ...created.session, ...inputIn(created), verdicts };
  const decisions: Record<string, Decision[]> = Object.fromEntries(state.arms.map(({ arm_id }) => [arm_id, []]));
  let counted = state.arms.filter(isUnfinished).map(({ arm_id }) => arm_id);
  for (const entry of entries.slice(start)) {
    if (entry.type === "decision") decisions[entry.arm_id]?.push(entry.decision);
    counted = counted.filter((arm_id) => arm_id !== stoppedArm(entry));
    const asked = askedLater(entry);
    verdicts.push(...asked);
    rejudged ??= asked.find(isRejudge);
    // A trial is judged twice when the first judging gave nothing.
    if (entry.type === "judged" && entry.verdict.kind === "run" && state.verdict) verdicts.push(state.verdict);
    state = after(state, entry, rejudged);
  }
  const arms = eachArm(state, (arm) =>
    counted.includes(arm.arm_id) ? { ...arm, ...usageOf(state, arm.arm_id, decisions) } : arm,
  );
  const votes = entries.flatMap((entry) => (entry.type === "voted" ? [entry.vote] : []));
  const outcome: SessionOutcome = {
    ...{ ...state, arms, decisions },
    ...gated(state, verdicts),
    ...(votes.length > 0 && { votes }),
    ...(lost_attempts.length > 0 && { lost_attempts }),
  };
  const changed = entries.some(({ type }) => type === "ended" || type === "judged");
  return changed && isFinal(outcome.state) ? { ...outcome, totals: sumTotals(outcome) } : outcome;
}

/** Refuses entries of a newer version: folding them would lose them. @throws Failure `newer_version` */
export function demandKnown(entries: readonly SessionEntry[]): void {
  const unknown = unknownKind(entries);
  if (unknown === undefined) return;
  const kind = JSON.stringify(unknown.slice(0, KIND_CHARS));
  throw new Failure("newer_version", `this session has an entry ${kind} of a newer version of abeval: use that one`);
}

const KIND_CHARS = 100;

type State = Omit<SessionOutcome, "decisions">;

/** Stored once, in the definition. */
function inputIn({ session }: CreatedEntry): Pick<State, "input"> {
  const { input } = session.definition;
  return input ? { input } : {};
}

/** Verdicts of earlier versions were stored without a gate, or with one that a single run opened unasked. */
function gated({ verdict, request }: State, verdicts: readonly Verdict[]): Pick<State, "verdict" | "verdicts"> {
  const withGate = (one: Verdict): Verdict => ({
    ...one,
    ...gateOfVerdict({ ...one, kin_of: one.judge.kin_of }, request.single === true && one.kind === "run"),
  });
  return { verdict: verdict && withGate(verdict), verdicts: verdicts.map(withGate) };
}

/**
 * Where the attempt that counts begins, as a position in `entries`. One that was lost while the judge was at work is gone on
 * with: what both arms left is in the log.
 */
export function lastBeginning(entries: readonly SessionEntry[]): number {
  const judging = entries.findIndex((entry) => entry.type === "stage" && entry.stage === "judging");
  const before = judging === -1 ? entries : entries.slice(0, judging);
  return before.findLastIndex(beginsAnew) + 1;
}

const beginsAnew = (entry: SessionEntry): entry is AttemptStartedEntry | ReleasedEntry =>
  entry.type === "attempt_started" || entry.type === "released";

/** What the attempts used that `entries` begin, each ended by the next beginning. One that did nothing is none. */
function lostAttempts(created: CreatedEntry, entries: readonly SessionEntry[]): LostAttempt[] {
  const lost: LostAttempt[] = [];
  let own: SessionEntry[] = [];
  for (const entry of entries) {
    if (!beginsAnew(entry)) {
      own.push(entry);
      continue;
    }
    const attempt = fold([created, ...own]);
    own = [];
    if (attempt.started_at === null) continue;
    const { tokens_in, tokens_out, cost_usd } = sumTotals(attempt);
    const killed = entry.type === "released" && entry.killed_from_outside && { killed_from_outside: true as const };
    const gone = entry.type === "attempt_started" && { process_lost: true as const };
    lost.push({
      started_at: attempt.started_at,
      lost_at: entry.at,
      tokens_in,
      tokens_out,
      cost_usd,
      ...killed,
      ...gone,
    });
  }
  return lost;
}

/** Its use is known, so that its decisions need not be counted. */
const stoppedArm = (entry: SessionEntry) =>
  entry.type === "arm_ended" || entry.type === "arm_shared" ? entry.arm_id : undefined;

const askedLater = (entry: SessionEntry): readonly Verdict[] =>
  entry.type === "judged" && entry.verdict.kind !== "run" ? [entry.verdict] : [];

const isRejudge = ({ kind }: Verdict) => kind === "rejudge";

const isUnfinished = ({ status }: ArmSummary) => status === "pending" || status === "running";

function eachArm({ arms: [first, second] }: State, change: (arm: ArmSummary) => ArmSummary): State["arms"] {
  return [change(first), change(second)];
}

function after(state: State, entry: SessionEntry, rejudged: Verdict | undefined): State {
  switch (entry.type) {
    case "stage": {
      const started_at = state.started_at ?? entry.at;
      const arms = entry.stage === "running" ? eachArm(state, (arm) => ({ ...arm, status: "running" })) : state.arms;
      return { ...state, state: entry.stage, started_at, arms, ...anewIn(entry) };
    }
    case "arm_ended":
    case "examined": {
      const { arm_id, summary } = entry;
      return { ...state, arms: eachArm(state, (arm) => (arm.arm_id === arm_id ? { ...arm, ...summary } : arm)) };
    }
    case "arm_shared": {
      const { arm_id, summary, from } = entry;
      const shown = { ...summary, shared: from };
      return { ...state, arms: eachArm(state, (arm) => (arm.arm_id === arm_id ? { ...arm, ...shown } : arm)) };
    }
    case "observed":
      return {
        ...state,
        fairness: {
          ...{ ...state.fairness, observed: [...entry.differences] },
          ...(entry.apart && { apart: entry.apart }),
        },
      };
    case "judged":
      return judged(state, entry.verdict, rejudged);
    case "ended":
      return ended(state, entry, rejudged);
    default:
      return state;
  }
}

function anewIn({ planned_anew }: StageEntry): Pick<State, "version" | "comparison" | "planned_anew"> | undefined {
  if (planned_anew === undefined) return undefined;
  const { version, comparison, protocols } = planned_anew;
  return { version, comparison, planned_anew: protocols };
}

/** A session that ended without a verdict takes the first that its own two arms get later. */
function judged(state: State, verdict: Verdict, rejudged: Verdict | undefined): State {
  if (verdict.kind === "run") return { ...state, verdict };
  return isFinal(state.state) && state.verdict === null ? completedLater(state, rejudged) : state;
}

const completedLater = (state: State, verdict: Verdict | undefined): State =>
  verdict ? { ...state, state: "completed", verdict, failure: null } : state;

/** Also where the run's own judge failed while somebody asked another. */
function ended(state: State, { at, state: final, failure }: EndedEntry, rejudged: Verdict | undefined): State {
  const stop = (arm: ArmSummary): ArmSummary => {
    if (!isUnfinished(arm)) return arm;
    const stop_reason = final === "interrupted" ? "interrupted" : arm.stop_reason;
    return { ...arm, status: "cancelled", stop_reason };
  };
  const end: State = { ...state, state: final, finished_at: at, failure, arms: eachArm(state, stop) };
  return final === "failed" && failure?.stage === "judging" && state.verdict === null
    ? completedLater(end, rejudged)
    : end;
}

const usageOf = (state: State, arm_id: string, decisions: Readonly<Record<string, readonly Decision[]>>) =>
  usageOfDecisions(decisions[arm_id] ?? [], priceOf(state, arm_id));

/** What the arm was counted with; 0.1.6 stored no prices, and an override took those of the scenario. */
function priceOf({ settings, definition, request }: State, arm_id: string): Price | null {
  if (settings.prices !== undefined) return settings.prices.arms[arm_id] ?? null;
  const ofFile = definition.arms.find(({ id }) => id === arm_id)?.price_per_mtok ?? null;
  return request.model_override === null ? ofFile : null;
}
