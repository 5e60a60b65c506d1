import { signal } from "@preact/signals";
import type { Decision } from "../../domain/decision.ts";
import type { RunEvent } from "../../domain/event.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import { getSession, streamPath } from "../api.ts";
import { lostConnection } from "../connection.ts";
import { asFailed, type Loaded } from "../loaded.ts";
import { isFinal } from "../session-state.ts";
import { ticks } from "./ticks.ts";

/** Between two looks at a session whose state no event announces, milliseconds. */
const LOOK_MS = 1_000;

export type Decisions = Readonly<Record<string, readonly Decision[]>>;

/**
 * A run as it happens. Reads the session first and then its events; the server sends every event from the first again, so a
 * reload or a broken connection loses nothing and what is known already is not shown twice.
 */
export class FollowedRun {
  readonly session = signal<Loaded<SessionOutcome>>({ state: "loading" });
  /** By arm id. */
  readonly decisions = signal<Decisions>({});
  /** Arms whose own loop has ended. */
  readonly finished = signal<ReadonlySet<string>>(new Set());
  readonly ended = signal(false);
  /** It had ended before anybody looked. */
  readonly over = signal(false);
  /** When the last event came, in `ticks`. */
  readonly heard = signal(0);
  readonly #id: string;
  #events: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(id: string) {
    this.#id = id;
  }

  async start(): Promise<void> {
    await this.#look();
    const { state } = this.session.peek();
    if (state === "ready") this.over.value = this.ended.peek();
  }

  stop(): void {
    this.#stopped = true;
    this.#hangUp();
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const session = await getSession(this.#id);
      if (this.#stopped) return;
      this.session.value = { state: "ready", value: session };
      for (const [arm_id, log] of Object.entries(session.decisions)) this.#add(arm_id, log);
      if (isFinal(session.state)) return this.#end();
      if (!this.#events) this.#listen();
    } catch (error) {
      const failed = asFailed(error);
      // Once something is on the page, the connection's own banner says what is wrong.
      if (this.session.peek().state !== "ready") this.session.value = { state: "failed", error: failed };
      if (failed.code !== "unreachable") return;
    }
    this.#lookLater();
  }

  /** Events say what arms do; that a run is prepared, probed or judged stands in the session alone. */
  #lookLater(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const busy = this.#events?.readyState === EventSource.OPEN && this.finished.peek().size < 2 && this.#begun();
      if (busy) this.#lookLater();
      else void this.#look();
    }, LOOK_MS);
  }

  #begun(): boolean {
    const loaded = this.session.peek();
    return loaded.state === "ready" && loaded.value.state === "running";
  }

  #listen(): void {
    const events = new EventSource(streamPath(this.#id));
    this.#events = events;
    events.onmessage = ({ data }) => this.#hear(JSON.parse(data) as RunEvent); // the server's own events
    events.onerror = () => {
      if (this.#stopped || this.#events !== events) return;
      if (events.readyState === EventSource.CONNECTING) return lostConnection();
      // Refused for good: the run has ended meanwhile, or the server started anew. The session knows.
      this.#hangUp();
      this.#lookLater();
    };
  }

  #hear(event: RunEvent): void {
    this.heard.value = ticks();
    if (event.event === "decision") this.#add(event.arm_id, [event.decision]);
    else if (event.event === "arm_finished") this.finished.value = new Set([...this.finished.peek(), event.arm_id]);
    else {
      this.#hangUp();
      void this.#look();
    }
  }

  #add(arm_id: string, log: readonly Decision[]): void {
    const known = this.decisions.peek()[arm_id] ?? [];
    const fresh = log.filter(({ seq }) => !known.some((decision) => decision.seq === seq));
    if (fresh.length === 0) return;
    const merged = [...known, ...fresh].sort((one, other) => one.seq - other.seq);
    this.decisions.value = { ...this.decisions.peek(), [arm_id]: merged };
  }

  #end(): void {
    this.#hangUp();
    this.ended.value = true;
  }

  #hangUp(): void {
    clearTimeout(this.#timer);
    this.#events?.close();
    this.#events = null;
  }
}
