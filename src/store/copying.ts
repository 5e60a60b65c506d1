import { isFinal, type SessionOutcome, type SessionState } from "../domain/session.ts";
import type { JsonCopies } from "./json-copy.ts";

/** Copies that are noted together; a process that follows a killed one may write so many once more. */
const NOTED_TOGETHER = 64;

/** What of a session a copy shows. */
export type Copy = {
  readonly session_id: string;
  readonly state: SessionState;
  /** How many later verdicts. */
  readonly verdicts: number;
};

export interface CopySource {
  /** The session as it is stored, nothing of an open turn in it; `saved` is what was stored of it just now. */
  read(session_id: string, saved: SessionOutcome | undefined): SessionOutcome | undefined;
  /** Writes down that these were written. Must not throw. */
  note(copies: readonly Copy[]): void;
}

/** Writes copies beside the event loop, those of one session one after another, and keeps count of what is written. */
export class Copying {
  readonly #copies: JsonCopies;
  readonly #source: CopySource;
  readonly #running = new Map<string, Promise<void>>();
  #written: Copy[] = [];

  constructor(copies: JsonCopies, source: CopySource) {
    this.#copies = copies;
    this.#source = source;
  }

  /** The copy says what the database says, or will. */
  agrees(outcome: SessionOutcome): boolean {
    return this.#running.has(outcome.session_id) || this.#copies.agrees(outcome);
  }

  start(session_id: string, saved?: SessionOutcome): void {
    const before = this.#running.get(session_id) ?? Promise.resolve();
    const copied = before.then(() => this.#write(session_id, saved));
    this.#running.set(session_id, copied);
    void copied.then(() => {
      if (this.#running.get(session_id) === copied) this.#running.delete(session_id);
    });
  }

  /** Writes it before it returns: whoever read the session, or started the program, may look at the copy. */
  repair(session_id: string): void {
    try {
      const outcome = this.#finished(session_id);
      if (outcome === undefined) return;
      this.#copies.writeNow(outcome);
      this.#wrote(outcome);
    } catch {
      // The next read, or the next start, tries again.
    }
  }

  /** Resolves when every copy begun before is written, or cannot be. */
  async done(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** What is written and not noted yet. */
  note(): void {
    const written = this.#written;
    this.#written = [];
    if (written.length > 0) this.#source.note(written);
  }

  async #write(session_id: string, saved: SessionOutcome | undefined): Promise<void> {
    try {
      const outcome = this.#finished(session_id, saved);
      if (outcome === undefined) return;
      await this.#copies.write(outcome);
      this.#wrote(outcome);
    } catch {
      // The database has the session; a copy that cannot be written now (a full disk) is at the next start or read.
    }
  }

  #finished(session_id: string, saved?: SessionOutcome): SessionOutcome | undefined {
    const outcome = this.#source.read(session_id, saved);
    return outcome && isFinal(outcome.state) ? outcome : undefined;
  }

  #wrote({ session_id, state, verdicts }: SessionOutcome): void {
    this.#written.push({ session_id, state, verdicts: verdicts.length });
    if (this.#written.length >= NOTED_TOGETHER) this.note();
  }
}
