import { Mistake } from "../../domain/failure.ts";
import { globFault, globMatcher } from "../../domain/path-glob.ts";
import type { GlobEffort } from "../../domain/wildcards.ts";
import { Pace } from "../../runtime/pace.ts";

/** Comparisons that one call may take, about a second. Globs that people write take a third in the largest workspace. */
const MAX_STEPS = 15_000_000;

/** Bytes that are read in the time of one comparison. */
const STEP_BYTES = 8;

/** Matches paths with a model's glob. The event loop runs between paths. */
export class FileGlob {
  readonly #effort: GlobEffort = { steps: 0 };
  readonly #pace = new Pace();
  readonly #fits: (path: string) => boolean;

  /** @throws Mistake when the glob cannot be used. */
  constructor(glob: string) {
    const fault = globFault(glob);
    if (fault !== null) throw new Mistake(`The glob ${fault}.`);
    this.#fits = globMatcher([glob], this.#effort);
  }

  /** @throws Mistake when the glob has taken too long. */
  async fits(path: string): Promise<boolean> {
    const before = this.#effort.steps;
    const fits = this.#fits(path);
    if (this.#effort.steps > MAX_STEPS)
      throw new Mistake("The glob takes too long on these files; write a plainer one.");
    await this.#pace.bytes((this.#effort.steps - before) * STEP_BYTES);
    return fits;
  }
}
