import type { ComponentChildren } from "preact";
import { wilson } from "../../../domain/binomial.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { percentText } from "../../../domain/number-text.ts";
import { count, countOf } from "../format.ts";
import { BLIND_PAIRS, toJudges, toSelfTest } from "../routes.ts";
import { RangeBar } from "../series/range-bar.tsx";
import type { Agreement, JudgeGroup } from "./judge-group.ts";
import { ProfileTable } from "./profile-table.tsx";
import { SelfTestResult, TestedModel } from "./self-test-result.tsx";

/** How far one judge can be trusted: its self-tests, then what its verdicts say, each as a bar with its counts. */
export function JudgeCard({ group }: { group: JudgeGroup }) {
  const { model, protocol, verdicts, answered, undecided, position, repeats, checks, people, profiles } = group;
  const swayed = position.first + position.second;
  return (
    <section class="judge-card" data-stop tabIndex={-1} aria-label={`Judge ${model}`}>
      <header>
        <h2>
          <TestedModel model={model} />
        </h2>
        <p class="aside">
          protocol {protocol} · {countOf(verdicts, "verdict")}
          {verdicts > 0 && `, ${count(undecided)} without a winner`}
          {repeats.compared > 0 &&
            ` · asked again on ${countOf(repeats.compared, "pair")}, ${count(repeats.changed)} came out otherwise`}
        </p>
        <Tested group={group} />
      </header>
      {verdicts > 0 && (
        <dl class="judge-bars">
          <Measure name="Position bias" told={positionText(position, answered)}>
            <PositionBar position={position} answered={answered} />
          </Measure>
          <AgreementMeasure name="Agrees with checks hidden from it" found={checks.unseen} none={NO_CHECK} />
          <AgreementMeasure name="Agrees with checks that it saw" found={checks.seen} none={NO_CHECK} />
          <AgreementMeasure
            name="Agrees with people"
            found={people}
            none={
              <>
                not known: no blind vote to compare. <a href={BLIND_PAIRS}>Vote</a>
              </>
            }
          />
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

const NO_CHECK = "not known: no such verdict where the checks part the arms";

/** Only the latest of each scenario counts. */
function Tested({ group: { tests, model } }: { group: JudgeGroup }) {
  if (tests.length === 0)
    return (
      <p class="aside">
        No self-test here, so nobody knows whether it prefers known good work to worse work.{" "}
        <a href={toJudges({ judge: judgesNamed(model).join(",") })}>Test it</a>
      </p>
    );
  return (
    <ul class="judge-tests" aria-label="Latest self-test on each scenario">
      {tests.map(({ self_test_id, state, verdict, calls, scenario }) => (
        <li key={self_test_id}>
          <SelfTestResult {...{ state, verdict, calls }} /> <a href={toSelfTest(self_test_id)}>{scenario}</a>
        </li>
      ))}
    </ul>
  );
}

interface MeasureProps {
  readonly name: string;
  readonly told: ComponentChildren;
  readonly children: ComponentChildren;
}

function Measure({ name, told, children }: MeasureProps) {
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

interface AgreementProps {
  readonly name: string;
  readonly found: Agreement;
  /** Said where nothing was counted. */
  readonly none: ComponentChildren;
}

function AgreementMeasure({ name, found, none }: AgreementProps) {
  const { agree, of, rate, low, high } = found;
  const told =
    rate === null
      ? none
      : `${count(agree)} of ${count(of)}: ${percentText(rate)}, range ${percentText(low)} to ${percentText(high)}`;
  return (
    <Measure name={name} told={told}>
      {rate === null ? (
        <span class="range unknown" aria-hidden="true" />
      ) : (
        <RangeBar win_rate={rate} low={low} high={high} />
      )}
    </Measure>
  );
}

function positionText({ first, second }: JudgeGroup["position"], answered: number): string {
  if (answered === 0) return "not known: no usable answers";
  const followed = first + second;
  const { low, high } = wilson(followed, answered);
  const range = `range ${percentText(low)} to ${percentText(high)}`;
  if (followed === 0) return `in none of ${countOf(answered, "verdict")}; ${range}`;
  return `${count(followed)} of ${countOf(answered, "verdict")} followed the order, ${range}: ${count(first)} the arm shown first, ${count(second)} the second`;
}

/** A bar from the middle: to the left the share that named the arm shown first each time, to the right the second. */
function PositionBar({ position: { first, second }, answered }: Pick<JudgeGroup, "position" | "answered">) {
  if (answered === 0) return <span class="range unknown" aria-hidden="true" />;
  const width = (some: number) => `${(50 * some) / answered}%`;
  return (
    <span class="range position-bar" aria-hidden="true">
      <span class="position-part" style={{ right: "50%", width: width(first) }} />
      <span class="position-part" style={{ left: "50%", width: width(second) }} />
      <span class="range-half" />
    </span>
  );
}
