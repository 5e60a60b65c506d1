import { measureText } from "../../../domain/measure-text.ts";
import type { Criterion } from "../../../domain/rubric.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { ProbeCheck } from "../../../domain/task.ts";
import type { Side } from "../../../domain/verdict.ts";
import { getScenario, runDoctor } from "../api.ts";
import { CheckList, Lights } from "../doctor/checks.tsx";
import { checkText } from "../evidence/check-text.ts";
import { count, countOf, duration, usd, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { ArmName } from "../part/arm-name.tsx";
import { lazy } from "../part/lazy.tsx";
import { Notice } from "../part/notice.tsx";
import { Page } from "../part/page.tsx";
import { SaidToArms } from "../part/said-to-arms.tsx";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { type ChosenModels, toSeriesList, toSessions } from "../routes.ts";
import { armDifferences } from "./differences.ts";
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
        <SaidToArms task={scenario.task} arms={scenario.arms} />
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

function DifferencesTable({ scenario }: { scenario: Scenario }) {
  const differences = armDifferences(scenario);
  const [a, b] = scenario.arms;
  if (differences.length === 0)
    return (
      <Notice tone="note" title="The arms are set up alike">
        <p>A run of two equal arms shows how much chance and the judge alone make of no difference.</p>
      </Notice>
    );
  return (
    <DataTable
      label="What differs between the arms"
      kind="sides stacked"
      heads={["Differs in", <ArmName side="a" name={a.id} />, <ArmName side="b" name={b.id} />]}
    >
      {differences.map(({ field, declared, a: ofA, b: ofB }) => (
        <tr key={field}>
          <th scope="row">
            {words(field)}
            <small>{declared ? "declared" : "not declared"}</small>
          </th>
          <td class="prose-cell">
            <OfArm side="a" name={a.id} />
            {ofA}
          </td>
          <td class="prose-cell">
            <OfArm side="b" name={b.id} />
            {ofB}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** Shown on a phone, where the columns stand below each other and have no heads. */
function OfArm({ side, name }: { side: Side; name: string }) {
  return (
    <span class="of-arm">
      <ArmName side={side} name={name} />
    </span>
  );
}

/** Criteria with their weights and what their scores mean, and every hidden check. */
function HowTheyAreJudged({ scenario: { rubric, task } }: { scenario: Scenario }) {
  const total = rubric.criteria.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <>
      <ul class="rubric">
        {rubric.criteria.map((criterion) => (
          <li key={criterion.id}>
            <span class="quantity">
              {total === 0 ? "no weight" : `${Math.round((100 * criterion.weight) / total)}%`}
            </span>
            <div>
              <strong>{criterion.id}</strong>{" "}
              {criterion.kind === "judged"
                ? criterion.question
                : `Measured by code: ${measureText(criterion.measure)}.`}
              <Anchors criterion={criterion} />
            </div>
          </li>
        ))}
      </ul>
      <HiddenChecks checks={task.probe?.checks ?? []} />
    </>
  );
}

function Anchors({ criterion }: { criterion: Criterion }) {
  const anchors = criterion.kind === "judged" ? Object.entries(criterion.anchors) : [];
  if (anchors.length === 0) return null;
  return (
    <details class="anchors">
      <summary>
        What its scores mean<span class="hidden-text">: {criterion.id}</span>
      </summary>
      <dl>
        {anchors.map(([value, text]) => (
          <div key={value}>
            <dt>{value}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function HiddenChecks({ checks }: { checks: readonly ProbeCheck[] }) {
  if (checks.length === 0) return <p>No hidden checks: only the judge and the measured criteria decide.</p>;
  return (
    <>
      <p>
        {countOf(checks.length, "hidden check")} after both arms have stopped
        {checks.some(({ required }) => required) && "; an arm that passes all required ones beats one that does not"}.
      </p>
      <ul class="rubric">
        {checks.map((check) => (
          <li key={check.id}>
            <span class="quantity">× {count(check.weight)}</span>
            <div>
              <strong>{check.id}</strong> <code>{checkText(check)}</code>{" "}
              {check.required && <span class="aside">required</span>}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Budgets and rules of both arms; an arm's own limits are among what differs. */
function WhatHoldsThem({ scenario: { policies } }: { scenario: Scenario }) {
  const { budget, commands, paths, network, required } = policies;
  const rows: readonly (readonly [name: string, text: string])[] = [
    ["Turns", `at most ${count(budget.max_turns)}`],
    ["Tokens", `at most ${count(budget.max_tokens)}`],
    ["Tool calls", `at most ${count(budget.max_tool_calls)}`],
    ["Time", `at most ${duration(1_000 * budget.max_seconds)}`],
    ["Cost", budget.max_cost_usd === null ? "no limit of its own" : `at most ${usd(budget.max_cost_usd)}`],
    ["Network", network === "none" ? "none" : "open"],
    ["May not change", paths.protected.join(", ")],
    ["May not run", commands.deny.join(", ")],
    ["May run only", commands.allow?.join(", ") ?? ""],
    ["Must do", required.map(({ id, min }) => `${id}${min > 1 ? `, ${countOf(min, "time")}` : ""}`).join("; ")],
  ];
  return (
    <dl class="plan">
      {rows
        .filter(([, text]) => text !== "")
        .map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
    </dl>
  );
}
