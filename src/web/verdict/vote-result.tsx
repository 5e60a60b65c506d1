import type { Side, Verdict } from "../../domain/verdict.ts";
import { Notice } from "../part/notice.tsx";
import { voteOn } from "../preferences.ts";
import type { Comparison } from "./comparison.ts";

/** The reader's own blind vote against the verdict. */
export function VoteResult({ comparison: { verdict, a, b } }: { comparison: Comparison }) {
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
