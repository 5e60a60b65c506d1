import type { JudgeCall, Side } from "../../../domain/verdict.ts";
import { countOf, duration, named, score, tokens, usd, words } from "../format.ts";
import { ArmMark, ArmName } from "../part/arm-name.tsx";
import { Light } from "../part/light.tsx";
import { toJudges } from "../routes.ts";
import type { Comparison } from "./comparison.ts";
import { leaderOf } from "./sum-text.ts";

/** The protocol whose masked repetition masked single lines. Later ones withhold all words. */
const FIRST_PROTOCOL = "swapped-pair/1";

/** What the judge answered in each order of presentation, side by side. */
export function Orders({ comparison }: { comparison: Comparison }) {
  const { verdict } = comparison;
  if (verdict.calls.length === 0)
    return (
      <p>
        No model was asked. <code>{verdict.judge.model}</code> goes by rules, hidden checks and measured criteria alone.
      </p>
    );
  const calls = verdict.calls.toSorted(
    (one, other) => Number(one.masked) - Number(other.masked) || one.order.localeCompare(other.order),
  );
  return (
    <>
      <p>
        {verdict.judge.members ? `A panel of ${verdict.judge.members.length}` : <code>{verdict.judge.model}</code>}{" "}
        judged both orders without knowing names or models.
      </p>
      {verdict.judge.members?.map((member) => (
        <section key={member.model} class="member">
          <MemberVote member={member} comparison={comparison} />
          <Calls calls={calls.filter(({ judge }) => judge === member.model)} comparison={comparison} />
        </section>
      )) ?? <Calls calls={calls} comparison={comparison} />}
      <p class="small-print">
        Judging took {duration(verdict.usage.latency_ms)}, {tokens(verdict.usage.tokens_in)} in,{" "}
        {tokens(verdict.usage.tokens_out)} out, cost {usd(verdict.usage.cost_usd)}. Protocol {verdict.judge.protocol}.{" "}
        <a href={toJudges({ scenario: verdict.scenario })}>How far this judge can be trusted</a>
      </p>
    </>
  );
}

/** Why a judge of a panel votes for neither; what it said with the arms' words in sight stands below. */
const WHY_NEITHER = {
  tie: "its scores lie within the margin",
  inconsistent: "its two orders disagree",
  inconclusive: "its scores do not clearly name one, or not without the arms' own words",
};

type Member = NonNullable<Comparison["verdict"]["judge"]["members"]>[number];

/** Whom a judge of a panel votes for. */
function MemberVote({ member, comparison }: { member: Member; comparison: Comparison }) {
  const { model, vote, outcome } = member;
  const names: Record<Side, string> = { a: comparison.a.name, b: comparison.b.name };
  return (
    <h3>
      <code>{model}</code>{" "}
      {vote === null ? (
        <span class="aside">gave no usable answer</span>
      ) : (
        <>
          <span class="aside">votes for</span>{" "}
          <Choice choice={vote === 0 ? "tie" : vote > 0 ? "a" : "b"} names={names} />
          {vote === 0 && <span class="aside">: {named<string>(WHY_NEITHER, outcome)}</span>}
        </>
      )}
    </h3>
  );
}

const Calls = ({ calls, comparison }: { calls: readonly JudgeCall[]; comparison: Comparison }) => (
  <div class="calls">
    {calls.map((call) => (
      <Call key={`${call.order} ${call.masked}`} call={call} comparison={comparison} />
    ))}
  </div>
);

function Call({ call, comparison: { a, b, verdict } }: { call: JudgeCall; comparison: Comparison }) {
  const second = verdict.judge.protocol === FIRST_PROTOCOL ? "suspected lines masked" : "the arms' own words withheld";
  const names: Record<Side, string> = { a: a.name, b: b.name };
  const first: Side = call.order === "ab" ? "a" : "b";
  const Heading = verdict.judge.members ? "h4" : "h3";
  return (
    <div class="call">
      <Heading>
        <ArmName side={first} name={names[first]} /> shown first
        {call.masked && <span class="aside"> {second}</span>}
      </Heading>
      {call.valid ? (
        <Finding call={call} names={names} />
      ) : (
        <Light status="error" name={`No usable answer: ${call.error}`} />
      )}
      {call.scores.length > 0 && <ScoreTable call={call} names={names} />}
      {call.rationale !== "" && <p class="arm-text">{call.rationale}</p>}
      {call.concerns.length > 0 && (
        <ul class="concerns" aria-label="Concerns">
          {call.concerns.map((concern) => (
            <li key={concern}>{concern}</li>
          ))}
        </ul>
      )}
      <p class="small-print">
        {countOf(call.attempts, "try", "tries")}, {tokens(call.tokens_in)} in, {tokens(call.tokens_out)} out,{" "}
        {duration(call.latency_ms)}
        {call.citations_invalid > 0 && `, ${countOf(call.citations_invalid, "citation")} dropped`}
        {call.model_served && `, answered by ${call.model_served}`}
      </p>
    </div>
  );
}

function Finding({ call, names }: { call: JudgeCall; names: Record<Side, string> }) {
  const leader = leaderOf(call.gap);
  return (
    <p>
      Scores name <Choice choice={call.label} names={names} />
      {leader && <span class="aside"> (lead {score(leader.lead)})</span>}; the judge says it prefers{" "}
      <Choice choice={call.preference} names={names} />
      {call.strength && call.strength !== "none" && <span class="aside"> ({words(call.strength)})</span>}.
    </p>
  );
}

function Choice({ choice, names }: { choice: Side | "tie" | null; names: Record<Side, string> }) {
  if (choice === "a" || choice === "b") return <ArmName side={choice} name={names[choice]} />;
  return <strong>{choice === "tie" ? "neither" : "nobody"}</strong>;
}

function ScoreTable({ call, names }: { call: JudgeCall; names: Record<Side, string> }) {
  return (
    <table class="scores">
      <thead>
        <tr>
          <th scope="col">Score, 0 to 4</th>
          {(["a", "b"] as const).map((side) => (
            <th key={side} scope="col" class="number">
              <ArmMark side={side} />
              <span class="hidden-text">{names[side]}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {call.scores.map(({ id, score_a, score_b, note_a, note_b, supported }) => (
          <tr key={id}>
            <th scope="row">
              <details>
                <summary>
                  {id}
                  {!supported && <span class="aside"> not supported</span>}
                </summary>
                <p class="arm-text">
                  <ArmMark side="a" /> {note_a}
                </p>
                <p class="arm-text">
                  <ArmMark side="b" /> {note_b}
                </p>
              </details>
            </th>
            <td class="number">{score_a}</td>
            <td class="number">{score_b}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
