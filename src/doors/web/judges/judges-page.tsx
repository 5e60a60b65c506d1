import type { ComponentChildren } from "preact";
import type { JudgeProfiles } from "../../../domain/judge-profile.ts";
import { isBuiltin } from "../../../domain/model-name.ts";
import type { SelfTestListing } from "../../../domain/self-test.ts";
import { SELF_TEST_CALLS } from "../../../domain/self-test-sentence.ts";
import { call } from "../api.ts";
import { count, usd, when } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { BLIND_PAIRS, toScenario, toSelfTest } from "../routes.ts";
import { JudgeCard } from "./judge-card.tsx";
import { judgeGroups } from "./judge-group.ts";
import { SelfTestForm } from "./self-test-form.tsx";
import { SelfTestResult, TestedModel } from "./self-test-result.tsx";

/** Self-tests that are looked through. */
const MOST_TESTS = 200;

/** How far each judge can be trusted: what its stored verdicts say of it, and tests of which the right answer is known. */
export function JudgesPage(asked: { scenario: string | null; judge: string | null }) {
  const profiles = useLoaded("judges", (signal) => call("GET /api/judges", {}, signal));
  return (
    <Page title="Judges">
      <p class="lead">
        How far each judge can be trusted: its self-tests, whether the order of presentation sways it, and how often it
        agrees with hidden checks and with people. Nothing is spent to read this.
      </p>
      <Show of={profiles} what="the judges">
        {(value) => <Profiles profiles={value} />}
      </Show>
      <PagePart title="Test a judge">
        <p>
          A self-test asks a judge about evidence whose right answer is known: known good work against worse work and
          against half of it, the same work twice, edits that change nothing. No arm runs. It takes {SELF_TEST_CALLS}.
        </p>
        <SelfTestForm key={`${asked.scenario} ${asked.judge}`} {...asked} />
        <SelfTestList />
      </PagePart>
    </Page>
  );
}

function Profiles({ profiles: { judges, sessions_read, complete } }: { profiles: JudgeProfiles }) {
  const tests = useLoaded("tests of judges", (signal) =>
    call("GET /api/self-tests", { limit: MOST_TESTS }, signal),
  ).value;
  const groups = judgeGroups(judges, tests.state === "ready" ? tests.value.filter(asksModel) : []);
  if (groups.length === 0) return <NothingKnown read={complete ? null : sessions_read} />;
  return (
    <>
      {groups.map((group) => (
        <JudgeCard key={`${group.model} ${group.protocol}`} group={group} />
      ))}
      <p class="actions">
        <a class="button" href={BLIND_PAIRS}>
          Vote on blind pairs
        </a>
        <span class="aside">
          One key a pair; no name and no verdict is shown. How far judges agree with people is counted from these votes.
        </span>
      </p>
      <p class="small-print">
        From the newest {count(sessions_read)} sessions{complete ? "" : "; older ones, or more judges, were not read"}.
        Bars run from 0 to 100% and show the 95% range (Wilson); a wide one says that little is known yet. Position bias
        runs from the middle: to the left the share that followed the arm shown first.
      </p>
    </>
  );
}

/** What a reader can learn here of a judge, and how, while there is none. */
const NothingKnown = ({ read }: { read: number | null }) => (
  <>
    <p class="empty">
      {read === null ? "No model has judged here yet" : `No model judged the newest ${count(read)} sessions`}, so
      nothing is known about any judge. This is how you find out:
    </p>
    <dl class="judge-bars">
      <Way name="Self-test">
        Whether it prefers known good work to worse work, and whether anything else moves it. The form below tests one
        without a run.
      </Way>
      <Way name="Position bias">
        How often the order alone decided. Run a <a href="/scenarios">scenario</a> with a judge model: each verdict asks
        it in both orders.
      </Way>
      <Way name="Agrees with checks">
        How often it names the arm that passes hidden checks. Runs of scenarios with hidden checks tell, where they part
        the arms.
      </Way>
      <Way name="Agrees with people">
        How often it says what people say. After some runs, <a href={BLIND_PAIRS}>vote on blind pairs</a>.
      </Way>
    </dl>
    <p class="small-print">Counts stand here from the first verdict on, rates with the range in which they may lie.</p>
  </>
);

const Way = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Rules and checks have no position bias to test. */
const asksModel = ({ judge }: SelfTestListing) => !isBuiltin(judge.model);

/** The self-tests that the list shows at first. */
const NEWEST = 20;

/** The newest self-tests, also those that run. */
function SelfTestList() {
  const tests = useLoaded("self-tests", (signal) => call("GET /api/self-tests", { limit: NEWEST }, signal), {
    changes: (listed) => listed.some(({ state }) => state === "running"),
  });
  return (
    <Show of={tests} what="the self-tests">
      {(listed) =>
        listed.length === 0 ? (
          <p class="empty">No judge has been tested here yet: whether one can be trusted is not known.</p>
        ) : (
          <Tests of={listed} />
        )
      }
    </Show>
  );
}

const Tests = ({ of }: { of: readonly SelfTestListing[] }) => (
  <DataTable label="Self-tests" kind="rows folded" heads={["Begun", "Result", "Judge", "Scenario", "Calls", "Cost"]}>
    {of.map(({ self_test_id, state, verdict, judge, scenario, calls, cost_usd, created_at }) => (
      <tr key={self_test_id}>
        <th scope="row">
          <a href={toSelfTest(self_test_id)}>{when(created_at)}</a>
        </th>
        <td>
          <SelfTestResult {...{ state, verdict, calls }} />
        </td>
        <td>
          <TestedModel model={judge.model} />
        </td>
        <td>
          <a href={toScenario(scenario)}>{scenario}</a>
        </td>
        <td class="number" data-head="Calls">
          {count(calls)}
        </td>
        <td class="number" data-head="Cost">
          {cost_usd === null ? "unknown" : usd(cost_usd)}
        </td>
      </tr>
    ))}
  </DataTable>
);
