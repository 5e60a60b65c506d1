/** `session-<scenario>-<yyyymmddThhmmssmmmZ>` (spec part 2), UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${at.toISOString().replace(/[-:.]/g, "")}`;
}

/** Ids of new sessions. What was given is not asked for again, so that many in one millisecond cost no more than a few. */
export class SessionIds {
  readonly #latest = new Map<string, number>();

  /** The first id from `at` on that `accept` takes: a collision bumps the millisecond, also across processes. */
  claim(scenario: string, at: Date, accept: (session_id: string) => boolean): string {
    for (let time = Math.max(at.getTime(), 1 + (this.#latest.get(scenario) ?? 0)); ; time += 1) {
      const session_id = sessionId(scenario, new Date(time));
      if (!accept(session_id)) continue;
      this.#latest.set(scenario, time);
      return session_id;
    }
  }
}
