import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionOutcome } from "../domain/session.ts";
import type { Owner } from "./owner.ts";

/** `<state_dir>/sessions/<id>.json`: a whole SessionOutcome for people and scripts. The database is the truth. */
export class JsonCopies {
  readonly #directory: string;
  readonly #owner: Owner;

  constructor(stateDir: string, owner: Owner) {
    this.#directory = join(stateDir, "sessions");
    this.#owner = owner;
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
  }

  /**
   * Never torn by a kill: written beside, then renamed. One that a power cut took is written again when it is read. Of one
   * session not twice at once in a process; of two processes the slower may leave the older, until it is read.
   */
  async write(outcome: SessionOutcome): Promise<void> {
    const temporary = this.#temporary(outcome.session_id);
    try {
      await writeFile(temporary, render(outcome), PRIVATE);
      await rename(temporary, this.#path(outcome.session_id));
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** The same before it returns. */
  writeNow(outcome: SessionOutcome): void {
    const temporary = this.#temporary(outcome.session_id);
    try {
      writeFileSync(temporary, render(outcome), PRIVATE);
      renameSync(temporary, this.#path(outcome.session_id));
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Whether the copy says what the database says. */
  agrees(outcome: SessionOutcome): boolean {
    try {
      return readFileSync(this.#path(outcome.session_id), "utf8") === render(outcome);
    } catch {
      return false;
    }
  }

  #temporary = (session_id: string) => this.#owner.temporary(`${session_id}.json`);

  #path = (session_id: string) => join(this.#directory, `${session_id}.json`);
}

const PRIVATE = { mode: 0o600 };

const render = (outcome: SessionOutcome) => `${JSON.stringify(outcome, null, 2)}\n`;
