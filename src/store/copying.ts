import { isFinal } from "../domain/session.ts";
import type { JsonCopies } from "./json-copy.ts";
import type { SessionRow, StoredSession } from "./read-session.ts";

/** Copies that are noted together; a process that follows a killed one may write so many once more. */
const NOTED_TOGETHER = 64;

/** What of a session a copy shows. */
export type Copy = Pick<StoredSession, "session_id" | "state" | "verdicts">;

export interface CopySource {
  /** The session as it is stored, nothing of an open turn in it; `saved` is its row as it was stored just now. */
  read(session_id: string, saved: SessionRow | undefined): StoredSession | undefined;
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
  agrees(session: StoredSession): boolean {
    return this.#running.has(session.session_id) || this.#copies.agrees(session);
  }

  start(session_id: string, saved?: SessionRow): void {
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
      const session = this.#finished(session_id);
      if (session === undefined) return;
      this.#copies.writeNow(session);
      this.#wrote(session);
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

  async #write(session_id: string, saved: SessionRow | undefined): Promise<void> {
    try {
      const session = this.#finished(session_id, saved);
      if (session === undefined) return;
      await this.#copies.write(session);
      this.#wrote(session);
    } catch {
      // The database has the session; a copy that cannot be written now (a full disk) is at the next start or read.
    }
  }

  #finished(session_id: string, saved?: SessionRow): StoredSession | undefined {
    const session = this.#source.read(session_id, saved);
    return session && isFinal(session.state) ? session : undefined;
  }

  #wrote({ session_id, state, verdicts }: StoredSession): void {
    this.#written.push({ session_id, state, verdicts });
    if (this.#written.length >= NOTED_TOGETHER) this.note();
  }
}
