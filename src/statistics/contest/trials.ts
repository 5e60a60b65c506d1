import type { ContestTrial } from "../../domain/contest.ts";
import { withInputId } from "../../domain/member.ts";
import type { SeriesRecord } from "../../domain/series-record.ts";
import type { TrialRow } from "../../domain/trial.ts";
import { countedOf } from "../claim/findings.ts";
import { inOrder, numberOf, resultOf } from "../claim/tally.ts";
import { costOfTrial } from "../costs.ts";
import { contestOf } from "./pair-view.ts";
import type { PlayedPair } from "./played.ts";

/** The runs of pairs, in the order of creation. */
export function trialsHere(
  contest: SeriesRecord,
  rows: readonly TrialRow[],
  played: readonly PlayedPair[],
): readonly ContestTrial[] {
  const counted = countedIds(played);
  const { pairs } = contestOf(contest);
  return inOrder(rows).map((row) => {
    const { pair = 0, scenario, input, session_id, state, failure } = row;
    const [a = null, b = null] = pairs[pair]?.arms ?? [];
    const result = resultOf(row, contest.plan.measure);
    return {
      ...{
        trial: numberOf(row),
        round: row.place?.round ?? 1,
        scenario,
        ...withInputId(input),
        session_id,
        pair,
        state,
      },
      failure: failure?.message ?? null,
      winner: result === 1 ? a : result === -1 ? b : null,
      counted: counted.has(session_id),
      cost_usd: result === "running" ? null : costOfTrial(row),
    };
  });
}

/** The trials that are in the statistics of some pair. */
export const countedIds = (played: readonly PlayedPair[]): ReadonlySet<string> =>
  new Set(played.flatMap(({ findings }) => countedOf(findings).map(({ row }) => row.session_id)));
