import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionOutcome } from "../../domain/session.ts";
import { wholeJson } from "../../domain/whole-json.ts";
import { collectPassed } from "../../runtime/collect-garbage.ts";
import { makeOwnDirectory, type ProcessLease } from "./process-lease.ts";

/** Copies that are noted together; a process that follows a killed one may write so many once more. */
const NOTED_TOGETHER = 64;

/** An ended session, and how long its log was when it was read. */
export interface EndedSession {
  readonly outcome: SessionOutcome;
  readonly entries: number;
}

/** A copy that was written: its size, and the length of the log that it shows. */
export interface WrittenCopy {
  readonly session_id: string;
  readonly bytes: number;
  readonly entries: number;
}

interface CopySource {
  /** Undefined while the session runs. @throws Failure */
  ended(session_id: string): EndedSession | undefined;
  /** Writes down that these were written. Must not throw. */
  note(copies: readonly WrittenCopy[]): void;
}

/**
 * `<state_dir>/sessions/<id>.json`: a whole SessionOutcome on one line, for people and scripts. The database is the truth:
 * a copy that cannot be written (a full disk) is written at the next start.
 */
export class JsonCopies {
  readonly #directory: string;
  readonly #lease: ProcessLease;
  readonly #source: CopySource;
  /** A session's copies are written one after another. */
  readonly #running = new Map<string, Promise<void>>();
  #written: WrittenCopy[] = [];

  constructor(stateDir: string, lease: ProcessLease, source: CopySource) {
    this.#directory = join(stateDir, "sessions");
    this.#lease = lease;
    this.#source = source;
    makeOwnDirectory(this.#directory);
  }

  /** Writes it beside the event loop. Never torn by a kill: written elsewhere, then renamed. */
  start(session_id: string, ended: EndedSession): void {
    const before = this.#running.get(session_id) ?? Promise.resolve();
    const copied = before.then(() => this.#write(session_id, ended)).catch(ignored);
    this.#running.set(session_id, copied);
    void copied.then(() => {
      if (this.#running.get(session_id) === copied) this.#running.delete(session_id);
    });
  }

  /** The same before it returns. */
  repair(session_id: string): void {
    const temporary = this.#temporary(session_id);
    try {
      const ended = this.#source.ended(session_id);
      if (ended === undefined) return;
      const copy = copyOf(ended);
      writeFileSync(temporary, copy.text, PRIVATE);
      renameSync(temporary, this.#path(session_id));
      this.#wrote(session_id, copy);
    } catch {
      rmSync(temporary, { force: true });
    }
  }

  /** Whether there is a copy of this size; any size will do when none is known. */
  has(session_id: string, bytes: number | null): boolean {
    const stats = statSync(this.#path(session_id), { throwIfNoEntry: false });
    return stats !== undefined && (bytes === null || stats.size === bytes);
  }

  /** Resolves when every copy of the session begun before is written, or cannot be. */
  async done(session_id: string): Promise<void> {
    await this.#running.get(session_id);
  }

  /** Notes the copies that are written and not noted yet. */
  note(): void {
    const written = this.#written;
    this.#written = [];
    if (written.length > 0) this.#source.note(written);
  }

  async #write(session_id: string, ended: EndedSession): Promise<void> {
    const copy = copyOf(ended);
    const temporary = this.#temporary(session_id);
    try {
      await writeFile(temporary, copy.text, PRIVATE);
      await rename(temporary, this.#path(session_id));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    this.#wrote(session_id, copy);
    // A thousand votes on one session write a thousand copies of a megabyte.
    await collectPassed(copy.text.length);
  }

  #wrote(session_id: string, { text, entries }: { readonly text: string; readonly entries: number }): void {
    this.#written.push({ session_id, bytes: Buffer.byteLength(text), entries });
    if (this.#written.length >= NOTED_TOGETHER) this.note();
  }

  #temporary = (session_id: string) => this.#lease.temporary(`${session_id}.json`);

  #path = (session_id: string) => join(this.#directory, `${session_id}.json`);
}

const PRIVATE = { mode: 0o600 };

const ignored = () => undefined;

const copyOf = ({ outcome, entries }: EndedSession) => ({ text: `${wholeJson(outcome)}\n`, entries });
