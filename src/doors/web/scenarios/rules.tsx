import { measureText } from "../../../domain/measure-text.ts";
import type { Criterion } from "../../../domain/rubric.ts";
import type { Scenario } from "../../../domain/scenario.ts";
import type { ProbeCheck } from "../../../domain/task.ts";
import { checkText } from "../evidence/check-text.ts";
import { count, countOf, duration, usd } from "../format.ts";

/** Criteria with their weights and what their scores mean, and every hidden check. */
export function HowTheyAreJudged({ scenario: { rubric, task } }: { scenario: Scenario }) {
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
export function WhatHoldsThem({ scenario: { policies } }: { scenario: Scenario }) {
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
