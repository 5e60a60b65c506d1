/** `session-<scenario>-<yyyymmddThhmmssmmmZ>` (spec part 2), UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${at.toISOString().replace(/[-:.]/g, "")}`;
}

/** Milliseconds, one after another, whose ids are all taken. */
interface Taken {
  readonly first: number;
  readonly last: number;
}

/** Ids of new sessions. What is known to be taken is not asked for again: many in one millisecond cost one question each. */
export class SessionIds {
  readonly #taken = new Map<string, Taken>();

  /** The first id from `at` on that `accept` takes: a collision bumps the millisecond, also across processes. */
  claim(scenario: string, at: Date, accept: (session_id: string) => boolean): string {
    const asked = at.getTime();
    const taken = this.#taken.get(scenario);
    const known = taken !== undefined && taken.first <= asked && asked <= taken.last;
    for (let time = known ? taken.last + 1 : asked; ; time += 1) {
      const session_id = sessionId(scenario, new Date(time));
      if (!accept(session_id)) continue;
      this.#taken.set(scenario, { first: known ? taken.first : asked, last: time });
      return session_id;
    }
  }
}
