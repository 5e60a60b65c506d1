/** The customer's document as data: each sentence that can be tested has an id, its part, and its words. */
export const REQUIREMENTS = {
  "run:compares": {
    part: 1,
    says: "The service runs an A/B comparison of two agent arms on a bundled scenario. A judge model then produces a verdict.",
  },
  "run:outcome": {
    part: 1,
    says: "A run executes both arms and then the judge. The result is a SessionOutcome containing arm summaries, decisions and the verdict.",
  },
  "run:persisted": { part: 1, says: "Sessions can be persisted when a state directory is configured." },
  "scenario:yaml": { part: 2, says: "Defined as a YAML scenario file in a scenarios directory." },
  "session:id": { part: 2, says: "Session identifier: string, `session-<scenario>-<timestamp>` form." },
  "decision:fields": { part: 2, says: "seq, kind, summary, tokens_in, tokens_out, latency_ms" },
  "state:layout-db": { part: 2, says: "`sessions.db`: embedded SQL database, the session store" },
  "state:layout-json": {
    part: 2,
    says: "`sessions/session-<scenario>-<ts>.json`: cached SessionOutcome as JSON",
  },
  "state:memory": {
    part: 2,
    says: "Without a state directory, runs are memory-backed and are lost when the process exits.",
  },
  "cli:run": {
    part: 4,
    says: "`run <scenario_file>`: one-shot A/B session. Blocks until the judge returns and prints the verdict JSON on stdout.",
  },
  "cli:run-model": { part: 4, says: "`--model <provider>/<model>` overrides the model of every arm (both arms)" },
  "cli:run-judge-model": { part: 4, says: "`--judge-model <model>` judge model; a default applies when absent" },
  "cli:run-out": { part: 4, says: "`--out <path>` also writes the stdout verdict to this file" },
  "cli:run-state-dir": { part: 4, says: "`--state-dir <path>` persists to the layout in part 2" },
  "cli:version": { part: 4, says: "`--version`: prints the version stamped at build time." },
  "version:0.1.6": { part: 9, says: "the current one is 0.1.6" },
} as const satisfies Record<string, { readonly part: number; readonly says: string }>;

export type RequirementId = keyof typeof REQUIREMENTS;
