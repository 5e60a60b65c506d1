import type { Vote } from "../../../domain/vote.ts";
import { countOf, when } from "../format.ts";
import { ArmName } from "../part/arm-name.tsx";
import { DataTable } from "../part/table.tsx";
import { voteOn } from "../preferences.ts";
import type { Comparison } from "./comparison.ts";
import { agreementsOn, peopleText, votesOn } from "./people.ts";
import { VoteForm } from "./vote-form.tsx";

/** Votes that are listed, the newest first. */
const LISTED = 50;

interface WhatPeopleSayProps {
  readonly comparison: Comparison;
  /** The session that is shown. */
  readonly session_id: string;
  readonly votes: readonly Vote[];
}

/** What people prefer of these arms, and how often they agree with each judge of them. */
export function WhatPeopleSay({ comparison, session_id, votes }: WhatPeopleSayProps) {
  const { verdict, a, b } = comparison;
  const cast = votesOn(verdict, votes).toReversed();
  return (
    <>
      {cast.length === 0 && <p class="empty">Nobody has voted on these two arms.</p>}
      {cast.length > 0 && (
        <ul aria-label="Agreement with each judge">
          {agreementsOn(comparison, votes).map(({ judge: { model, protocol, prompt_digest }, agreement }) => (
            <li key={`${model} ${protocol} ${prompt_digest}`}>
              Agree with <code>{model}</code>: {peopleText(agreement)}
            </li>
          ))}
        </ul>
      )}
      {voteOn(verdict.verdict_id) === null && (
        <>
          <p>Which is better? You have seen the verdict, so your vote counts as not blind.</p>
          <VoteForm {...{ session_id, verdict }} first="a" names={[a.name, b.name]} blind={false} />
        </>
      )}
      {cast.length > 0 && (
        <DataTable label="Votes" kind="rows votes folded" heads={["Prefers", "Why", "Who", "When"]}>
          {cast.slice(0, LISTED).map((vote) => (
            <tr key={vote.vote_id}>
              <td>
                {vote.choice === "tie" ? "neither" : <ArmName side={vote.choice} name={comparison[vote.choice].name} />}
                {!vote.blind && <span class="aside"> not blind</span>}
              </td>
              <td class="arm-text said">{vote.reason}</td>
              <td class="arm-text">{vote.voter ?? <span class="aside">no name</span>}</td>
              <td>{when(vote.created_at)}</td>
            </tr>
          ))}
        </DataTable>
      )}
      <p class="small-print">
        {cast.length > LISTED && `The newest ${LISTED} of ${countOf(cast.length, "vote")}. `}
        Votes are no part of the verdict, and no judge sees them. Nobody checks who votes.
      </p>
    </>
  );
}
