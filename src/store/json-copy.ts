import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeOwnDirectory } from "./own-directory.ts";
import type { Owner } from "./owner.ts";
import type { StoredSession } from "./read-session.ts";

type Session = Pick<StoredSession, "session_id" | "text">;

/** `<state_dir>/sessions/<id>.json`: a whole SessionOutcome on one line, for people and scripts. The database is the truth. */
export class JsonCopies {
  readonly #directory: string;
  readonly #owner: Owner;

  constructor(stateDir: string, owner: Owner) {
    this.#directory = join(stateDir, "sessions");
    this.#owner = owner;
    makeOwnDirectory(this.#directory);
  }

  /**
   * Never torn by a kill: written beside, then renamed. One that a power cut took is written again when it is read. Of one
   * session not twice at once in a process; of two processes the slower may leave the older, until it is read.
   */
  async write(session: Session): Promise<void> {
    const temporary = this.#temporary(session);
    try {
      // Both on another thread: a name is changed only when no other file is being made in either directory.
      await writeFile(temporary, contentOf(session), PRIVATE);
      await rename(temporary, this.#path(session));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The same before it returns. */
  writeNow(session: Session): void {
    const temporary = this.#temporary(session);
    try {
      writeFileSync(temporary, contentOf(session), PRIVATE);
      renameSync(temporary, this.#path(session));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Whether the copy says what the database says. */
  agrees(session: Session): boolean {
    try {
      return readFileSync(this.#path(session), "utf8") === contentOf(session);
    } catch {
      return false;
    }
  }

  #temporary = ({ session_id }: Session) => this.#owner.temporary(`${session_id}.json`);

  #path = ({ session_id }: Session) => join(this.#directory, `${session_id}.json`);
}

const PRIVATE = { mode: 0o600 };

const contentOf = ({ text }: Session) => `${text}\n`;
