import type { ComponentProps } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { contradict } from "../../../domain/contradict.ts";
import { findingOf } from "../../../domain/people-agreement.ts";
import type { Side } from "../../../domain/verdict.ts";
import { verdictNotes } from "../../../domain/verdict-words.ts";
import { wordsText } from "../../../domain/words.ts";
import { sessionPicture, sessionReport } from "../api.ts";
import { BothArmsChanges } from "../diff/both-arms-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { ChecksTable } from "../evidence/checks-table.tsx";
import { citing } from "../evidence/cited.ts";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { areChangesNews, isAnswerTheWork } from "../evidence/shown-arm.ts";
import { named, when } from "../format.ts";
import { CaveatLine } from "../part/caveats.tsx";
import { type PageSection, Sections } from "../part/contents.tsx";
import { Notice } from "../part/notice.tsx";
import { Origin } from "../part/origin.tsx";
import { Page } from "../part/page.tsx";
import { Say } from "../part/say.tsx";
import { rememberSeen, voteOn } from "../preferences.ts";
import { toDiff, toLive, toRunAgain, toScenario, toSeries } from "../routes.ts";
import { MORE_OF_SESSION, ShareWays } from "../share/share.tsx";
import { type Comparison, headlineWords } from "./comparison.ts";
import { Criteria } from "./criteria.tsx";
import { DecidingFacts, differingChecks } from "./deciding.tsx";
import { FactsTable } from "./facts-table.tsx";
import { AtAGlance } from "./glance.tsx";
import { historyText, VerdictHistory } from "./history.tsx";
import { JudgeAgain } from "./judge-again.tsx";
import { Orders } from "./orders.tsx";
import { VerdictWarnings } from "./warnings.tsx";
import { openWeighing, type Weighing } from "./weighing.ts";
import { WhatPeopleSay } from "./what-people-say.tsx";

/** Lines of a changed file above which a report keeps it closed. */
const REPORT_LINES = 40;

/** The verdict: who, why and how sure first; then all evidence, what decided at the top. */
export function Report({ comparison, session_id, votes }: ComponentProps<typeof WhatPeopleSay>) {
  const { verdict, a, b, history } = comparison;
  useEffect(() => rememberSeen(verdict.verdict_id), [verdict.verdict_id]);
  useEffect(() => {
    citing.value = verdict.criteria;
    return () => {
      citing.value = [];
    };
  }, [verdict]);
  const { statement, scope = "" } = verdict;
  const finding = statement.endsWith(scope) ? statement.slice(0, statement.length - scope.length).trimEnd() : statement;
  const headline = headlineWords(comparison);
  const weighing = useMemo(() => openWeighing(verdict, a.session.definition.rubric.tie_margin), [verdict, a]);
  return (
    <Page
      title={wordsText(headline)}
      short={`${wordsText(headline)}: ${verdict.scenario}`}
      heading={
        <span class={verdict.winner_side ? `preferred side-${verdict.winner_side}` : undefined}>
          <Say words={headline} />
        </span>
      }
      above={<Overline comparison={comparison} />}
    >
      <CaveatLine flags={verdict.flags} conflict={contradict(history)} says={historyText(history)} />
      <div class="finding">
        <p class="lead">{finding}</p>
        {scope && <p class="small-print">{scope}</p>}
        {verdictNotes(verdict).map((note) => (
          <p key={wordsText(note)} class="small-print">
            <Say words={note} />
          </p>
        ))}
      </div>
      <VoteResult comparison={comparison} />
      <AtAGlance comparison={comparison} />
      <VerdictWarnings comparison={comparison} />
      <nav class="actions" aria-label="More on this verdict">
        <a class="button" href={toDiff(a.session.session_id, verdict.verdict_id)}>
          Diff
        </a>
        <a class="button" href={toLive(a.session.session_id, true)}>
          Timeline
        </a>
        {b.session !== a.session && (
          <a class="button" href={toLive(b.session.session_id, true)}>
            Timeline of B
          </a>
        )}
        <JudgeAgain pair={[a, b]} known={history.length} />
        <a href={toRunAgain(a.session)}>Run again</a>
        {a.session.comparison && <a href={toSeries(`cmp-${a.session.comparison}`)}>All runs of this comparison</a>}
        <ShareWays {...addressesOf(comparison)} more={MORE_OF_SESSION} />
      </nav>
      <Sections
        sections={[
          ...sectionsOf(comparison, weighing),
          { id: "people", title: "What people say", content: <WhatPeopleSay {...{ comparison, session_id, votes }} /> },
        ]}
      />
    </Page>
  );
}

function addressesOf({ verdict: { verdict_id }, a: { session } }: Comparison) {
  const of = [session.session_id, session.verdict?.verdict_id === verdict_id ? null : verdict_id] as const;
  return { report: sessionReport(...of), card: sessionPicture(...of) };
}

/** What decided comes first, after the answers where they are the work. */
function sectionsOf(comparison: Comparison, weighing: Weighing): readonly PageSection[] {
  const { verdict, a, b, history } = comparison;
  const fairness = a.session.fairness.observed;
  const criteria = {
    id: "criteria",
    title: "Criteria",
    content: <Criteria comparison={comparison} weighing={weighing} />,
  };
  const checks = { id: "checks", title: "Hidden checks", content: <ChecksTable arms={[a, b]} /> };
  const facts = {
    id: "numbers",
    title: "Both arms in numbers",
    content: (
      <>
        <FactsTable a={a} b={b} facts={verdict.facts} />
        {fairness.length > 0 && <p class="small-print">What else differed: {fairness.join("; ")}.</p>}
      </>
    ),
  };
  const decided = {
    id: "decided",
    title: verdict.decided_by === "none" ? "What tells them apart" : "What decided",
    content: <DecidingFacts comparison={comparison} />,
  };
  const answers = { id: "answers", title: "What the arms say", content: <Answers arms={[a, b]} /> };
  const changes = {
    id: "changes",
    title: "What they changed",
    content: <BothArmsChanges arms={[a, b]} open_lines={REPORT_LINES} />,
  };
  const answerFirst = isAnswerTheWork([a, b]);
  return [
    ...(answerFirst ? [answers] : []),
    ...(factsDecide(comparison) ? [decided, facts, criteria, checks] : [criteria, checks, facts]),
    { id: "orders", title: "Both judging orders", content: <Orders comparison={comparison} /> },
    ...(answerFirst ? [] : [answers]),
    { id: "steps", title: "What they did", content: <DecisionLogs arms={[a, b]} /> },
    ...(areChangesNews([a, b]) ? [changes] : []),
    ...(history.length > 1
      ? [
          {
            id: "history",
            title: "Every verdict on these two runs",
            content: <VerdictHistory comparison={comparison} />,
          },
        ]
      : []),
  ];
}

/** A broken rule or a check stands between the arms, for or against what is judged. */
const factsDecide = ({ verdict: { decided_by, flags, facts }, a, b }: Comparison) =>
  decided_by === "gate" ||
  facts.a.disqualified ||
  facts.b.disqualified ||
  ((decided_by === "probe" || flags.includes("judge_probe_conflict")) && differingChecks(a, b).length > 0);

function Overline({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const kinds = { run: "Verdict of the run", rejudge: "Judged again", cross_session: "Across two sessions" };
  return (
    <p class="overline">
      <a href={toScenario(verdict.scenario)}>{a.session.definition.title}</a> · {named(kinds, verdict.kind)} ·{" "}
      {when(verdict.created_at)}
      <Origin session={a.session} />
      <span class="session-id"> {a.session.session_id}</span>
      {b.session !== a.session && <span class="session-id"> {b.session.session_id}</span>}
    </p>
  );
}

/** Compares the reader's own vote with the verdict. */
function VoteResult({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
  const vote = voteOn(verdict.verdict_id);
  if (vote === null) return null;
  const finding = findingOf(verdict);
  const named = (choice: Side | "tie") => (choice === "a" ? a.name : choice === "b" ? b.name : "neither");
  const preferred = (
    <>
      {vote.blind && "Blind, "}
      {vote.blind ? "you" : "You"} preferred <strong>{named(vote.choice)}</strong>
    </>
  );
  if (finding === null)
    return (
      <Notice tone="note" title="Your vote is kept">
        <p>{preferred}; the verdict names nobody, and is no tie.</p>
      </Notice>
    );
  const agree = vote.choice === finding;
  return (
    <Notice tone={agree ? "good" : "note"} title={agree ? "You and the verdict agree" : "You and the verdict differ"}>
      <p>
        {preferred}; the verdict names <strong>{named(finding)}</strong>.
      </p>
    </Notice>
  );
}
