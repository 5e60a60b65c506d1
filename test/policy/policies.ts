import type { Policies } from "../../src/domain/policies.ts";

export const policies = (changes: Partial<Policies> = {}): Policies => ({
  budget: { max_turns: 40, max_tokens: 1_000_000, max_seconds: 600, max_tool_calls: 120, max_cost_usd: null },
  commands: { deny: ["git push*"], allow: null, timeout_s: 60, max_output_kb: 64 },
  paths: { writable: ["src/**", "*.md"], protected: ["src/**/*.test.ts", "src/.env"] },
  network: "none",
  required: [],
  severity: { protected_path: "disqualify", denied_command: "warn", required: "warn" },
  ...changes,
});
