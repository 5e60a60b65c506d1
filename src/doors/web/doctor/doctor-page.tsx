import type { DoctorCheck } from "../../../domain/doctor-report.ts";
import { listScenarios, runDoctor } from "../api.ts";
import { countOf } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { SelectField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { navigate, toDoctor } from "../routes.ts";
import { CheckList, Estimate, Lights } from "./checks.tsx";

export function DoctorPage({ scenario }: { scenario: string | null }) {
  const report = useLoaded(`doctor ${scenario}`, (signal) => runDoctor(scenario, signal));
  const scenarios = useLoaded("scenarios", listScenarios);
  const names = scenarios.value.state === "ready" ? scenarios.value.value.map(({ name }) => name) : [];
  return (
    <Page title="Doctor">
      <p class="lead">
        Checks of this machine, and of one scenario when you choose it: its fixture, hidden checks, reference fix and
        budgets. That runs the scenario's own commands; it never calls a model.
      </p>
      <SelectField
        label="Also check a scenario"
        value={scenario ?? ""}
        choices={[["", "the environment only"], ...names.map((name) => [name, name] as const)]}
        pick={(name) => navigate(toDoctor(name || null))}
      />
      <Show of={report} what={scenario ? `the checks of ${scenario}; its commands run now` : "the checks"}>
        {(found) => (
          <>
            <p class="summary-line" role="status">
              <strong>{found.ok ? "Runs can work here." : "Something must be put right first."}</strong>{" "}
              <Lights report={found} />
            </p>
            {(["environment", "scenario"] as const).map((scope) => {
              const checks = found.checks.filter((check) => check.scope === scope);
              if (checks.length === 0) return null;
              return (
                <section key={scope}>
                  <h2>{scope === "environment" ? "Environment" : `Scenario ${found.scenario}`}</h2>
                  <AttentionFirst checks={checks} />
                </section>
              );
            })}
            {found.estimate && (
              <section>
                <h2>What a run may cost</h2>
                <Estimate estimate={found.estimate} />
              </section>
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

/** What needs attention; the rest is folded. */
function AttentionFirst({ checks }: { checks: readonly DoctorCheck[] }) {
  const fine = checks.filter(({ status }) => status === "pass");
  const others = checks.filter(({ status }) => status !== "pass");
  return (
    <>
      {others.length > 0 && <CheckList checks={others} />}
      {fine.length > 0 && (
        <details class="fold">
          <summary>{countOf(fine.length, "check")} passed</summary>
          <CheckList checks={fine} />
        </details>
      )}
    </>
  );
}
