import { isScripted } from "../../../domain/model-name.ts";
import { call, listScenarios } from "../api.ts";
import { useLoaded, useSubmission } from "../loaded.ts";
import { ArmMark } from "../part/arm-name.tsx";
import { Refused } from "../part/show.tsx";
import { navigate, toLive, toResults, toScenarios } from "../routes.ts";

/** What a server that has run nothing shows: what it is for, and a run that needs no key. */
export function FirstVisit() {
  return (
    <>
      <p class="lead">
        You changed an agent: its prompt, its model, its tools. abeval runs it before and after on the same task, and
        says which did better, how sure that is, and why.
      </p>
      <WhatItIs />
      <Sample />
      <p class="aside">
        Did another harness run your agents? <a href={toResults()}>Compare its table of results</a>.
      </p>
    </>
  );
}

/** The four words that every page uses. */
export const WhatItIs = () => (
  <ol class="what-it-is" aria-label="What is compared">
    <li>
      <h2>An agent works on a task</h2>
      <p>
        An <strong>agent</strong> is a model with instructions and tools. It works in a folder of its own until it says
        that it is done.
      </p>
    </li>
    <li>
      <h2>
        Two arms, <ArmMark side="a" /> and <ArmMark side="b" />
      </h2>
      <p>
        An <strong>arm</strong> is an agent as you set it up. In an <strong>A/B</strong> both arms get the same task,
        and differ in one thing: the one that you changed.
      </p>
    </li>
    <li>
      <h2>Checks, and a blind judge</h2>
      <p>
        Hidden checks try what each arm left. A judge model compares the two without knowing which is which, once in
        each order.
      </p>
    </li>
    <li>
      <h2>A verdict, then a series</h2>
      <p>
        One run gives a <strong>verdict</strong>. Chance plays a part in it, so a <strong>series</strong> repeats the
        run until the answer holds.
      </p>
    </li>
  </ol>
);

/** Starts a scenario whose arms replay scripts. */
function Sample() {
  const scenarios = useLoaded("scenarios", listScenarios).value;
  const sample =
    scenarios.state === "ready"
      ? scenarios.value.find(({ error, arms }) => error === null && arms.every(({ model }) => isScripted(model)))
      : undefined;
  const { busy, failure, onSubmit } = useSubmission(async () => {
    if (sample) navigate(toLive((await call("POST /api/runs/async", { scenario: sample.name })).session_id));
  });
  return (
    <form class="actions" onSubmit={onSubmit}>
      {sample && (
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? "Starting …" : "Run a sample"}
        </button>
      )}
      <a class={sample ? "" : "button"} href={toScenarios("")}>
        See the scenarios
      </a>
      {sample && (
        <span class="aside">{sample.title}. Its arms replay scripts: it needs no key for them, and takes seconds.</span>
      )}
      {failure.value && <Refused error={failure.value} />}
    </form>
  );
}
