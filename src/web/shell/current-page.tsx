import { DiffPage } from "../diff/diff-page.tsx";
import { DoctorPage } from "../doctor/doctor-page.tsx";
import { LivePage } from "../live/live-page.tsx";
import { Page } from "../part/page.tsx";
import type { Route } from "../routes.ts";
import { ScenarioListPage } from "../scenarios/scenario-list-page.tsx";
import { ScenarioPage } from "../scenarios/scenario-page.tsx";
import { ComparePage } from "../sessions/compare-page.tsx";
import { SessionsPage } from "../sessions/sessions-page.tsx";
import { SessionPage } from "../verdict/session-page.tsx";

export function CurrentPage({ route }: { route: Route }) {
  switch (route.page) {
    case "scenarios":
      return <ScenarioListPage />;
    case "scenario":
      return <ScenarioPage key={route.name} name={route.name} />;
    case "live":
      return <LivePage key={route.id} id={route.id} stay={route.stay} />;
    case "sessions":
      return <SessionsPage key={route.scenario} scenario={route.scenario} />;
    case "session":
      return <SessionPage key={route.id} id={route.id} verdict_id={route.verdict} />;
    case "diff":
      return <DiffPage key={route.id} id={route.id} verdict_id={route.verdict} view={route.view} />;
    case "compare":
      return <ComparePage a={route.a} b={route.b} />;
    case "doctor":
      return <DoctorPage key={route.scenario} scenario={route.scenario} />;
    case "unknown":
      return (
        <Page title="There is no such page">
          <p>
            Nothing lives at <code>{route.path}</code>. Begin at the <a href="/">scenarios</a> or the{" "}
            <a href="/sessions">sessions</a>.
          </p>
        </Page>
      );
  }
}
