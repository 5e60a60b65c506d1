import type { Counter, Gauge, Registry } from "prom-client";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { readBuild } from "../doctor/build.ts";
import type { Services } from "../operation/operation.ts";

type News = Parameters<NonNullable<Services["news"]>>[0];
type Spent = Parameters<NonNullable<Services["spent"]>>[0];
type Watched = Pick<Services, "clock" | "runs" | "store" | "shared">;

interface Count {
  readonly name: keyof Instruments["counters"];
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/**
 * Figures of this process for Prometheus. The library takes long to load, so it is loaded when somebody first asks for them.
 * Labels come from closed lists: no name that a user, a scenario or a model has may become one.
 */
export class Metrics {
  #opened: Promise<Instruments> | undefined;
  /** By name and labels. */
  readonly #counts = new Map<string, Count>();

  /** What became of a run. */
  readonly news = ({ event, state = "", code = "" }: News): void =>
    this.#count(event, event === "ended" ? { state, code } : event === "lost" ? { code } : {});

  /** What a model was asked for. */
  readonly spent = ({ by, calls, cost_usd }: Spent): void => {
    this.#count("calls", { by, cost: cost_usd === null ? "unknown" : "known" }, calls);
    this.#count("cost", { by }, cost_usd ?? 0);
  };

  /** A request that was answered with an error. */
  readonly refused = (code: FailureCode): void => this.#count("refused", { code });

  /** Everything in Prometheus' text format, just now. */
  async text(services: Watched): Promise<{ readonly type: string; readonly text: string }> {
    this.#opened ??= instruments();
    const { registry, counters, gauges } = await this.#opened;
    const found = await lookAt(services);
    for (const counter of Object.values(counters)) counter.reset();
    for (const { name, labels, value } of this.#counts.values()) counters[name].inc(labels, value);
    for (const [name, gauge] of Object.entries(gauges)) {
      // What is not known is left out: a 0 would be a lie.
      gauge.remove();
      const value = found[name as keyof Found];
      if (value !== undefined) gauge.set(value);
    }
    return { type: registry.contentType, text: await registry.metrics() };
  }

  #count(name: Count["name"], labels: Count["labels"], by = 1): void {
    const key = [name, ...Object.values(labels)].join(" ");
    const count = this.#counts.get(key);
    if (count) count.value += by;
    else this.#counts.set(key, { name, labels, value: by });
  }
}

const GAUGES = {
  running: ["abeval_sessions_running", "Sessions that this process runs."],
  queued: ["abeval_sessions_queued", "Work that waits for a place: in this process, or in the whole database."],
  oldest_s: ["abeval_oldest_queued_seconds", "Age of the oldest session that waits; 0 when none does."],
  workers: ["abeval_workers", "Processes that take work from the database."],
  places: ["abeval_worker_places", "Sessions that all of them run at once."],
  up: ["abeval_store_up", "Whether the session store can be read."],
  writable: ["abeval_store_writable", "Whether the database takes writes."],
  read_s: ["abeval_store_read_seconds", "Time of one small read of the session store."],
} as const;

type Found = { readonly [Name in keyof typeof GAUGES]?: number | undefined };

/** Of the library's default figures these are true on Bun, and useful. Some are found out with another of its group. */
const OF_PROCESS =
  /^process_(cpu_(user_|system_)?seconds_total|resident_memory_bytes|start_time_seconds|(open|max)_fds)$|^nodejs_eventloop_lag_((p50|p99|max)_)?seconds$/;

const COUNTERS = {
  accepted: ["abeval_sessions_accepted_total", "Sessions that were accepted by this process."],
  claimed: ["abeval_sessions_claimed_total", "Sessions that were claimed by this process."],
  lost: ["abeval_sessions_lost_total", "Attempts that were lost, by why.", "code"],
  superseded: ["abeval_sessions_superseded_total", "Sessions that were superseded by this process."],
  ended: ["abeval_sessions_ended_total", "Sessions that ended in this process.", "state", "code"],
  calls: ["abeval_model_calls_total", "Replies of models.", "by", "cost"],
  cost: ["abeval_model_cost_usd_total", "Known cost of these replies, US dollars.", "by"],
  refused: ["abeval_requests_refused_total", "Requests that were answered with an error.", "code"],
} as const;

interface Instruments {
  readonly registry: Registry;
  readonly counters: Readonly<Record<keyof typeof COUNTERS, Counter>>;
  readonly gauges: Readonly<Record<keyof typeof GAUGES, Gauge>>;
}

async function instruments(): Promise<Instruments> {
  const client = await import("prom-client");
  const registry = new client.Registry();
  const registers: Registry[] = [registry];
  client.collectDefaultMetrics({ register: registry });
  for (const { name } of registry.getMetricsAsArray()) if (!OF_PROCESS.test(name)) registry.removeSingleMetric(name);
  const { version, commit = "", schema, log } = await readBuild();
  const build = { version, commit, sqlite: schema?.sqlite ?? "", postgres: schema?.postgres ?? "", log };
  const [name, help] = [
    "abeval_build_info",
    "1, with what this program is: its commit, and the versions of what it writes.",
  ];
  new client.Gauge({ name, help, labelNames: Object.keys(build), registers }).set(build, 1);
  return {
    registry,
    counters: mapped(
      COUNTERS,
      ([name, help, ...labelNames]) => new client.Counter({ name, help, labelNames, registers }),
    ),
    gauges: mapped(GAUGES, ([name, help]) => new client.Gauge({ name, help, registers })),
  };
}

const mapped = <Key extends string, From, To>(from: Readonly<Record<Key, From>>, made: (from: From) => To) =>
  // The same keys.
  Object.fromEntries(Object.entries<From>(from).map(([key, one]) => [key, made(one)])) as Record<Key, To>;

/** What nobody counts, found out anew. */
async function lookAt({ clock, runs, store, shared }: Watched): Promise<Found> {
  const own = runs.all().filter(({ over }) => !over());
  const running = own.filter(({ waits }) => !waits()).length;
  if (shared && !(await shared.reachable())) return { running, up: 0, writable: 0 };
  const began = clock.ticks();
  const oldest = await known(store.list({ state: "queued", sort: "created", order: "asc", limit: 1 }));
  if (oldest === undefined) return { running, up: 0 };
  const read_s = (clock.ticks() - began) / 1000;
  const [first] = oldest;
  const oldest_s = first ? Math.max(0, clock.now().getTime() - Date.parse(first.created_at)) / 1000 : 0;
  return { running, queued: own.length - running, oldest_s, up: 1, read_s, ...(shared && (await ofDatabase(shared))) };
}

async function ofDatabase(shared: NonNullable<Services["shared"]>): Promise<Found> {
  const writable = await shared.writable();
  const waiting = await known(shared.queue.waiting());
  const alive = writable ? await known(shared.workers.alive()) : undefined;
  const workers = alive?.filter(({ slots }) => slots > 0);
  return {
    queued: waiting?.reduce((sum, { pieces }) => sum + pieces, 0),
    workers: workers?.length,
    places: workers?.reduce((sum, { slots }) => sum + slots, 0),
    writable: Number(writable),
  };
}

/** Undefined where the store fails. */
async function known<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
