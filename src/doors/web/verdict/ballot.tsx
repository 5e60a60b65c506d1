import { BothArmsChanges } from "../diff/both-arms-changes.tsx";
import { Answers } from "../evidence/answers.tsx";
import { ChecksTable } from "../evidence/checks-table.tsx";
import { DecisionLogs } from "../evidence/decision-logs.tsx";
import { areChangesNews, isAnswerTheWork, type ShownArm } from "../evidence/shown-arm.ts";
import { Neutral } from "../part/arm-name.tsx";
import { Page, PagePart } from "../part/page.tsx";
import { SaidToArms } from "../part/said-to-arms.tsx";
import { hasSeen, shortcutsOn } from "../preferences.ts";
import type { Comparison } from "./comparison.ts";
import { VoteForm } from "./vote-form.tsx";

/** What a reader sees before a blind vote: the evidence under neutral names, in an order that tells nothing. */
export function Ballot({ comparison, session_id }: { comparison: Comparison; session_id: string }) {
  const { verdict, a } = comparison;
  const [first, second] = shuffled(comparison);
  const [one, other] = [neutral(first, "a", "First"), neutral(second, "b", "Second")];
  const answerFirst = isAnswerTheWork([one, other]);
  const answers = (
    <PagePart title="What they say">
      <Answers arms={[one, other]} />
    </PagePart>
  );
  return (
    <Neutral.Provider value>
      <Page title="Which is the better answer?" short={`Blind vote on ${verdict.scenario}`}>
        <p class="lead">
          Two arms did the same task. You see what they left, not who they were or what the judge said.
          {shortcutsOn.value && " Vote with one key: 1 the first, 2 the second, 0 neither."}
        </p>
        {!answerFirst && <SaidToArms task={a.session.definition.task} />}
        {hasSeen(verdict.verdict_id) && (
          <p>This browser has shown you this verdict before, so your vote counts as not blind.</p>
        )}
        <VoteForm
          {...{ session_id, verdict }}
          first={first.side}
          names={["First", "Second"]}
          blind={!hasSeen(verdict.verdict_id)}
        />
        {answerFirst && answers}
        {areChangesNews([one, other]) && (
          <PagePart title="What they changed">
            <BothArmsChanges arms={[one, other]} />
          </PagePart>
        )}
        {!answerFirst && answers}
        <PagePart title="Hidden checks">
          <ChecksTable arms={[one, other]} />
        </PagePart>
        <PagePart title="What they did">
          <DecisionLogs arms={[one, other]} />
        </PagePart>
      </Page>
    </Neutral.Provider>
  );
}

const neutral = (shown: ShownArm, side: "a" | "b", name: string): ShownArm => ({ ...shown, side, name });

/** Half of the verdicts show arm b first. The order of a verdict is the same at every visit. */
function shuffled({ verdict, a, b }: Comparison): readonly [ShownArm, ShownArm] {
  const sum = [...verdict.verdict_id].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return sum % 2 === 0 ? [a, b] : [b, a];
}
