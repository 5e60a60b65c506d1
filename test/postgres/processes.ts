import { NEED_OF_PROTOCOLS } from "../../src/comparison/planning/needs.ts";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { MaterialsCache } from "../../src/comparison/scenario/materials-cache.ts";
import { planningServices } from "../../src/comparison/session/plan-for-workers.ts";
import { startSession } from "../../src/comparison/session/start-session.ts";
import { startWorker } from "../../src/comparison/session/workers/worker.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { RunEntry } from "../../src/domain/session-entry.ts";
import { systemClock, systemEntropy } from "../../src/runtime/clock.ts";
import { openSharedStore } from "../../src/store/postgres/postgres-store.ts";
import type { SharedStore } from "../../src/store/shared-store.ts";
import { entriesGiven, type Run } from "../../src/store/store.ts";
import { type Talk, talk, talkServices } from "../session/series.ts";
import { temporaryDirectory } from "../temporary.ts";

const STOPPED = new Failure("interrupted", "The server was stopped before the run was done.", { retryable: true });

export interface Process extends AsyncDisposable {
  readonly services: SessionServices & { readonly shared: SharedStore };
  /** It takes no more work, and gives back what it has. */
  stop(): void;
}

export interface Having {
  /** Sessions at once; 0: it only answers. */
  readonly slots?: number;
  readonly capabilities?: readonly string[];
  /** Of another version; absent: of this one. */
  readonly protocols?: string;
  readonly before?: Talk["before"];
  readonly judge?: Talk["judge"];
  /** Called before a judge's answer. */
  readonly beforeJudge?: () => Promise<void>;
  /** Why the database does not take an entry of a run, if it does not. */
  readonly refused?: (entry: RunEntry, run: Run) => Failure | undefined;
}

/** What one of several processes on a database has of its own. */
export async function aProcess(url: string, having: Having = {}): Promise<Process> {
  const { slots = 0, capabilities = ["provider:fake"], before, judge = () => "a", beforeJudge, refused } = having;
  const { protocols = NEED_OF_PROTOCOLS } = having;
  const options = { clock: systemClock, entropy: systemEntropy, version: "0.1.6", lease_s: 10, max_queued: 1_000 };
  const shared = await openSharedStore(url, options);
  if (refused) refuse(shared, refused);
  const talking = talkServices({ judge, ...(before && { before }) }, { store: shared, shared });
  const resolveModel: SessionServices["resolveModel"] = (ref, ...rest) => {
    const model = talking.resolveModel(ref, ...rest);
    if (ref !== "fake/judge" || !beforeJudge) return model;
    return {
      ref,
      async complete(request, options) {
        await Promise.race([beforeJudge(), aborted(options.signal)]);
        return await model.complete(request, options);
      },
    };
  };
  const services = { ...talking, resolveModel, shared };
  const stopping = new AbortController();
  const directory = temporaryDirectory();
  const files = new MaterialsCache(directory.path);
  const has = { slots, capabilities: [...capabilities, protocols], stopping: stopping.signal };
  await startWorker({ services, shared, files }, has);
  const stop = () => {
    stopping.abort();
    for (const one of [...services.series.all(), ...services.runs.all()]) one.cancel(STOPPED);
  };
  return {
    services,
    stop,
    async [Symbol.asyncDispose]() {
      stop();
      await Promise.allSettled([...services.series.all(), ...services.runs.all()].map(({ done }) => done));
      await shared[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
}

function refuse(shared: SharedStore, refused: NonNullable<Having["refused"]>): void {
  const append = shared.append.bind(shared);
  shared.append = async (run, given, safety) => {
    const [failure] = entriesGiven(given, () => []).flatMap((entry) => refused(entry, run) ?? []);
    if (failure) throw failure;
    await append(run, given, safety);
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

export async function start({ services }: Process, scenario = talk()) {
  const plan = await prepareSession(await planningServices(services), await scenario, {});
  return await startSession(services, plan);
}

/** Resolves at the first answer that is asked for, and holds all until it is opened. */
export function aGate() {
  const [reached, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const before: Talk["before"] = async (_side, _run, signal) => {
    reached.resolve();
    const left = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await Promise.race([opened.promise, left]);
  };
  return { before, reached: reached.promise, open: opened.resolve };
}
