import { Failure } from "../../domain/failure.ts";
import { Pace } from "../../runtime/pace.ts";
import { type Fetch, type Recording, ReplayedReply } from "../model/provider-call.ts";
import { QUOTA_WAIT_MS } from "../model/provider-reply.ts";
import type { Exchange } from "./lines.ts";
import { type Asked, readAsked } from "./matching/asked.ts";
import { NearExchanges } from "./matching/near.ts";
import type { Normalise } from "./matching/normalise.ts";
import type { RecordedFile } from "./read-recording.ts";
import { nameOf } from "./roles.ts";

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

interface Miss {
  readonly asked: Asked;
  /** Number of the request in this replay, from 1. */
  readonly n: number;
  readonly recording: RecordedFile;
  /** Not played yet. */
  readonly left: readonly Exchange[];
  readonly version: string;
}

/** Names the place in which a request differs from the recording that it is most like. The event loop runs while it is looked for. */
async function mismatch(miss: Miss): Promise<Failure> {
  const { n, recording, version } = miss;
  const { abeval, of } = recording.header;
  const other = abeval === version ? "" : `\n  recorded by abeval ${abeval}, and this is ${version}`;
  return new Failure(
    "replay_mismatch",
    `request ${n} of ${nameOf(of)} ${await differing(miss)}${other}\n  ${recording.name}: ${ADVICE}`,
    { details: { recording: of, request: n } },
  );
}

const ADVICE = "record it again, or name what varies by chance in `replay.ignore` of the scenario";

async function differing({ asked, recording, left }: Miss): Promise<string> {
  if (recording.exchanges.length === 0) return "is not recorded: the recording holds no request";
  if (recording.exchanges.some(({ key }) => key === asked.key)) return "is asked more often than it was recorded";
  const nearest = (await nearestOf(asked, left)) ?? (await nearestOf(asked, recording.exchanges));
  if (nearest === undefined) return `is not recorded: nothing was asked of ${asked.method} ${asked.path}`;
  return `differs from the recording at ${difference(asked, nearest, recording)}`;
}

/** The first of those that share most parts with it. */
async function nearestOf(asked: Asked, exchanges: readonly Exchange[]): Promise<Exchange | undefined> {
  const own = new Set(asked.parts.map((part) => part.join(" ")));
  const pace = new Pace();
  let nearest: { readonly exchange: Exchange; readonly count: number } | undefined;
  for (const exchange of exchanges) {
    const { method, path, parts } = exchange;
    if (method !== asked.method || path !== asked.path) continue;
    await pace.units(parts.length / PARTS_OF_UNIT);
    const { length: count } = parts.filter((part) => own.has(part.join(" ")));
    if (nearest === undefined || count > nearest.count) nearest = { exchange, count };
  }
  return nearest?.exchange;
}

/** Parts that are looked up in the time of one unit. */
const PARTS_OF_UNIT = 50;

function difference(asked: Asked, { parts }: Exchange, { texts }: RecordedFile): string {
  const recorded = new Map(parts);
  const own = new Map(asked.parts);
  const place = [...new Set([...own.keys(), ...recorded.keys()])].find((one) => own.get(one) !== recorded.get(one));
  if (place === undefined) return "the order of its parts";
  const before = texts.get(recorded.get(place) ?? "");
  const now = asked.texts.get(own.get(place) ?? "");
  if (before === undefined) return `${place}, which was not recorded:\n  asked    ${cut(now ?? "", 0)}`;
  if (now === undefined) return `${place}, which was not asked:\n  recorded ${cut(before, 0)}`;
  const at = firstDifference(before, now);
  return `${place}, character ${at + 1}:\n  recorded ${cut(before, at)}\n  asked    ${cut(now, at)}`;
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Characters that are shown before and after the place. */
const BEFORE = 40;
const AFTER = 60;

function cut(text: string, at: number): string {
  const [start, end] = [Math.max(0, at - BEFORE), Math.min(text.length, at + AFTER)];
  return `${start > 0 ? "…" : ""}${text.slice(start, end).toWellFormed()}${end < text.length ? "…" : ""}`;
}
