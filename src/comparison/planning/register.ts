import type { Failure } from "../../domain/failure.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";

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
