import type { SelfTestListing } from "../../../domain/self-test.ts";
import type { SeriesListing } from "../../../domain/series-listing.ts";
import type { SessionListing } from "../../../domain/session-list.ts";
import { words } from "../format.ts";
import { PagePart } from "../part/page.tsx";
import { toSelfTest, toSeries, toSession } from "../routes.ts";

interface ContradictionsProps {
  readonly conflicts: readonly SessionListing[];
  readonly judges: readonly SelfTestListing[];
  readonly series: readonly SeriesListing[];
}

/** Results that should not be relied on, one sentence each; nothing where there are none. */
export function Contradictions({ conflicts, judges, series }: ContradictionsProps) {
  if (conflicts.length + judges.length + series.length === 0) return null;
  return (
    <PagePart title="What not to rely on">
      <ul class="contradictions">
        {conflicts.map(({ session_id, scenario, title = scenario, verdicts = 0 }) => (
          <li key={session_id}>
            <a href={toSession(session_id)}>{title}</a>: its {verdicts} verdicts contradict each other.
          </li>
        ))}
        {judges.map(({ self_test_id, judge, scenario }) => (
          <li key={self_test_id}>
            <a href={toSelfTest(self_test_id)}>{judge.model}</a> failed its latest self-test on {scenario}.
          </li>
        ))}
        {series.map(({ series_id, scenarios, standing }) => (
          <li key={series_id}>
            <a href={toSeries(series_id)}>{scenarios.join(", ")}</a>: undecided, {words(standing.undecided_by ?? "")}.
          </li>
        ))}
      </ul>
    </PagePart>
  );
}
