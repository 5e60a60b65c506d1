import { useSignal } from "@preact/signals";
import type { ScenarioListing } from "../../../domain/scenario.ts";
import { getScenario, listScenarios, listSessions, runDoctor } from "../api.ts";
import { Lights } from "../doctor/checks.tsx";
import { when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ARM_SIDES, ArmName } from "../part/arm-name.tsx";
import { FilterField } from "../part/fields.tsx";
import { Page } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { blind } from "../preferences.ts";
import { navigate, toScenario, toScenarios, toSession, toSessions } from "../routes.ts";
import { armDifferences } from "./differences.ts";

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

function ScenarioCard({ row }: { row: ScenarioListing }) {
  if (row.error !== null) return <BrokenCard name={row.name} error={row.error} />;
  return (
    <section class="card" data-stop tabIndex={-1} aria-labelledby={`card-${row.name}`}>
      <h2 id={`card-${row.name}`}>
        <a href={toScenario(row.name)}>{row.title}</a>
      </h2>
      <p class="card-description">{row.description}</p>
      <ul class="card-arms">
        {row.arms.map((arm, index) => (
          <li key={arm.id}>
            <ArmName side={ARM_SIDES[index] ?? "b"} name={arm.id} />
            <span class="aside">
              {arm.title !== arm.id && `${arm.title} · `}
              <code>{arm.model}</code>
            </span>
          </li>
        ))}
      </ul>
      <Contrast name={row.name} />
      <LastResult name={row.name} />
      <ul class="tags" aria-label="Tags">
        {row.tags.map((tag) => (
          <li key={tag}>{tag}</li>
        ))}
      </ul>
      <div class="card-foot">
        <a class="button" href={toScenario(row.name)}>
          Run<span class="hidden-text"> {row.title}</span> …
        </a>
        <a href={toSessions({ scenario: row.name })}>
          Sessions<span class="hidden-text"> of {row.title}</span>
        </a>
        <CardDoctor name={row.name} />
      </div>
    </section>
  );
}

function Contrast({ name }: { name: string }) {
  const definition = useLoaded(`scenario ${name}`, (signal) => getScenario(name, signal));
  const loaded = definition.value;
  if (loaded.state !== "ready") return null;
  const differences = armDifferences(loaded.value);
  return (
    <p class="contrast">
      {differences.length === 0 ? "The arms are set up alike." : "They differ in "}
      {differences.map(({ field }, index) => (
        <span key={field}>
          {index > 0 && ", "}
          <strong>{words(field)}</strong>
        </span>
      ))}
      {differences.length > 0 && "."}
    </p>
  );
}

/** What the latest session gave; nothing where there is none. */
function LastResult({ name }: { name: string }) {
  const latest = useLoaded(`latest ${name}`, (signal) => listSessions({ scenario: name, limit: 1 }, signal));
  const [session] = latest.value.state === "ready" ? latest.value.value : [];
  if (!session || blind.value) return null;
  const { session_id, outcome, winner, state, arms, created_at } = session;
  const side = ARM_SIDES[arms.findIndex(({ arm_id }) => arm_id === winner)];
  return (
    <p class="aside">
      <a href={toSession(session_id)}>Last result</a>:{" "}
      {side && winner ? <ArmName side={side} name={winner} /> : words(outcome ?? state)}
      {side && " won"}, {when(created_at)}
    </p>
  );
}

/** The checks run commands for seconds, so they start only when a reader asks. */
function CardDoctor({ name }: { name: string }) {
  const asked = useSignal(false);
  const report = useLoaded(asked.value ? `doctor ${name}` : null, (signal) => runDoctor(name, signal));
  if (!asked.value)
    return (
      <button type="button" class="quiet" onClick={() => (asked.value = true)}>
        Check<span class="hidden-text"> {name}</span>
      </button>
    );
  return (
    <Show of={report} what={`the checks of ${name}`}>
      {(found) => <Lights report={found} />}
    </Show>
  );
}

function BrokenCard({ name, error }: { name: string; error: string }) {
  return (
    <section class="card" data-stop tabIndex={-1}>
      <h2>{name}</h2>
      <details class="fold">
        <summary>This file cannot be run</summary>
        <pre class="wrapped">{error}</pre>
      </details>
    </section>
  );
}
