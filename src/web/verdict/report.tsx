import { useMemo } from "preact/hooks";
import type { Side, Verdict } from "../../domain/verdict.ts";
import { ArmChanges } from "../diff/arm-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { ChecksTable } from "../evidence/checks-table.tsx";
import { DecisionLogs } from "../evidence/decision-row.tsx";
import { pointerTo } from "../evidence/shown-arm.ts";
import { duration, percent, score, tokens, usd, when } from "../format.ts";
import { Notice } from "../part/notice.tsx";
import { Page, Part } from "../part/page.tsx";
import { TrialOf } from "../part/trial-of.tsx";
import { voteOn } from "../preferences.ts";
import { toCompare, toDiff, toLive, toRunAgain, toScenario, toSeries } from "../routes.ts";
import type { Comparison } from "./comparison.ts";
import { Criteria } from "./criteria.tsx";
import { FactsTable } from "./facts-table.tsx";
import { History } from "./history.tsx";
import { Orders } from "./orders.tsx";
import { ConfidenceName, DECIDERS, OutcomeName } from "./outcome.tsx";
import { Warnings } from "./warnings.tsx";
import { weigh } from "./weighing.ts";

/** Lines of a changed file above which a report keeps it closed. */
const REPORT_LINES = 40;

/** The verdict as a report: the finding, how sure it is, the reasons, and all evidence. */
export function Report({ comparison }: { comparison: Comparison }) {
  const { verdict, a, b } = comparison;
  const { statement, scope = "" } = verdict;
  const finding = statement.endsWith(scope) ? statement.slice(0, statement.length - scope.length).trimEnd() : statement;
  const weighing = useMemo(() => weigh(verdict, a.session.definition.rubric.tie_margin), [verdict, a]);
  const fairness = a.session.fairness.observed;
  return (
    <Page title={finding} short={`Verdict on ${verdict.scenario}`} above={<Overline comparison={comparison} />}>
      {scope && <p class="lead">{scope}</p>}
      <VoteResult comparison={comparison} />
      <Warnings comparison={comparison} />
      <AtAGlance comparison={comparison} />
      <nav class="actions" aria-label="More on this verdict">
        <a class="button" href={toDiff(a.session.session_id, verdict.verdict_id)}>
          Diff
        </a>
        <a class="button" href={toCompare(pointerTo(a), pointerTo(b))}>
          Judge again
        </a>
        <a href={toLive(a.session.session_id, true)}>Timeline</a>
        <a href={toRunAgain(a.session)}>Run again</a>
        {a.session.comparison && <a href={toSeries(`cmp-${a.session.comparison}`)}>All runs of this comparison</a>}
      </nav>
      <Part title="Criteria">
        <Criteria comparison={comparison} weighing={weighing} />
      </Part>
      <Part title="Hidden checks">
        <ChecksTable arms={[a, b]} />
      </Part>
      <Part title="Both arms in numbers">
        <FactsTable comparison={comparison} />
        {fairness.length > 0 && <p class="small-print">What else differed: {fairness.join("; ")}.</p>}
      </Part>
      <Part title="Both judging orders">
        <Orders comparison={comparison} />
        <p class="small-print">
          Judging took {duration(verdict.usage.latency_ms)}, {tokens(verdict.usage.tokens_in)} in,{" "}
          {tokens(verdict.usage.tokens_out)} out, cost {usd(verdict.usage.cost_usd)}. Protocol {verdict.judge.protocol}.
        </p>
      </Part>
      <Part title="What the arms say">
        <Answers arms={[a, b]} />
      </Part>
      <Part title="What they did">
        <DecisionLogs arms={[a, b]} />
      </Part>
      <Part title="What they changed">
        <ArmChanges shown={a} open_lines={REPORT_LINES} />
        <ArmChanges shown={b} open_lines={REPORT_LINES} />
      </Part>
      <History comparison={comparison} />
    </Page>
  );
}

export function Overline({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const kinds = { run: "Verdict of the run", rejudge: "Judged again", cross_session: "Across two sessions" };
  return (
    <p class="overline">
      <a href={toScenario(verdict.scenario)}>{a.session.definition.title}</a> · {kinds[verdict.kind]} ·{" "}
      {when(verdict.created_at)}
      <TrialOf session={a.session} />
      <span class="session-id"> {a.session.session_id}</span>
      {b.session !== a.session && <span class="session-id"> {b.session.session_id}</span>}
    </p>
  );
}

/** A dash when there is neither a winner nor a tie to lose. */
function flipsWhen({ sensitivity, outcome }: Comparison["verdict"]): string {
  if (sensitivity === null || (outcome !== "winner" && outcome !== "tie")) return "—";
  const { flip_distance } = sensitivity;
  return flip_distance === null ? "no shift of weights flips it" : `${percent(flip_distance)} of the weight moves`;
}

function AtAGlance({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const side = verdict.winner_side;
  return (
    <dl class="glance">
      <div>
        <dt>Outcome</dt>
        <dd>
          <OutcomeName outcome={verdict.outcome} side={side} name={side === "b" ? b.name : a.name} />
          {verdict.lean_side && <span class="aside"> leans to {verdict.lean_side === "b" ? b.name : a.name}</span>}
        </dd>
      </div>
      <div>
        <dt>Decided by</dt>
        <dd>{DECIDERS[verdict.decided_by]}</dd>
      </div>
      <div>
        <dt>Confidence</dt>
        <dd>
          <ConfidenceName confidence={verdict.confidence} />
        </dd>
      </div>
      <div>
        <dt>Scores, 0 to 1</dt>
        <dd class="number">
          A {score(verdict.score_a)} · B {score(verdict.score_b)}
        </dd>
      </div>
      <div>
        <dt>Flips when</dt>
        <dd>{flipsWhen(verdict)}</dd>
      </div>
    </dl>
  );
}

/** Compares the reader's blind vote with the verdict. */
function VoteResult({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const choice = voteOn(verdict.verdict_id);
  if (choice === null) return null;
  const named = (side: Side | "tie" | null) =>
    side === "a" ? a.name : side === "b" ? b.name : side === "tie" ? "neither" : "nobody";
  const verdicts = namedBy(verdict);
  const agree = choice === verdicts;
  return (
    <Notice tone={agree ? "good" : "note"} title={agree ? "You and the verdict agree" : "You and the verdict differ"}>
      <p>
        Blind, you preferred <strong>{named(choice)}</strong>; the verdict names <strong>{named(verdicts)}</strong>.
        Your vote stays in this browser.
      </p>
    </Notice>
  );
}

function namedBy({ outcome, winner_side }: Verdict): Side | "tie" | null {
  return outcome === "tie" ? "tie" : winner_side;
}
