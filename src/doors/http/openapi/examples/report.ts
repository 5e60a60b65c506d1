import type { DoctorReport } from "../../../../domain/health.ts";
import type { Provider } from "../../../../domain/provider.ts";

export const EXAMPLE_PROVIDER: Provider = {
  ...{ provider: "anthropic", here: true, runs: true, local: false },
  priced: ["anthropic/claude-sonnet-4-5"],
};

export const EXAMPLE_REPORT: DoctorReport = {
  ok: true,
  scenario: "csv-parser",
  checks: [
    {
      id: "sandbox",
      scope: "environment",
      status: "warn",
      title: "Sandbox",
      detail: "bubblewrap is not installed",
      hint: "apt install bubblewrap, or --sandbox none",
      duration_ms: 3,
    },
  ],
  estimate: {
    low_usd: 0.11,
    high_usd: 0.94,
    low_tokens: 34000,
    high_tokens: 290000,
    note: "low: a short run; high: both arms at the end of their budgets.",
    series: {
      trials: 30,
      low_usd: 3.3,
      high_usd: 28.2,
      chances: [
        { win_share: 0.7, chance_of_claim: 0.3457356547484662, mean_trials: 26.06309187934407 },
        { win_share: 0.8, chance_of_claim: 0.745137165096062, mean_trials: 20.504453135560706 },
        { win_share: 0.9, chance_of_claim: 0.9800107748259788, mean_trials: 14.165881127547658 },
      ],
    },
  },
};
