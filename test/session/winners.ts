/** Bundled scenarios: who wins, what decides it, and a provider whose SDK plays them. */
export const WINNERS = [
  ["pager-last-page", "root-cause", "probe", "anthropic"],
  ["file-server-traversal", "close-class", "probe", "gateway"],
  ["log-triage", "shell", "probe", "openai"],
  ["extract-rate-limit", "move-only", "measured", "anthropic"],
] as const;
