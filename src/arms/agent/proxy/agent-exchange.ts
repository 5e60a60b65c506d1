import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { BYTES_PER_TOKEN, MAX_OUTPUT_TOKENS } from "../../../domain/defaults.ts";
import { cut } from "../../../domain/excerpt.ts";
import type { Price } from "../../../domain/price-list.ts";
import { costOf, mostCostOf } from "../../../domain/usage.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { collectPassed } from "../../../runtime/collect-garbage.ts";
import { ownTurn } from "../../../runtime/pace.ts";
import type { DecisionLog } from "../../arm/decision-log.ts";
import type { Throttle } from "../../arm/stopwatch.ts";
import type { CallOptions } from "../../model/client.ts";
import { isContextOverflow } from "../../model/failed-try.ts";
import type { Lease, Purse } from "../../model/purse.ts";
import type { ReplyStream } from "../../model/reply-stream.ts";
import type { RefusedRequest, Upstream, UpstreamRequest } from "../../model/upstream.ts";
import { editRequest } from "../../wire/edit-request.ts";
import { openReply } from "../../wire/open-reply.ts";
import { mostOutputOf, readRequest } from "../../wire/read-request.ts";
import type { InSteps } from "../../wire/reply-reader.ts";
import type { AgentLog } from "../log/agent-log.ts";
import type { OpenTurn } from "../log/threads.ts";
import type { AgentRooms } from "./agent-rooms.ts";
import { answerAside } from "./answer-aside.ts";
import { Conversations, type KeepReply, ReplyFinder } from "./conversations.ts";
import { concealed, passedHeaders, passRefusal } from "./passed.ts";
import { type AgentRequest, type AnswerAgent, refuse } from "./provider-proxy.ts";

interface ExchangeParts {
  readonly upstream: Upstream;
  readonly log: AgentLog;
  readonly decisions: Pick<DecisionLog, "retry">;
  /** Behind a closed network the provider does nothing for the agent either. */
  readonly without_provider_tools: boolean;
  readonly throttle: Throttle;
  readonly clock: Clock;
  readonly redact: (text: string) => string;
  /** What pays for each call besides the arm's own budget; absent: nothing does. */
  readonly purse: Purse | undefined;
  /** What the arm's own model costs; null: nothing, or nobody knows. */
  readonly price: Price | null;
  readonly rooms: Pick<AgentRooms, "replies" | "kept">;
}

/** Answers an agent's requests with what the provider says to them. */
export function agentExchange(parts: ExchangeParts): AnswerAgent {
  const conversations = new Conversations(parts.rooms.kept);
  return async (asked, response) => {
    const { route, body, bytes } = asked;
    if (route.kind === "stored") return parts.log.unsupported(`${asked.method} ${route.path}`);
    if (route.wire !== "responses" || body === null) return await answerWhole(parts, asked, response);
    await ownTurn();
    const whole = await conversations.whole(body, asked.grow);
    if ("unknown" in whole) return parts.log.unsupported(whole.unknown);
    if ("refused" in whole) {
      parts.log.told.refused(whole.refused.message);
      return refuse(response, route.wire, whole.refused);
    }
    const request = { ...asked, body: whole.body, bytes: bytes + whole.added_bytes };
    await answerWhole(parts, request, response, whole.keep);
  };
}

async function answerWhole(
  parts: Omit<TurnParts, "keep">,
  request: AgentRequest,
  response: ServerResponse,
  keep?: KeepReply,
): Promise<void> {
  await collectPassed(request.bytes);
  if (request.route.kind !== "reply") return await answerAside(parts, request, response);
  await new TurnExchange({ ...parts, keep }, request, response).answer();
}

interface TurnParts extends ExchangeParts {
  /** Takes in a reply that came to its end. */
  readonly keep: KeepReply | undefined;
}

/** One turn: a request of the agent and its reply. */
class TurnExchange {
  readonly #parts: TurnParts;
  readonly #request: AgentRequest;
  readonly #response: ServerResponse;
  /** Milliseconds lost to failed tries. */
  #lost_ms = 0;
  /** The provider has it, and has not refused it. */
  #isSent = false;
  #lease: Lease | undefined;
  /** Another try is waited for since then, in monotonic milliseconds. */
  #waits_since: number | undefined;

  constructor(parts: TurnParts, request: AgentRequest, response: ServerResponse) {
    this.#parts = parts;
    this.#request = request;
    this.#response = response;
  }

  async answer(): Promise<void> {
    const { log, without_provider_tools, upstream } = this.#parts;
    const { wire } = this.#request.route;
    const { path, bytes } = this.#request;
    const body = this.#request.body ?? {};
    await ownTurn();
    const request = readRequest(wire, path, body);
    await ownTurn();
    const turn = await log.asked(request, bytes, this.#request.signal);
    // The agent is killed while it waits, so that nothing more of it is on its way.
    if (turn === null) return;
    await ownTurn();
    const edited = editRequest(wire, path, body, { model: turn.model, without_provider_tools });
    log.told.filtered(edited.removed);
    if (edited.unsupported !== null) return log.unsupported(edited.unsupported);
    if (edited.refused !== null) {
      log.refused(turn, edited.refused, false);
      return refuse(this.#response, wire, { status: 400, message: edited.refused });
    }
    await ownTurn();
    const sent = { ...this.#sent(edited), aside: turn.side };
    const take = {
      reply: (reply: ReplyStream) => this.#pass(turn, edited.hide_usage, reply),
      refused: (refusal: RefusedRequest) => this.#refused(turn, refusal),
    };
    await this.#orFailed(turn, async () => {
      await this.#pay(turn, edited.body);
      await upstream.send(sent, take, this.#options());
    });
  }

  #sent({ path, body }: { readonly path: string; readonly body: object }): Omit<UpstreamRequest, "aside"> {
    const { method, headers } = this.#request;
    return { method, path, headers, body: JSON.stringify(body) };
  }

  /** An agent that does not say how much a reply may hold is taken to ask for as much as our own loop does. */
  async #pay(turn: OpenTurn, body: object): Promise<void> {
    const { purse, throttle } = this.#parts;
    if (purse === undefined) return;
    const tokens_in = Math.ceil(turn.sent_bytes / BYTES_PER_TOKEN);
    const tokens_out = mostOutputOf(this.#request.route.wire, body) ?? MAX_OUTPUT_TOKENS;
    const usd = mostCostOf(this.#priceOf(turn), { tokens_in, tokens_out }) ?? 0;
    const began = this.#parts.clock.ticks();
    this.#lease = await purse.take(usd, { signal: this.#request.signal, asker: throttle });
    this.#lost_ms += this.#parts.clock.ticks() - began;
  }

  #priceOf({ other }: OpenTurn): Price | null {
    return other ? other.price : this.#parts.price;
  }

  async #orFailed(turn: OpenTurn, send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      this.#endWait();
      if (this.#request.signal.aborted) this.#parts.log.unheard(turn, this.#isSent);
      else this.#parts.log.failed(error);
      // What nobody waited for is paid all the same.
      if (this.#isSent) this.#lease?.settle(null);
    } finally {
      this.#lease?.settle(0);
    }
  }

  async #refused(turn: OpenTurn, refusal: RefusedRequest): Promise<void> {
    const { status, words } = refusal;
    const said = cut(this.#parts.redact(words).replaceAll(/\s+/g, " "), REFUSAL_CHARS);
    this.#parts.log.refused(
      turn,
      `the provider refused a request (${status}): ${said}`,
      isContextOverflow({ kind: "status", status, words }),
    );
    passRefusal(refusal, this.#response, this.#parts.upstream);
  }

  #options(): CallOptions {
    const { throttle, decisions, clock } = this.#parts;
    return {
      signal: this.#request.signal,
      asker: throttle,
      onPlaced: (waited_ms) => {
        this.#lost_ms += waited_ms;
        this.#isSent = true;
      },
      onFailedTry: () => {
        this.#isSent = false;
        this.#waits_since = clock.ticks();
        throttle.begin();
      },
      onRetry: (retry) => {
        this.#endWait(retry.waited_ms);
        this.#isSent = true;
        this.#lost_ms += retry.waited_ms;
        decisions.retry(retry);
      },
    };
  }

  /** The agent's time goes on, also where it did not wait for the next try. */
  #endWait(lost_ms?: number): void {
    const { throttle, clock } = this.#parts;
    if (this.#waits_since === undefined) return;
    throttle.end(lost_ms ?? clock.ticks() - this.#waits_since);
    this.#waits_since = undefined;
  }

  /** Hands a reply on as it comes, until the arm ends. It is read to its end all the same, so that its cost is known. */
  async #pass(
    turn: OpenTurn,
    hide_usage: boolean,
    { status, headers, chunks, recorded_ms }: ReplyStream,
  ): Promise<void> {
    const { log, clock, upstream, keep, rooms } = this.#parts;
    const { route, signal } = this.#request;
    const response = this.#response;
    const finder = keep && new ReplyFinder(keep);
    const reader = openReply(route.wire, {
      content_type: headers.get("content-type") ?? "",
      gate: (call) => log.calls.decide(turn, call),
      ...{ hide_usage, room: rooms.replies },
    });
    const send = async (bytes: Uint8Array) => {
      if (bytes.byteLength === 0 || turn.spent || log.stopped || response.destroyed) return;
      if (finder) await inTurns(finder.push(bytes), send);
      if (bytes.byteLength > STEP_BYTES) await ownTurn();
      if (!response.headersSent) response.writeHead(status, passedHeaders(headers, upstream));
      if (!response.write(concealed(bytes, upstream))) await once(response, "drain", { signal });
    };
    let broken = false;
    try {
      for await (const piece of inPieces(chunks)) await inTurns(reader.push(piece), send);
    } catch {
      broken = true;
    }
    await ownTurn();
    const late: Uint8Array[] = [];
    const reply = await inTurns(reader.end(), async (bytes) => void late.push(bytes));
    await ownTurn();
    const took = clock.ticks() - turn.began_ticks - this.#lost_ms;
    this.#lease?.settle(costOf(this.#priceOf(turn), reply));
    log.replied(turn, reply, recorded_ms ?? Math.max(0, took));
    if (turn.spent || log.stopped) return;
    for (const bytes of late) await send(bytes);
    await inTurns(reader.rest(), send);
    // An agent must see that a reply broke off, and then it asks again.
    if (broken) response.destroy();
    else if (reply.ended === "cut" && reply.error !== null && !response.headersSent)
      refuse(response, route.wire, { status: 502, message: reply.error, again: true });
    else response.end();
  }
}

/** Rules for commands take some ten milliseconds for the worst call, and a reply may have a thousand. */
async function inTurns<T>(steps: InSteps<T>, send: (bytes: Uint8Array) => Promise<void>): Promise<T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    await (step.value === undefined ? ownTurn() : send(step.value));
  }
}

/** A piece may hold thousands of events: each is read in a turn of its own, unless it is the only one. */
async function* inPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    await collectPassed(chunk.length);
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      if (at > 0) await ownTurn();
      yield chunk.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** An empty event is one byte, and four thousand of these take some ten milliseconds. */
const PIECE_BYTES = 4 * 1024;

/** The bytes that are searched for keys in a turn with what was done before. */
const STEP_BYTES = 32 * 1024;

/** The characters of a provider's refusal that the log shows. */
const REFUSAL_CHARS = 500;
