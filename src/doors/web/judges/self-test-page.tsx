import { judgesNamed } from "../../../domain/model-name.ts";
import type { SelfTest, SelfTestPartId } from "../../../domain/self-test.ts";
import { SELF_TEST_TITLES, selfTestSentence } from "../../../domain/self-test-sentence.ts";
import type { Flag } from "../../../domain/verdict.ts";
import { call } from "../api.ts";
import { count, countOf, named, usd, when, words } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Notice } from "../part/notice.tsx";
import { Entry, Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { toJudges, toScenario } from "../routes.ts";
import { GradeLight, SelfTestResult, TestedModel } from "./self-test-result.tsx";

const RIGHT_ANSWERS: Record<SelfTestPartId, string> = {
  reference_against_nop: "The right answer is the known one, whichever is shown first.",
  half_of_reference: "The right answer is the whole of it.",
  same_evidence: "The right answer is no winner: both are the same.",
  harmless_edits: "The right answer is no winner: the edit makes the work neither better nor worse.",
};

const FOUND = { invalid: "no usable answer", inconsistent: "its two orders disagree" };

/** A self-test of a judge, also while it runs. */
export function SelfTestPage({ id }: { id: string }) {
  const test = useLoaded(`self-test ${id}`, (signal) => call("GET /api/self-tests/:id", { id }, signal), {
    changes: ({ state }) => state === "running",
  });
  return (
    <Page
      title="Self-test of a judge"
      short={`Self-test ${id}`}
      above={
        <p class="overline">
          <a href={toJudges()}>Judges</a>
          <span class="session-id"> {id}</span>
        </p>
      }
    >
      <Show of={test} what={`self-test ${id}`}>
        {(value) => <Result test={value} />}
      </Show>
    </Page>
  );
}

function Result({ test }: { test: SelfTest }) {
  const { state, verdict, judge, scenario, calls, cost_usd, created_at, failure, parts } = test;
  const sentence = selfTestSentence(test);
  // One reason why there was nothing to ask holds for every part, and the sentence gives it.
  const isUntested = parts.length > 0 && parts.every((part) => part.verdict === "skip");
  return (
    <>
      {sentence && <p>{sentence}</p>}
      <dl class="glance">
        <Entry name="Result">
          <span role="status">
            <SelfTestResult {...{ state, verdict, calls }} />
          </span>
        </Entry>
        <Entry name="Judge">
          <TestedModel model={judge.model} />
        </Entry>
        <Entry name="Scenario">
          <a href={toScenario(scenario)}>{scenario}</a>
        </Entry>
        <Entry name="Asked">
          {countOf(calls, "judge call")}, {cost_usd === null ? "cost unknown" : usd(cost_usd)}
        </Entry>
        <Entry name="Begun">{when(created_at)}</Entry>
      </dl>
      {failure && (
        <Notice tone="danger" title="The self-test was not completed">
          <p class="arm-text">{failure.message}</p>
          <p>
            <code>{failure.code}</code>
          </p>
        </Notice>
      )}
      {state !== "running" && (
        <p class="actions">
          <a class="button" href={toJudges({ scenario, judge: judgesNamed(judge.model).join(",") })}>
            {isUntested ? "Test it on another scenario" : "Test it again"}
          </a>
          <span class="aside">
            {isUntested && "Nothing about this judge was learned here."}
            {verdict === "pass" && "A pass says that these faults did not show, not that it judges well."}
          </span>
        </p>
      )}
      {!isUntested && parts.map((part) => <TestPart key={part.id} part={part} />)}
    </>
  );
}

/** An answer that cannot be used stands in the column before. */
const flagWords = (flag: Flag) => (flag === "judge_invalid" ? [] : words(flag));

/** What a judge was shown in the place of an arm; an edit has its own name. */
const SPECIMENS = { reference: "the known good work", half: "half of it", nop: "no work", copy: "a copy of it" };

const specimen = (name: string) => named(SPECIMENS, name);

function TestPart({ part: { id, verdict, note, trials } }: { part: SelfTest["parts"][number] }) {
  return (
    <PagePart title={named(SELF_TEST_TITLES, id)}>
      <p>
        <GradeLight grade={verdict} />: {words(note)}. <span class="aside">{named(RIGHT_ANSWERS, id)}</span>
      </p>
      {trials.length > 0 && (
        <DataTable
          label={`Judgings: ${named(SELF_TEST_TITLES, id)}`}
          kind="rows judgings"
          heads={["Compared", "The judge found", "Flags", "Judgings"]}
        >
          {alike(trials).map(([found, { length }]) => (
            <tr key={JSON.stringify(found)}>
              <td>
                {specimen(found.a)} against {specimen(found.b)}
              </td>
              <td>
                {foundIn(found)}
                {found.lean && <span class="aside"> leans to {specimen(found.lean)}</span>}
              </td>
              <td class="aside">{found.flags.flatMap(flagWords).join(", ")}</td>
              <td class="number">{count(length)}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </PagePart>
  );
}

type Trial = SelfTest["parts"][number]["trials"][number];

function foundIn({ outcome, winner }: Trial): string {
  if (outcome === null) return "it was not asked";
  return winner ? specimen(winner) : named<string>(FOUND, outcome);
}

/** Judgings of the same two that found the same are one row. */
function alike(trials: readonly Trial[]): readonly (readonly [Trial, readonly Trial[]])[] {
  const rows = Map.groupBy(trials, ({ calls: _calls, cost_usd: _cost, ...found }) => JSON.stringify(found));
  return [...rows.values()].flatMap((row) => (row[0] ? [[row[0], row] as const] : []));
}
