import type { Scenario } from "../../../domain/scenario.ts";
import { getScenario, runDoctor } from "../api.ts";
import { CheckList, Lights } from "../doctor/checks.tsx";
import { useLoaded } from "../loaded.ts";
import { lazy } from "../part/lazy.tsx";
import { Page } from "../part/page.tsx";
import { SaidToArms } from "../part/said-to-arms.tsx";
import { Show } from "../part/show.tsx";
import { type ChosenModels, toSeriesList, toSessions } from "../routes.ts";
import { DifferencesTable } from "./differences-table.tsx";
import { HowTheyAreJudged, WhatHoldsThem } from "./rules.tsx";
import { RunForm } from "./run-form.tsx";

const History = lazy(async () => (await import("./history.tsx")).History);

/** A scenario: its task, what differs between the arms, how they are judged, what a run may cost. */
export function ScenarioPage({ name, models }: { name: string; models: ChosenModels }) {
  const scenario = useLoaded(`scenario ${name}`, (signal) => getScenario(name, signal));
  const title = scenario.value.state === "ready" ? scenario.value.value.title : name;
  return (
    <Page title={title}>
      <Show of={scenario} what={`the scenario ${name}`}>
        {(definition) => <Definition scenario={definition} models={models} />}
      </Show>
    </Page>
  );
}

function Definition({ scenario, models }: { scenario: Scenario; models: ChosenModels }) {
  const report = useLoaded(`doctor ${scenario.name}`, (signal) => runDoctor(scenario.name, signal));
  const estimate = report.value.state === "ready" ? report.value.value.estimate : null;
  return (
    <>
      <p class="lead">{scenario.description}</p>
      <section>
        <h2>Run</h2>
        <RunForm scenario={scenario} estimate={estimate} models={models} />
        <Show of={report} what="its checks; their commands run now">
          {(found) => (
            <details class="fold">
              <summary>
                {found.ok ? "It is ready to run: " : "Something must be put right first: "} <Lights report={found} />
              </summary>
              <CheckList checks={found.checks} />
            </details>
          )}
        </Show>
      </section>
      <section>
        <h2>History</h2>
        <History scenario={scenario.name} />
      </section>
      <section>
        <h2>What differs between the arms</h2>
        <DifferencesTable scenario={scenario} />
      </section>
      <section>
        <h2>What both arms are asked</h2>
        <SaidToArms task={scenario.task} />
      </section>
      <section>
        <h2>How they are judged</h2>
        <HowTheyAreJudged scenario={scenario} />
      </section>
      <section>
        <h2>Limits</h2>
        <WhatHoldsThem scenario={scenario} />
      </section>
      <p>
        <a href={toSessions({ scenario: scenario.name })}>Sessions of this scenario</a>,{" "}
        <a href={toSeriesList(scenario.name)}>series with it</a>
      </p>
    </>
  );
}
