import type { JudgeProfile, JudgeProfiles } from "../../../domain/judge-profile.ts";
import { judgesNamed } from "../../../domain/model-name.ts";
import { listJudges } from "../api.ts";
import { count, duration, usd, when } from "../format.ts";
import { useLoaded } from "../loaded.ts";
import { Page, PagePart } from "../part/page.tsx";
import { Show } from "../part/show.tsx";
import { DataTable } from "../part/table.tsx";
import { toScenario } from "../routes.ts";
import { peopleText } from "../verdict/people.ts";
import { agreementText, pullText, repeatsText, undecidedTexts } from "./profile-text.ts";
import { SelfTestForm } from "./self-test-form.tsx";
import { SelfTestList } from "./self-test-list.tsx";

/** How far each judge can be trusted: what its stored verdicts say of it, and tests of which the right answer is known. */
export function JudgesPage({ scenario }: { scenario: string | null }) {
  const profiles = useLoaded("judges", listJudges);
  return (
    <Page wide title="Judges">
      <p class="lead">What stored verdicts say of each judge. Nothing is spent to read this.</p>
      <Show of={profiles} what="the judges">
        {(value) => <Profiles profiles={value} />}
      </Show>
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

const HEADS = [
  "Judge",
  "Verdicts",
  "Undecided",
  "Position bias",
  "Same pair again",
  "Agrees with checks",
  "Agrees with people",
  "A verdict takes",
];

function Profiles({ profiles: { judges, sessions_read, complete } }: { profiles: JudgeProfiles }) {
  if (judges.length === 0) return <p class="empty">No model has judged here yet.</p>;
  return (
    <>
      <DataTable label="Judges" kind="rows judges folded" heads={HEADS}>
        {judges.map((profile) => (
          <ProfileRow
            key={`${profile.judge.model} ${profile.judge.protocol} ${profile.judge.prompt_digest}`}
            profile={profile}
          />
        ))}
      </DataTable>
      <p class="small-print">
        From the newest {count(sessions_read)} sessions{complete ? "" : "; older ones, or more judges, were not read"}.
        Rates are shown from 20 verdicts on.
      </p>
    </>
  );
}

function ProfileRow({ profile }: { profile: JudgeProfile }) {
  const { judge, scenario, verdicts, position, repeats, facts, people, cost_usd, latency_ms, panel, newest_at } =
    profile;
  const undecided = undecidedTexts(profile);
  return (
    <tr>
      <th scope="row">
        {judgesNamed(judge.model).map((model) => (
          <code key={model} class="judge-model">
            {model}
          </code>
        ))}
        <small>
          {judge.protocol}, <a href={toScenario(scenario)}>{scenario}</a>, {when(newest_at)}
          {panel && `, panel of ${panel.judges}`}
          {typeof panel?.independent_votes === "number" && `, worth ${panel.independent_votes.toFixed(1)} votes`}
        </small>
      </th>
      <td class="number" data-head={HEADS[1]}>
        {count(verdicts)}
      </td>
      <td data-head={HEADS[2]}>
        {undecided.length === 0 && "never"}
        {undecided.map((text) => (
          <span key={text} class="judge-rate">
            {text}
          </span>
        ))}
      </td>
      <td data-head={HEADS[3]}>{pullText(position)}</td>
      <td data-head={HEADS[4]}>{repeatsText(repeats)}</td>
      <td data-head={HEADS[5]}>
        <AgreementWithChecks facts={facts} />
      </td>
      <td data-head={HEADS[6]}>{peopleText(people)}</td>
      <td data-head={HEADS[7]}>
        {cost_usd === null ? "cost unknown" : usd(cost_usd)}, {duration(latency_ms)}
      </td>
    </tr>
  );
}

/** Apart, since a judge that sees what the checks found agrees with them more easily. */
function AgreementWithChecks({ facts: { shown, hidden } }: Pick<JudgeProfile, "facts">) {
  const said = [
    { where: "shown to it", found: shown },
    { where: "hidden from it", found: hidden },
  ].filter(({ found }) => found.agree + found.disagree + found.abstained > 0);
  if (said.length === 0) return "no such verdict";
  return (
    <>
      {said.map(({ where, found }) => (
        <span key={where} class="judge-rate">
          {where}: {agreementText(found)}
        </span>
      ))}
    </>
  );
}
