import type { DoctorReport } from "../../domain/doctor-report.ts";
import type { RunEvent } from "../../domain/event.ts";
import type { JudgeProfiles } from "../../domain/judge-profile.ts";
import type { Provider } from "../../domain/provider.ts";
import type { ScenarioListing } from "../../domain/scenario.ts";
import type { SelfTest, SelfTestListing } from "../../domain/self-test.ts";
import type { Series } from "../../domain/series.ts";
import type { SeriesListing } from "../../domain/series-listing.ts";
import type { SessionOutcome } from "../../domain/session.ts";
import type { SessionListing, SessionSummary } from "../../domain/session-list.ts";
import type { Verdict } from "../../domain/verdict.ts";
import type { Vote } from "../../domain/vote.ts";
import recorded from "./examples.json" with { type: "json" };

// TypeScript reads every word of JSON as any string; a test holds each example against its schema.
const examples = recorded as unknown as {
  readonly session: SessionOutcome & { readonly verdict: Verdict };
  readonly session_row: SessionListing;
  readonly session_summary: SessionSummary;
  readonly scenario_row: ScenarioListing;
  readonly events: readonly RunEvent[];
  readonly vote: Vote;
  readonly series: Series;
  readonly series_row: SeriesListing;
  readonly self_test: SelfTest;
  readonly self_test_row: SelfTestListing;
  readonly judges: JudgeProfiles;
  readonly doctor: DoctorReport;
  readonly provider: Provider;
};

/** One recorded session, and what else the document shows. */
export const EXAMPLES = { ...examples, verdict: examples.session.verdict };
