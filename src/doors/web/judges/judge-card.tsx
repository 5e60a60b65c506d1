import type { ComponentChildren } from "preact";
import { judgesNamed } from "../../../domain/model-name.ts";
import { percentText } from "../../../domain/number-text.ts";
import { count, countOf } from "../format.ts";
import { toSelfTest } from "../routes.ts";
import { RangeBar } from "../series/range-bar.tsx";
import type { Agreement, JudgeGroup } from "./judge-group.ts";
import { ProfileTable } from "./profile-table.tsx";
import { SelfTestResult } from "./self-test-result.tsx";

/** How far one judge can be trusted: its self-tests, then what its verdicts say, each as a bar with its counts. */
export function JudgeCard({ group }: { group: JudgeGroup }) {
  const { model, protocol, verdicts, undecided, position, repeats, checks, people, profiles } = group;
  const swayed = position.first + position.second;
  return (
    <section class="judge-card" data-stop tabIndex={-1} aria-label={`Judge ${model}`}>
      <header>
        <h2>
          {judgesNamed(model).map((name) => (
            <code key={name} class="judge-model">
              {name}
            </code>
          ))}
        </h2>
        <p class="aside">
          {protocol} · {countOf(verdicts, "verdict")}
          {verdicts > 0 && `, ${count(undecided)} without a winner`}
          {repeats.compared > 0 &&
            ` · asked again on ${countOf(repeats.compared, "pair")}, ${count(repeats.changed)} came out otherwise`}
        </p>
        <Tested group={group} />
      </header>
      {verdicts > 0 && (
        <dl class="judge-bars">
          <Measure name="Position bias" told={positionText(position, verdicts)}>
            <PositionBar position={position} verdicts={verdicts} />
          </Measure>
          <AgreementMeasure name="Agrees with hidden checks" found={checks.unseen} none="no verdict that tells" />
          {checks.seen.of > 0 && (
            <AgreementMeasure name="Agrees with checks that it saw" found={checks.seen} none="no verdict that tells" />
          )}
          <AgreementMeasure name="Agrees with people" found={people} none="no blind vote yet" />
        </dl>
      )}
      {profiles.length > 0 && (
        <details class="fold">
          <summary>
            Each scenario apart{swayed > 0 && ", with what followed the order"} ({count(profiles.length)})
          </summary>
          <ProfileTable profiles={profiles} />
        </details>
      )}
    </section>
  );
}

/** Only the latest of each scenario counts. */
function Tested({ group: { tests } }: { group: JudgeGroup }) {
  if (tests.length === 0) return <p class="aside">Not tested here.</p>;
  return (
    <ul class="judge-tests" aria-label="Latest self-test on each scenario">
      {tests.map(({ self_test_id, state, verdict, scenario }) => (
        <li key={self_test_id}>
          <SelfTestResult state={state} verdict={verdict} /> <a href={toSelfTest(self_test_id)}>{scenario}</a>
        </li>
      ))}
    </ul>
  );
}

function Measure({ name, told, children }: { name: string; told: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        <span class="aside">{told}</span>
      </dd>
    </div>
  );
}

function AgreementMeasure({ name, found, none }: { name: string; found: Agreement; none: string }) {
  const { agree, of, rate, low, high } = found;
  const told =
    rate === null
      ? none
      : `${count(agree)} of ${count(of)}: ${percentText(rate)}, range ${percentText(low)} to ${percentText(high)}`;
  return (
    <Measure name={name} told={told}>
      {rate === null ? <span class="range" aria-hidden="true" /> : <RangeBar win_rate={rate} low={low} high={high} />}
    </Measure>
  );
}

function positionText({ first, second }: JudgeGroup["position"], verdicts: number): string {
  if (first + second === 0) return `none seen in ${countOf(verdicts, "verdict")}`;
  return `${count(first + second)} of ${countOf(verdicts, "verdict")} followed the order: ${count(first)} the arm shown first, ${count(second)} the second`;
}

/** A bar from the middle: to the left the share that named the arm shown first each time, to the right the second. */
function PositionBar({ position: { first, second }, verdicts }: Pick<JudgeGroup, "position" | "verdicts">) {
  const width = (some: number) => `${(50 * some) / Math.max(1, verdicts)}%`;
  return (
    <span class="range position-bar" aria-hidden="true">
      <span class="position-part" style={{ right: "50%", width: width(first) }} />
      <span class="position-part" style={{ left: "50%", width: width(second) }} />
      <span class="range-half" />
    </span>
  );
}
