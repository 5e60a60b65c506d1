import { Failure } from "../domain/failure.ts";
import type { SessionOutcome } from "../domain/session.ts";
import type { ArmPointer } from "../domain/verdict.ts";
import { MAX_VOTES, type Vote, type VoteRequest } from "../domain/vote.ts";
import { breathe } from "../pace.ts";
import { Semaphore } from "../semaphore.ts";
import type { SessionStore } from "../store/store.ts";
import type { SessionServices } from "./services.ts";
import { storedArm, storedSession } from "./stored-arm.ts";
import { storedVerdict } from "./stored-verdict.ts";

/**
 * Keeps what a person says of two arms with the sessions that these ran in. Who votes is not asked.
 * @throws Failure `unknown_session`, `session_not_finished`, `invalid_request` for an unknown verdict or one vote too many,
 * `overloaded` when too many wait
 */
export async function vote(services: Voting, session_id: string, request: VoteRequest): Promise<Vote> {
  const line = lines.get(services.store) ?? new Semaphore(1, MAX_WAITING);
  lines.set(services.store, line);
  if (line.isFull)
    throw new Failure("overloaded", `${MAX_WAITING} votes wait already; try again`, {
      retryable: true,
      details: { retry_after_s: 1 },
    });
  using _place = await line.acquire(NEVER);
  await breathe();
  return await keep(services, session_id, request);
}

type Voting = Pick<SessionServices, "store" | "clock" | "entropy" | "redact">;

/** Votes that wait for others. Each of them reads a session whole, and counts what is there. */
const MAX_WAITING = 200;
const lines = new WeakMap<SessionStore, Semaphore>();
const NEVER = new AbortController().signal;

async function keep(
  services: Voting,
  session_id: string,
  { verdict_id, order, choice, blind, reason, voter }: VoteRequest,
): Promise<Vote> {
  const session = await storedSession(services, session_id);
  const { votes = [] } = session;
  if (votes.length >= MAX_VOTES)
    throw new Failure("invalid_request", `${session_id} holds ${MAX_VOTES} votes; it takes no more`);
  const [arm_a, arm_b] = armsOf(session, verdict_id);
  const created_at = services.clock.now().toISOString();
  const taken: Vote = {
    vote_id: `vote-${created_at.replace(/[-:.]/g, "")}-${services.entropy(4)}`,
    ...{ created_at, arm_a, arm_b, order, choice, blind },
    reason: said(reason, services),
    voter: said(voter, services),
  };
  const session_ids = [...new Set([session_id, arm_a.session_id, arm_b.session_id])];
  await services.store.add(session_ids, { type: "voted", vote: taken });
  return taken;
}

function armsOf(session: SessionOutcome, verdict_id: string | undefined): readonly [ArmPointer, ArmPointer] {
  if (verdict_id !== undefined) {
    const { arm_a, arm_b } = storedVerdict(session, verdict_id);
    return [arm_a, arm_b];
  }
  const { session_id, arms } = session;
  const pointer = ({ arm_id }: { readonly arm_id: string }) => storedArm(session, { session_id, arm_id }).pointer;
  return [pointer(arms[0]), pointer(arms[1])];
}

/** A person may paste what should stay here. */
function said(text: string | undefined, { redact }: Pick<SessionServices, "redact">): string | null {
  const words = text?.trim() ?? "";
  return words === "" ? null : redact(words.toWellFormed());
}
