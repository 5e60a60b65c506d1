import { listScenarios, runDoctor } from "../api.ts";
import { Lights } from "../doctor/checks.tsx";
import { useLoaded } from "../loaded.ts";
import { FilterField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { navigate, toScenarios } from "../routes.ts";
import { ScenarioCard } from "./scenario-card.tsx";

export function ScenarioListPage({ filter }: { filter: string }) {
  const scenarios = useLoaded("scenarios", listScenarios);
  const environment = useLoaded("doctor", (signal) => runDoctor(null, signal));
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
          const wanted = filter.trim().toLowerCase();
          const shown = rows
            .filter(({ name, title, tags }) => `${name} ${title} ${tags}`.toLowerCase().includes(wanted))
            // What cannot be run comes last.
            .toSorted((one, other) => Number(one.error !== null) - Number(other.error !== null));
          if (rows.length === 0) return <NoScenarios />;
          return (
            <>
              <FilterField label="Filter by name, title or tag" filter={filter} set={setFilter} />
              <p role="status" class="hidden-text">
                {shown.length} of {rows.length} scenarios
              </p>
              {shown.length === 0 && <p class="empty">No scenario matches “{filter}”.</p>}
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

/** The filter stands in the address, so that the way back leads to it. */
const setFilter = (filter: string) => navigate(toScenarios(filter), { replace: true });

function NoScenarios() {
  return (
    <p class="empty">
      There is no scenario yet. Put a <code>.yaml</code> file into the scenarios directory of the server and open this
      page again; the directory's README says how to write one.
    </p>
  );
}
