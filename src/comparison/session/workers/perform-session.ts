import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Failure, isKilledFromOutside } from "../../../domain/failure.ts";
import type { ArmSummary } from "../../../domain/session.ts";
import type { CreatedEntry, PlannedAnew } from "../../../domain/session-entry.ts";
import { MAX_REPLACEMENTS } from "../../../domain/trial.ts";
import { foldLog, isLog } from "../../../store/read-session.ts";
import { fellSilent, MAX_SILENT } from "../../../store/session-row.ts";
import type { Work, WorkClaim } from "../../../store/shared-store.ts";
import { isFull, type LoggedEntry, type Run } from "../../../store/store.ts";
import type { JudgedArm } from "../../judge/judge.ts";
import { isOfOtherProtocols, NEED_OF_PROTOCOLS, protocolsAmong, seriesRulesAmong } from "../../planning/needs.ts";
import { prepareSession, type SessionPlan } from "../../planning/prepare-session.ts";
import { heldReservation } from "../../planning/reservation.ts";
import { PROCESS_LOST, type SessionServices } from "../../planning/services.ts";
import type { LoadedScenario } from "../../scenario/loaded-scenario.ts";
import { CANCELLED, watchCancel } from "../cancel.ts";
import { conductSession, tellEnd } from "../run/conduct-session.ts";
import { RunLog } from "../run/run-log.ts";
import { asFailure, type Examined } from "../run-session.ts";
import { openMaterials, pricesOf, readBrief, SessionOrder, type Workplace } from "./brief.ts";

/** Attempts that a run may lose. */
const MAX_LOST = 3;

/** Attempts that a run may have in all, those that were handed back included: each may have cost something. */
const MAX_ATTEMPTS = 12;

/**
 * Runs a session that somebody queued: resolves when it has ended, was handed back or was lost. Every write bears its
 * attempt: of two who run it only the later one counts.
 * @throws Failure when the store cannot be reached
 */
export async function performSession(workplace: Workplace, claim: WorkClaim): Promise<void> {
  const { services, shared } = workplace;
  const { id } = claim.work;
  const run = await shared.takeOver(id, services.clock.now().toISOString());
  if (run === undefined) return await claim.done();
  // Otherwise it is taken over only to be ended.
  if (claim.lapsed < MAX_SILENT) services.news?.({ event: "claimed", ...run });
  const stop = new AbortController();
  const entries = await shared.read(id);
  const lost = lostBefore(entries, run);
  if (lost) services.news?.({ event: "lost", ...lost, code: PROCESS_LOST });
  const killed = entries.filter(({ entry }) => entry.type === "released" && entry.killed_from_outside).length;
  const log = new RunLog(shared, services.clock, run, stop, killed < MAX_REPLACEMENTS);
  log.onStep = () => services.runs.stepped(id);
  const abandon = () => {
    services.news?.({ event: "lost", ...run, code: "interrupted" });
    log.abandon(claim.lost.reason);
  };
  claim.lost.addEventListener("abort", abandon, { once: true });
  if (claim.lost.aborted) abandon();
  const signal = AbortSignal.any([stop.signal, claim.lost]);
  using _watched = watchCancel(shared, { session_id: id, after: entries.at(-1)?.n ?? 0 }, stop);
  let back: Promise<void> | undefined;
  const handBack = (reason: Failure) => {
    back ??= log
      .release(reason)
      .then(() => claim.handBack())
      .finally(() => stop.abort(reason));
  };
  const done = conduct({ workplace, claim, log, signal }, entries);
  services.runs.add(id, {
    waits: () => false,
    doing: () => log.doing,
    over: () => log.over,
    // A process that stops leaves the run to others.
    cancel: (reason) => (reason.code === "interrupted" ? handBack(reason) : stop.abort(reason)),
    done,
  });
  try {
    await done;
  } finally {
    services.runs.delete(id);
  }
  if (back) return await back;
  if (!log.abandoned) return await claim.done();
  const event = isKilledFromOutside(log.lost) ? "lost" : "superseded";
  if (!claim.lost.aborted) services.news?.({ event, ...run, code: codeOf(log.lost) });
  if (isFull(log.lost)) await untilReleased(log, claim.lost);
  // An attempt that may not write leaves the session to others, unless it has ended: a promoted standby may not know this attempt.
  await claim.handBack();
}

/** The attempt before, where nobody wrote that it was handed back: its process is gone, or was cut off. */
function lostBefore(entries: readonly LoggedEntry[], { session_id, attempt }: Run): Run | undefined {
  const before = entries.findLast(
    (one) => one.attempt < attempt && (one.entry.type === "attempt_started" || one.entry.type === "released"),
  );
  return before?.entry.type === "attempt_started" ? { session_id, attempt: before.attempt } : undefined;
}

/** A full disk is nobody's fault, so the attempt is not to count as lost. Its place stays taken: nothing else could be stored. */
async function untilReleased(log: RunLog, gone: AbortSignal): Promise<void> {
  while (!gone.aborted && !(await log.release(log.lost)))
    await sleep(FULL_PAUSE_MS, undefined, { signal: gone }).catch(() => undefined);
}

const FULL_PAUSE_MS = 2_000;

const codeOf = (error: unknown) => (error instanceof Failure ? error.code : "internal");

interface Performance {
  readonly workplace: Workplace;
  readonly claim: WorkClaim;
  readonly log: RunLog;
  readonly signal: AbortSignal;
}

/** A run that cannot even begin ends with that. */
async function conduct(performance: Performance, entries: readonly LoggedEntry[]): Promise<void> {
  const { workplace, claim, log, signal } = performance;
  const { services } = workplace;
  try {
    demandGoingOn(entries, claim.lapsed);
    const brief = readBrief(SessionOrder, claim.work);
    const planning = { ...services, prices: pricesOf(brief), max_cost_per_day_usd: undefined };
    const created = createdOf(entries);
    await using loaded = await loadedOf(workplace, created);
    const plan = await planOf(planning, loaded, created, { ...brief, needs: claim.work.needs });
    if (isOfOtherProtocols(claim.work.needs)) log.planned_anew = plannedAnew(services, plan);
    const { trial: place } = created.session;
    const trial = place && workplace.looks.trialAt(place);
    const slot = Promise.resolve(OWN_PLACE);
    const examined = examinedIn(entries);
    await conductSession(
      { plan, trial, log, slot, services: planning, signal, examined },
      heldReservation(services, brief.reservation),
    );
  } catch (error) {
    await log.fail(asFailure(error, services));
    // One that was abandoned has no end, and its database may be away.
    if (log.abandoned || services.news === undefined) return;
    const outcome = foldLog(await workplace.shared.read(log.session_id));
    if (outcome) tellEnd(services, outcome, log.attempt);
  }
}

/** What both arms left, where only their judging was lost: it was paid for, and is not asked for again. */
export function examinedIn(entries: readonly LoggedEntry[]): Examined | undefined {
  const outcome = foldLog(entries);
  if (outcome?.state !== "judging") return undefined;
  const { session_id, decisions } = outcome;
  const armOf = (summary: ArmSummary): JudgedArm => {
    const { arm_id } = summary;
    return { pointer: { session_id, arm_id }, summary, decisions: decisions[arm_id] ?? [] };
  };
  const [first, second] = outcome.arms;
  return [armOf(first), armOf(second)];
}

/** A claim needs no further place: the claimer has counted its own. */
const OWN_PLACE: Disposable = { [Symbol.dispose]: () => undefined };

/** @throws Failure `cancelled`, `interrupted` */
function demandGoingOn(entries: readonly LoggedEntry[], lapsed: number): void {
  if (entries.some(({ entry }) => entry.type === "cancel_asked")) throw CANCELLED;
  if (lapsed >= MAX_SILENT) throw new Failure("interrupted", fellSilent("workers"));
  const marks = entries.flatMap(({ entry: { type } }) =>
    type === "attempt_started" || type === "released" ? type : [],
  );
  const begun = marks.filter((mark) => mark === "attempt_started").length - 1;
  const lost = begun - marks.filter((mark) => mark === "released").length;
  if (lost < MAX_LOST && begun < MAX_ATTEMPTS) return;
  const why =
    lost < MAX_LOST ? `It was begun ${begun} times.` : `${lost} of its attempts lost their worker or their database.`;
  throw new Failure("interrupted", why, { retryable: true });
}

export function createdOf(entries: readonly LoggedEntry[]): CreatedEntry {
  const log = entries.map(({ entry }) => entry);
  if (isLog(log)) return log[0];
  throw new Failure("storage_failed", "the log of this session does not begin as one");
}

/**
 * What another version accepted is planned anew: a run by the protocols of this one, a trial by the rules of its series.
 * @throws Failure as `prepareSession`, `invalid_scenario` where it would compare something else than was asked for
 */
async function planOf(
  services: SessionServices,
  loaded: LoadedScenario,
  { session }: CreatedEntry,
  { options, needs }: Pick<SessionOrder, "options"> & Pick<Work, "needs">,
): Promise<SessionPlan> {
  const rules = session.trial && isOfOtherProtocols(needs) ? seriesRulesAmong(needs) : {};
  const plan = await prepareSession(services, loaded, { ...rules, ...options });
  if (plan.comparison === session.comparison) return plan;
  const isSameWork = isDeepStrictEqual(plan.evidence_digests, session.evidence_digests);
  if (isSameWork && !session.trial && isOfOtherProtocols(needs)) return plan;
  throw new Failure(
    "invalid_scenario",
    isSameWork
      ? "this version of abeval would not judge it as its series was begun: start a new series"
      : "this worker would not compare what was requested: its sandbox or an install of an arm differs",
  );
}

const plannedAnew = ({ version }: Pick<SessionServices, "version">, { comparison }: SessionPlan): PlannedAnew => ({
  version,
  protocols: protocolsAmong([NEED_OF_PROTOCOLS]).join(),
  comparison,
});

async function loadedOf(workplace: Workplace, { session }: CreatedEntry): Promise<LoadedScenario & AsyncDisposable> {
  const { definition, scenario_digest: digest, scenario: file } = session;
  return await openMaterials(workplace, { definition, digest, file });
}
