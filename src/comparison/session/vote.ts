import { Failure } from "../../domain/failure.ts";
import { idTime, type SessionOutcome } from "../../domain/session.ts";
import type { ArmPointer } from "../../domain/verdict.ts";
import { MAX_VOTES, type Vote, type VoteRequest } from "../../domain/vote.ts";
import { breathe } from "../../runtime/pace.ts";
import { Semaphore } from "../../runtime/semaphore.ts";
import { checkedFold } from "../../store/read-session.ts";
import type { SessionStore } from "../../store/store.ts";
import type { SessionServices } from "../planning/services.ts";
import { storedArm, storedVerdict, unknownSession } from "./stored-arm.ts";
/**
 * Keeps what a person says of two arms with the sessions that these ran in. Who votes is not asked.
 * @throws Failure `unknown_session`, `session_not_finished`, `invalid_request` for an unknown verdict or one vote too many,
 * `overloaded` when too many wait
 */
export async function vote(services: Voting, session_id: string, request: VoteRequest): Promise<Vote> {
  const booth = booths.get(services.store) ?? { line: new Semaphore(1, MAX_WAITING), known: undefined };
  booths.set(services.store, booth);
  if (booth.line.isFull)
    throw new Failure("overloaded", `${MAX_WAITING} votes wait already; try again`, {
      retryable: true,
      details: { retry_after_s: 1 },
    });
  using _place = await booth.line.acquire(NEVER);
  await breathe();
  booth.known = await voted(services.store, session_id, { request, known: booth.known });
  return await keep(services, booth.known, request);
}

type Voting = Pick<SessionServices, "store" | "clock" | "entropy" | "redact">;

/** Votes that wait for others. */
const MAX_WAITING = 200;
const NEVER = new AbortController().signal;

/** Where votes are taken one after another. */
interface Booth {
  readonly line: Semaphore;
  known: Voted | undefined;
}

const booths = new WeakMap<SessionStore, Booth>();

/** What votes need of the session that was voted on last. */
interface Voted {
  readonly session_id: string;
  /** Number of the last entry of its log that was read. */
  readonly n: number;
  readonly votes: number;
  readonly verdict_id: string | undefined;
  readonly arms: readonly [ArmPointer, ArmPointer];
}

interface Asked {
  readonly request: Pick<VoteRequest, "verdict_id">;
  readonly known: Voted | undefined;
}

/** Reads only the newer votes of a session that is voted on again: the whole session may have megabytes. */
async function voted(
  store: SessionStore,
  session_id: string,
  { request: { verdict_id }, known }: Asked,
): Promise<Voted> {
  if (known?.session_id === session_id && known.verdict_id === verdict_id) {
    const since = await store.read(session_id, known.n);
    if (since.every(({ entry }) => entry.type === "voted"))
      return { ...known, n: since.at(-1)?.n ?? known.n, votes: known.votes + since.length };
  }
  const log = await store.read(session_id);
  const session = checkedFold(log);
  if (session === undefined) throw unknownSession(session_id);
  const { votes = [] } = session;
  const arms = armsOf(session, verdict_id);
  return { session_id, n: log.at(-1)?.n ?? 0, votes: votes.length, verdict_id, arms };
}

async function keep(
  services: Voting,
  { session_id, votes, arms: [arm_a, arm_b] }: Voted,
  { order, choice, blind, reason, voter }: VoteRequest,
): Promise<Vote> {
  if (votes >= MAX_VOTES)
    throw new Failure("invalid_request", `${session_id} holds ${MAX_VOTES} votes; it takes no more`);
  const created_at = services.clock.now().toISOString();
  const taken: Vote = {
    vote_id: `vote-${idTime(created_at)}-${services.entropy(4)}`,
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
