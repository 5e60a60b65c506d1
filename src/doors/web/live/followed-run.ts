import { signal } from "@preact/signals";
import type { Decision } from "../../../domain/decision.ts";
import type { RunEvent } from "../../../domain/event.ts";
import type { SessionOutcome } from "../../../domain/session.ts";
import { isFinal } from "../../../domain/session-state.ts";
import { getSession, lostConnection, streamPath } from "../api.ts";
import { asFailed, type Loaded } from "../loaded.ts";
import { ticks } from "./ticks.ts";

/** Milliseconds between two reads of a session in a state that no event announces. */
const REFRESH_MS = 1_000;

type Decisions = Readonly<Record<string, readonly Decision[]>>;

/**
 * A run as it happens. It reads the session first and then its events. The server sends every event from the first, so a
 * reload or a broken connection loses nothing. Decisions are numbered without gaps; known ones are not added again.
 */
export class FollowedRun {
  readonly session = signal<Loaded<SessionOutcome>>({ state: "loading" });
  /** By arm id. */
  readonly decisions = signal<Decisions>({});
  /** Ids of arms that have stopped. */
  readonly finished = signal<ReadonlySet<string>>(new Set());
  readonly ended = signal(false);
  /** It had ended before this page was opened. */
  readonly endedBefore = signal(false);
  /** When the last event came, in `ticks`; 0 before the first. */
  readonly lastEvent = signal(0);
  readonly #id: string;
  #events: EventSource | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  /** Number of the attempt whose decisions come in, and how many were lost when the session was read. */
  #attempt = 1;
  #lost = 0;

  constructor(id: string) {
    this.#id = id;
  }

  async start(): Promise<void> {
    await this.#refresh();
    const { state } = this.session.peek();
    if (state === "ready") this.endedBefore.value = this.ended.peek();
  }

  stop(): void {
    this.#stopped = true;
    this.#disconnect();
  }

  async #refresh(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const session = await getSession(this.#id);
      if (this.#stopped) return;
      this.session.value = { state: "ready", value: session };
      const lost = session.lost_attempts?.length ?? 0;
      if (lost > this.#lost) this.#beginAnew();
      this.#lost = lost;
      for (const [arm_id, log] of Object.entries(session.decisions)) this.#add(arm_id, log);
      if (isFinal(session.state)) return this.#end();
      if (!this.#events) this.#connect();
    } catch (error) {
      const failed = asFailed(error);
      // When something is on the page, the banner about the connection says what is wrong.
      if (this.session.peek().state !== "ready") this.session.value = { state: "failed", error: failed };
      if (failed.code !== "unreachable") return;
    }
    this.#refreshLater();
  }

  /** No event says that a run is prepared, probed or judged: the session has to be read again. */
  #refreshLater(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const busy = this.#events?.readyState === EventSource.OPEN && this.finished.peek().size < 2 && this.#isRunning();
      if (busy) this.#refreshLater();
      else void this.#refresh();
    }, REFRESH_MS);
  }

  #isRunning(): boolean {
    const loaded = this.session.peek();
    return loaded.state === "ready" && loaded.value.state === "running";
  }

  #connect(): void {
    const events = new EventSource(streamPath(this.#id));
    this.#events = events;
    events.onmessage = ({ data }) => this.#receive(JSON.parse(data) as RunEvent); // the server's own events
    events.onerror = () => {
      if (this.#stopped || this.#events !== events) return;
      if (events.readyState === EventSource.CONNECTING) return lostConnection();
      // The server refuses the stream: the run has ended, or the server was started anew. The session tells which.
      this.#disconnect();
      this.#refreshLater();
    };
  }

  #receive(event: RunEvent): void {
    this.lastEvent.value = ticks();
    if (event.event === "decision") {
      const { attempt = 1 } = event;
      if (attempt > this.#attempt) this.#beginAnew();
      this.#attempt = Math.max(attempt, this.#attempt);
      this.#add(event.arm_id, [event.decision]);
    } else if (event.event === "arm_finished") {
      this.finished.value = new Set([...this.finished.peek(), event.arm_id]);
      // The event does not say how it ended, nor what it used.
      void this.#refresh();
    } else {
      this.#disconnect();
      void this.#refresh();
    }
  }

  /** What the arms of a lost attempt did is void. */
  #beginAnew(): void {
    this.decisions.value = {};
    this.finished.value = new Set();
  }

  #add(arm_id: string, log: readonly Decision[]): void {
    const known = this.decisions.peek()[arm_id] ?? [];
    const last = known.at(-1)?.seq ?? 0;
    const fresh = log.filter(({ seq }) => seq > last);
    if (fresh.length === 0) return;
    this.decisions.value = { ...this.decisions.peek(), [arm_id]: [...known, ...fresh] };
  }

  #end(): void {
    this.#disconnect();
    this.ended.value = true;
  }

  #disconnect(): void {
    clearTimeout(this.#timer);
    this.#events?.close();
    this.#events = null;
  }
}
