import { useSignal } from "@preact/signals";
import { diagnose, listScenarios } from "../api.ts";
import { Lights } from "../doctor/checks.tsx";
import { useLoaded } from "../loaded.ts";
import { FilterField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { ScenarioCard } from "./scenario-card.tsx";

export function ScenarioListPage() {
  const scenarios = useLoaded("scenarios", listScenarios);
  const environment = useLoaded("doctor", (signal) => diagnose(null, signal));
  const filter = useSignal("");
  return (
    <Page title="Scenarios">
      <div class="summary-line">
        <Show of={environment} what="the state of this machine">
          {(report) => (
            <a href="/doctor" class="plain">
              This machine: <Lights report={report} />
            </a>
          )}
        </Show>
      </div>
      <Show of={scenarios} what="the scenarios">
        {(rows) => {
          const wanted = filter.value.trim().toLowerCase();
          const shown = rows.filter(({ name, title, tags }) =>
            `${name} ${title} ${tags}`.toLowerCase().includes(wanted),
          );
          if (rows.length === 0) return <NoScenarios />;
          return (
            <>
              <FilterField label="Filter by name, title or tag" filter={filter} />
              <p role="status" class="hidden-text">
                {shown.length} of {rows.length} scenarios
              </p>
              {shown.length === 0 && <p class="empty">No scenario matches “{filter.value}”.</p>}
              <div class="cards">
                {shown.map((row) => (
                  <ScenarioCard key={row.name} row={row} />
                ))}
              </div>
            </>
          );
        }}
      </Show>
    </Page>
  );
}

function NoScenarios() {
  return (
    <p class="empty">
      There is no scenario yet. Put a <code>.yaml</code> file into the scenarios directory of the server and open this
      page again; the directory's README says how to write one.
    </p>
  );
}
