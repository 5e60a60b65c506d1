import { useSignal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { VOTE_REASON_CHARS, VOTER_CHARS } from "../../../domain/defaults.ts";
import type { Side, Verdict } from "../../../domain/verdict.ts";
import type { Vote } from "../../../domain/vote.ts";
import { call, getSession, revision } from "../api.ts";
import { ArmName, Neutral } from "../part/arm-name.tsx";
import { SendingNotice } from "../part/sending-notice.tsx";
import { rememberVote, shortcutsOn, voter } from "../preferences.ts";
import { useSendOnce } from "../send-once.ts";

interface VoteFormProps {
  readonly session_id: string;
  readonly verdict: Verdict;
  /** Which arm of the verdict is shown first, and what both are called here, in the order in which they are shown. */
  readonly first: Side;
  readonly names: readonly [string, string];
  /** The voter knows neither names nor the verdict. */
  readonly blind: boolean;
}

/** Which arm is better, why, and who says so; the last two only from those who want to. */
export function VoteForm({ session_id, verdict: { verdict_id }, first, names, blind }: VoteFormProps) {
  const choice = useSignal<Vote["choice"]>("tie");
  const reason = useSignal("");
  const second = first === "a" ? "b" : "a";
  const order = first === "a" ? "ab" : "ba";
  const keep = () => {
    rememberVote(verdict_id, { choice: choice.value, blind });
    revision.value += 1;
  };
  const votes = async () => (await getSession(session_id)).votes ?? [];
  const sending = useSendOnce({
    mark: async () => new Set((await votes()).map(({ vote_id }) => vote_id)),
    send: () => {
      const [why, who] = [reason.value.trim(), voter.value.trim()];
      const said = { ...(why && { reason: why }), ...(who && { voter: who }) };
      return call("POST /api/sessions/:id/votes", {
        id: session_id,
        verdict_id,
        order,
        choice: choice.value,
        blind,
        ...said,
      });
    },
    // What was said may be kept with a secret taken out, so it cannot be looked for.
    find: async (known) => {
      const isMine = (vote: Vote) => vote.choice === choice.value && vote.order === order && vote.blind === blind;
      const mine = (await votes()).find((vote) => !known.has(vote.vote_id) && isMine(vote)) ?? null;
      if (mine) keep();
      return mine;
    },
    done: keep,
  });
  // Neutral arms are marked by the keys that vote for them.
  const isNumbered = useContext(Neutral) && shortcutsOn.value;
  const pick = (picked: Vote["choice"]) => ({
    type: "submit" as const,
    disabled: sending.busy.value,
    onClick: () => {
      choice.value = picked;
    },
  });
  return (
    <form class="ballot" aria-label="Your vote" onSubmit={sending.onSubmit}>
      <button {...pick(first)} data-vote="first">
        <ArmName side="a" name={names[0]} /> is better
      </button>
      <button {...pick("tie")} data-vote="neither">
        {isNumbered && (
          <span class="vote-key" aria-hidden="true">
            0
          </span>
        )}{" "}
        Neither
      </button>
      <button {...pick(second)} data-vote="second">
        <ArmName side="b" name={names[1]} /> is better
      </button>
      <details class="fold">
        <summary>Say why</summary>
        <label class="field">
          Why
          <textarea
            rows={3}
            maxLength={VOTE_REASON_CHARS}
            value={reason.value}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
          />
        </label>
        <label class="field">
          Your name, if you like
          <input
            maxLength={VOTER_CHARS}
            autocomplete="name"
            value={voter.value}
            onInput={({ currentTarget }) => (voter.value = currentTarget.value)}
            onKeyDown={keepFromVoting}
          />
        </label>
      </details>
      <SendingNotice of={sending} happened="Your vote was taken">
        {() => "It counts once."}
      </SendingNotice>
    </form>
  );
}

/** Enter would press the first button, a vote for the first arm. */
function keepFromVoting(event: KeyboardEvent): void {
  if (event.key === "Enter") event.preventDefault();
}
