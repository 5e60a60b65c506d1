import type { EndpointServices } from "../../arms/endpoint/endpoint.ts";
import type { ModelClient } from "../../arms/model/client.ts";
import type { Recording } from "../../arms/model/provider-call.ts";
import type { OpenUpstream } from "../../arms/model/upstream.ts";
import type { RecordingDirectory } from "../../arms/recording/recordings.ts";
import type { Sandboxes } from "../../arms/sandbox/sandboxes.ts";
import type { ScriptTurn } from "../../domain/arm.ts";
import type { Failure } from "../../domain/failure.ts";
import type { Price, PriceList } from "../../domain/price-list.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { SandboxMode } from "../../domain/session-settings.ts";
import type { Clock, Entropy } from "../../runtime/clock.ts";
import type { Semaphore } from "../../runtime/semaphore.ts";
import type { SharedStore } from "../../store/shared-store.ts";
import type { SessionStore } from "../../store/store.ts";

/** The side effects and settings of a session, as values. A callee that needs less names it with `Pick`. */
export interface SessionServices {
  readonly clock: Clock;
  /** What arms are given may leave out the pauses of our own loop. */
  readonly arm_clock: Clock;
  readonly entropy: Entropy;
  readonly store: SessionStore;
  /** `store` where whoever has it open may run what is started here; absent: it runs here. */
  readonly shared?: SharedStore | undefined;
  readonly runs: Register<RunInFlight>;
  readonly series: Register<SeriesInFlight>;
  /** A place for each session that runs. */
  readonly slots: Semaphore;
  /** @throws Failure `credentials_missing` naming the variable to set, unless the recording is replayed. */
  readonly resolveModel: (ref: string, script: readonly ScriptTurn[] | null, recording?: Recording) => ModelClient;
  /** The way to a provider for requests that an external agent writes. @throws as `resolveModel` */
  readonly openUpstream: OpenUpstream;
  /** What asking the endpoints of arms takes. */
  readonly endpoints: EndpointServices;
  /** Where sessions are recorded or replayed from; absent: neither. */
  readonly recordings?: RecordingDirectory | undefined;
  /** Takes provider keys out of a text. */
  readonly redact: (text: string) => string;
  readonly sandbox: SandboxMode;
  /** The sandboxes of the machine that commands run on. */
  readonly sandboxes: Sandboxes;
  /** The judge that the environment names. It is used when neither request nor rubric names one. */
  readonly judge_model: string | undefined;
  /** What models cost, by whoever pays; it goes before what a scenario says. */
  readonly prices: PriceList;
  /** What a model's provider lists for it; null where it does not. It comes after what users and scenarios say. Absent: nobody looks. */
  readonly list_price?: ((model: string) => Promise<Price | null>) | undefined;
  /** Runs and rejudges that could push the UTC day's cost over it are refused, USD; absent: no limit. */
  readonly max_cost_per_day_usd?: number | undefined;
  /** Absolute; holds a directory for each install that scenarios name. Absent: there are none. */
  readonly agents_dir?: string | undefined;
  /** Absolute; holds images, for scenarios that name one by its digest. Absent: there are none. */
  readonly images_dir?: string | undefined;
  /** Absolute; images are unpacked there. Absent: none can be. */
  readonly image_cache?: string | undefined;
  readonly keep_workspaces: boolean;
  /** One line for the person who started the program: what is not contained, what was left behind. */
  readonly notice: (line: string) => void;
  /** Hears what becomes of each run. Absent: nobody watches. */
  readonly news?: ((news: RunNews) => void) | undefined;
  /** Hears what models were asked for, and what that costs by known prices. Absent: nobody counts. */
  readonly spent?: ((spent: ModelUse) => void) | undefined;
  readonly version: string;
}

/** What became of a run, for whoever watches over many. */
export interface RunNews {
  /** `lost` and `superseded` runs begin anew elsewhere. Whoever takes a run over says `lost` of the attempt before. */
  readonly event: "accepted" | "claimed" | "lost" | "superseded" | "ended";
  readonly session_id: string;
  readonly scenario?: string;
  readonly series_id?: string;
  readonly attempt?: number;
  readonly state?: string;
  /** Why it failed, or was lost. */
  readonly code?: string;
}

/** Its process ended without a word. Other codes of `lost` are said by the process that lost the run. */
export const PROCESS_LOST = "process_lost";

interface ModelUse {
  readonly by: "arm" | "judge";
  /** Replies. */
  readonly calls: number;
  /** What these replies cost; null when it is unknown. */
  readonly cost_usd: number | null;
}

export interface SeriesInFlight {
  readonly series_id: string;
  /** The sessions that were started here, in the order of creation. */
  readonly sessions: readonly string[];
  /** The ids of what has not ended. */
  readonly open: ReadonlySet<string>;
  /** Resolves at the next trial, or with the end. */
  readonly next: () => Promise<void>;
  /** No further trial is started; those that run go on. The series ends with `reason`. */
  halt(reason: Failure): void;
  /** Stops its trials too. */
  cancel(reason: Failure): void;
  /** Resolves when its end is stored. @throws Failure when that cannot be. */
  readonly done: Promise<SeriesRecord>;
}

export interface RunInFlight {
  /** It waits for its place, and has spent nothing. */
  readonly waits: () => boolean;
  /** Its last step, in words for an operator. */
  readonly doing: () => string;
  /** Its log has an end; it still tidies up. */
  readonly over: () => boolean;
  /** Stops it; its session ends with `reason`. */
  cancel(reason: Failure): void;
  /** Resolves when nothing of it runs here any more and its workspaces are gone. Never rejects for a failed run. */
  readonly done: Promise<unknown>;
}

type InFlight = Pick<RunInFlight, "cancel"> & Partial<Pick<RunInFlight, "over" | "doing">>;

/** What this process has in flight, queued ones included. */
export class Register<One extends InFlight> {
  readonly #all = new Map<string, One>();
  #hear: (last: string) => void = () => undefined;
  #closed: Failure | undefined;

  /** Hears each further step, in words, before whatever follows it; the first is that a run is here. */
  watch(hear: (last: string) => void): void {
    this.#hear = hear;
  }

  stepped(id: string): void {
    const one = this.#all.get(id);
    if (one) this.#hear(inWords(id, one));
  }

  add(id: string, one: One): void {
    this.#all.set(id, one);
    this.stepped(id);
    if (this.#closed) one.cancel(this.#closed);
  }

  /** Cancels all, and from now on each that comes. */
  close(reason: Failure): void {
    this.#closed = reason;
    for (const one of this.all()) one.cancel(reason);
  }

  delete(id: string): void {
    this.#all.delete(id);
  }

  /** Undefined when it does not run here, or no longer: then its stream answers 404. */
  live(id: string): One | undefined {
    const one = this.#all.get(id);
    return one?.over?.() ? undefined : one;
  }

  /** Each by its id, with its last step. */
  underWay(): readonly string[] {
    return [...this.#all].map(([id, one]) => inWords(id, one));
  }

  /** Oldest first. */
  all(): readonly One[] {
    return [...this.#all.values()];
  }
}

const inWords = (id: string, one: InFlight) => `${id} (${one.doing?.() ?? "running"})`;
