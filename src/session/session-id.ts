/** `session-<scenario>-<yyyymmddThhmmssmmmZ>` (spec part 2), UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${at.toISOString().replace(/[-:.]/g, "")}`;
}

/** The first id from `at` on that `claim` accepts: a collision bumps the millisecond, also across processes. */
export function claimSessionId(scenario: string, at: Date, claim: (session_id: string) => boolean): string {
  for (let time = at.getTime(); ; time += 1) {
    const session_id = sessionId(scenario, new Date(time));
    if (claim(session_id)) return session_id;
  }
}
