import type { DoctorReport } from "../../domain/health.ts";

export const EXAMPLE_REPORT: DoctorReport = {
  ok: true,
  scenario: null,
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
  estimate: null,
};
