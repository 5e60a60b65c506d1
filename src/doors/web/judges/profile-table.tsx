import type { JudgeProfile } from "../../../domain/judge-profile.ts";
import { count, duration, usd, when } from "../format.ts";
import { DataTable } from "../part/table.tsx";
import { toScenario } from "../routes.ts";
import { peopleText } from "../verdict/people.ts";
import { agreementText, pullText, repeatsText, undecidedTexts } from "./profile-text.ts";

const HEADS = [
  "Scenario",
  "Verdicts",
  "Undecided",
  "Position bias",
  "Same pair again",
  "Agrees with checks",
  "Agrees with people",
  "A verdict takes",
];

/** A judge's verdicts on each scenario. */
export const ProfileTable = ({ profiles }: { profiles: readonly JudgeProfile[] }) => (
  <DataTable label="Its verdicts" kind="rows judges folded" heads={HEADS}>
    {profiles.map((profile) => (
      <ProfileRow key={profile.judge.prompt_digest} profile={profile} />
    ))}
  </DataTable>
);

function ProfileRow({ profile }: { profile: JudgeProfile }) {
  const { scenario, verdicts, position, repeats, facts, people, cost_usd, latency_ms, panel, newest_at } = profile;
  const undecided = undecidedTexts(profile);
  return (
    <tr>
      <th scope="row">
        <a href={toScenario(scenario)}>{scenario}</a>
        <small>
          {when(newest_at)}
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
