import type { Fetch } from "../model/provider-call.ts";
import { QUOTA_WAIT_MS } from "../model/provider-reply.ts";
import type { Recording } from "../model/recording.ts";
import { ReplayedReply } from "../model/replayed-reply.ts";
import type { Exchange } from "./lines.ts";
import { type Asked, readAsked } from "./matching/asked.ts";
import { mismatch } from "./matching/mismatch.ts";
import { NearExchanges } from "./matching/near.ts";
import type { Normalise } from "./matching/normalise.ts";
import type { RecordedFile } from "./read-recording.ts";

interface ReplayerOptions {
  readonly normalise: Normalise;
  /** The version of the running abeval. */
  readonly version: string;
}

/** Answers from a recording, each exchange once. The network is never asked. */
export class Replayer implements Recording {
  readonly replayed = true;
  readonly #recording: RecordedFile;
  readonly #options: ReplayerOptions;
  /** What was recorded first of equal requests is played first; the order of others does not matter. */
  readonly #last_first: Map<string, Exchange[]>;
  readonly #played = new Set<Exchange>();
  readonly #near: NearExchanges;
  #asked = 0;
  /** A request came that was not recorded. */
  missed = false;

  constructor(recording: RecordedFile, options: ReplayerOptions) {
    this.#recording = recording;
    this.#options = options;
    this.#last_first = Map.groupBy(recording.exchanges.toReversed(), ({ key }) => key);
    this.#near = new NearExchanges(recording);
  }

  /** Exchanges that nobody asked for yet. */
  get rest(): number {
    return this.#unplayed.length;
  }

  fetch(): Fetch {
    return async (input, init) => {
      this.#asked += 1;
      const n = this.#asked;
      const { asked } = await readAsked(input, init, this.#options.normalise);
      init?.signal?.throwIfAborted();
      const exchange = await this.#take(asked);
      if (exchange) return replyOf(exchange);
      this.missed = true;
      const { version } = this.#options;
      throw await mismatch({ asked, n, recording: this.#recording, left: this.#unplayed, version });
    };
  }

  async #take(asked: Asked): Promise<Exchange | undefined> {
    const exchange = this.#takeEqual(asked) ?? (await this.#takeNear(asked));
    if (exchange || !isRepeatable(asked)) return exchange;
    return this.#recording.exchanges.findLast(({ key }) => key === asked.key);
  }

  #takeEqual({ key }: Asked): Exchange | undefined {
    const equal = this.#last_first.get(key) ?? [];
    while (equal.length > 0) {
      const exchange = equal.pop();
      if (exchange === undefined || this.#played.has(exchange)) continue;
      this.#played.add(exchange);
      return exchange;
    }
    return undefined;
  }

  async #takeNear(asked: Asked): Promise<Exchange | undefined> {
    if (isRepeatable(asked)) return undefined;
    const near = await this.#near.find(asked, (one) => !this.#played.has(one));
    if (near) this.#played.add(near);
    return near;
  }

  get #unplayed(): readonly Exchange[] {
    return this.#recording.exchanges.filter((one) => !isRepeatable(one) && !this.#played.has(one));
  }
}

/** Whether nothing depends on how often it is asked: what has no conversation, and counts of tokens. */
const isRepeatable = ({ method, path }: Pick<Asked, "method" | "path">): boolean =>
  method !== "POST" || /[/:]count_?tokens$/i.test(path);

/** A replay does not wait. A recorded wait that was too long for another try stays too long. */
function replyOf({ status, type, ms, retry_after_ms = 0, should_retry, body }: Exchange): ReplayedReply {
  const waits = status === 429 && retry_after_ms > QUOTA_WAIT_MS;
  const headers = {
    ...(type !== "" && { "content-type": type }),
    ...(status >= 300 && { "retry-after-ms": String(waits ? retry_after_ms : 1) }),
    ...(should_retry && { "x-should-retry": should_retry }),
  };
  const isEmpty = BODILESS.has(status);
  return new ReplayedReply(isEmpty ? null : body, { status, headers, took_ms: ms });
}

/** Statuses with which no Response may have a body. */
export const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
