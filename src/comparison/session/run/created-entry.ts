import { idTime, type SessionOutcome, type TrialPlace } from "../../../domain/session.ts";
import type { CreatedEntry } from "../../../domain/session-entry.ts";
import { demandFree } from "../../../store/request-keys.ts";
import type { SessionPlan } from "../../planning/prepare-session.ts";
import type { SessionServices } from "../../planning/services.ts";
import { pendingArm } from "../pending-arm.ts";
import type { Requester } from "../started-session.ts";

/** A plan, the trial that it is run as, and who asked for it. */
export interface PlannedRun {
  readonly plan: SessionPlan;
  readonly place: TrialPlace | undefined;
  readonly requester: Requester;
}

/**
 * Has `store` begin the log of a queued session under an id that nobody has, and gives what it gave.
 * @param store undefined when the id is taken, or the key
 * @throws KeyHeld when another request with the key was first
 */
export async function createSession<T>(
  services: Pick<SessionServices, "clock" | "version" | "store">,
  asked: PlannedRun,
  store: (entry: CreatedEntry) => Promise<T | undefined>,
): Promise<T> {
  const now = services.clock.now();
  const created_at = now.toISOString();
  // An id that is taken bumps the millisecond.
  for (let time = now.getTime(); ; time += 1) {
    const session_id = sessionId(asked.plan.scenario.name, new Date(time));
    const created = await store(createdEntry(services, asked, { session_id, created_at }));
    if (created !== undefined) return created;
    await demandFree(services.store.request_keys, asked.requester.key);
  }
}

function createdEntry(
  { version }: Pick<SessionServices, "version">,
  { plan, place, requester: { user } }: PlannedRun,
  identity: Pick<SessionOutcome, "session_id" | "created_at">,
): CreatedEntry {
  const { loaded, scenario, options, settings, declared, comparison, evidence_digests } = plan;
  const [first, second] = scenario.arms;
  return {
    type: "created",
    session: {
      ...identity,
      scenario: scenario.name,
      scenario_digest: loaded.digest,
      state: "queued",
      started_at: null,
      finished_at: null,
      request: { model_override: options.model_override ?? null, judge_model: options.judge_model ?? null },
      definition: loaded.definition,
      settings,
      arms: [pendingArm(first), pendingArm(second)],
      verdict: null,
      fairness: { declared: [...declared], observed: [] },
      totals: { tokens_in: null, tokens_out: null, cost_usd: null, wall_ms: null },
      failure: null,
      version,
      comparison,
      evidence_digests,
      ...(place && { trial: place }),
      ...(user !== undefined && { user }),
    },
  };
}

/** `session-<scenario>-<yyyymmddThhmmssmmmZ>`, UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${idTime(at.toISOString())}`;
}
