/** `session-<scenario>-<yyyymmddThhmmssmmmZ>`, UTC. */
export function sessionId(scenario: string, at: Date): string {
  return `session-${scenario}-${at.toISOString().replace(/[-:.]/g, "")}`;
}
