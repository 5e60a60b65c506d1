import type { RunEntry } from "../../domain/session-entry.ts";
import type { LoggedEntry, Run } from "../store.ts";
import type { Retries } from "./retries.ts";

/** An end of a session that could not be stored. */
export interface UnsavedEnd {
  readonly run: Run;
  readonly entries: readonly RunEntry[];
}

/** This process reads them behind what is stored; they are stored when that works again. */
export class UnsavedEnds {
  readonly #ends = new Map<string, UnsavedEnd>();
  readonly #retries: Retries;
  readonly #save: (end: UnsavedEnd) => void;

  /** A storage failure that `save` throws has it called again later. */
  constructor(retries: Retries, save: (end: UnsavedEnd) => void) {
    this.#retries = retries;
    this.#save = save;
  }

  keep(end: UnsavedEnd): void {
    const { session_id } = end.run;
    this.#ends.set(session_id, end);
    this.#retries.keep(session_id, () => {
      this.#save(end);
      this.#ends.delete(session_id);
    });
  }

  has(session_id: string): boolean {
    return this.#ends.has(session_id);
  }

  /** Its entries as they will stand behind place `last`. */
  entries(session_id: string, last: number): readonly LoggedEntry[] {
    const end = this.#ends.get(session_id);
    return (end?.entries ?? []).map((entry, at) => ({ n: last + at + 1, attempt: end?.run.attempt ?? 0, entry }));
  }
}
