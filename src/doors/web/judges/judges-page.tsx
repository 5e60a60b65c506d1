import type { JudgeProfiles } from "../../../domain/judge-profile.ts";
import { isBuiltin } from "../../../domain/model-name.ts";
import type { SelfTestListing } from "../../../domain/self-test.ts";
import { listJudges, listSelfTests } from "../api.ts";
import { count } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { BLIND_PAIRS } from "../routes.ts";
import { JudgeCard } from "./judge-card.tsx";
import { judgeGroups } from "./judge-group.ts";
import { SelfTestForm } from "./self-test-form.tsx";
import { SelfTestList } from "./self-test-list.tsx";

/** Self-tests that are looked through. */
const MOST_TESTS = 200;

/** How far each judge can be trusted: what its stored verdicts say of it, and tests of which the right answer is known. */
export function JudgesPage({ scenario }: { scenario: string | null }) {
  const profiles = useLoaded("judges", listJudges);
  return (
    <Page title="Judges">
      <p class="lead">
        How far each judge can be trusted: its self-tests, whether the order of presentation sways it, and how often it
        agrees with hidden checks and with people. Nothing is spent to read this.
      </p>
      <Show of={profiles} what="the judges">
        {(value) => <Profiles profiles={value} />}
      </Show>
      <p class="actions">
        <a class="button" href={BLIND_PAIRS}>
          Vote on blind pairs
        </a>
        <span class="aside">
          One key a pair; no name and no verdict is shown. Your votes are what the judges are measured by.
        </span>
      </p>
      <PagePart title="Test a judge">
        <p>
          A self-test asks a judge about evidence of which the right answer is known: a known fix against nothing, the
          same work twice, edits that change nothing. No arm runs. It takes 20 to 40 judge calls.
        </p>
        <SelfTestForm scenario={scenario} />
        <SelfTestList />
      </PagePart>
    </Page>
  );
}

function Profiles({ profiles: { judges, sessions_read, complete } }: { profiles: JudgeProfiles }) {
  const tests = useLoaded("tests of judges", (signal) => listSelfTests({ limit: MOST_TESTS }, signal)).value;
  const groups = judgeGroups(judges, tests.state === "ready" ? tests.value.filter(asksModel) : []);
  if (groups.length === 0)
    return (
      <p class="empty">
        No model has judged here yet. Run a <a href="/scenarios">scenario</a> with a judge model, or test one below:
        what is known of it will stand here.
      </p>
    );
  return (
    <>
      {groups.map((group) => (
        <JudgeCard key={`${group.model} ${group.protocol}`} group={group} />
      ))}
      <p class="small-print">
        From the newest {count(sessions_read)} sessions{complete ? "" : "; older ones, or more judges, were not read"}.
        Bars show the 95% range (Wilson); a wide one says that little is known yet.
      </p>
    </>
  );
}

/** Rules and checks have no position bias to test. */
const asksModel = ({ judge }: SelfTestListing) => !isBuiltin(judge.model);
