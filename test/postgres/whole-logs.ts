import type { RunEvent } from "../../src/domain/event.ts";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { fold } from "../../src/store/fold.ts";
import { isLog } from "../../src/store/read-session.ts";
import type { StoredEntry } from "./fleet.ts";

/**
 * What is wrong with sessions that several processes may have run, all of which have ended. However many attempts there were:
 * each log has one end, which is its last attempt's, and nothing of an attempt stands behind the beginning of the next.
 */
export const problemsOfLogs = (entries: readonly StoredEntry[]): readonly string[] =>
  [...Map.groupBy(entries, ({ session_id }) => session_id)].flatMap(([session_id, log]) =>
    problemsOfLog(log).map((problem) => `${session_id} ${problem}`),
  );

function problemsOfLog(log: readonly StoredEntry[]): readonly string[] {
  const last = log.at(-1)?.attempt;
  const ends = log.filter(({ entry }) => entry.type === "ended");
  const verdicts = log.filter(({ entry }) => entry.type === "judged");
  // One that found no space is kept beside the failure.
  const judged = ends.some(
    ({ entry }) => entry.type === "ended" && (entry.state === "completed" || entry.failure?.stage === "saving"),
  );
  const starts = log.filter(({ entry }) => entry.type === "attempt_started");
  const rules: readonly (readonly [isSo: boolean, otherwise: string])[] = [
    [log.every(({ n }, index) => n === index + 1), "has gaps"],
    [log.every(({ attempt }, index) => attempt >= (log[index - 1]?.attempt ?? 0)), "has entries of a lost attempt"],
    [starts.every(({ attempt }, index) => attempt === index + 1), "has attempts that began twice or never"],
    [ends.length === 1 && ends[0]?.attempt === last, `has ${ends.length} ends`],
    [verdicts.length === (judged ? 1 : 0) && verdicts.every(({ attempt }) => attempt === last), "has other verdicts"],
  ];
  return rules.flatMap(([isSo, otherwise]) => (isSo ? [] : [otherwise]));
}

/** What is wrong with what a session says of the attempts that it lost. They cost something, and that is counted. */
export function problemsOfLosses(log: readonly StoredEntry[], { lost_attempts = [], totals, arms }: SessionOutcome) {
  const created = log[0]?.entry;
  const attempts = [...Map.groupBy(log.slice(1), ({ attempt }) => attempt).values()].slice(0, -1);
  // From there on the arms' work is kept.
  const judged = attempts.findIndex((own) =>
    own.some(({ entry }) => entry.type === "stage" && entry.stage === "judging"),
  );
  const begun = (judged === -1 ? attempts : attempts.slice(0, judged)).filter((own) =>
    own.some(({ entry }) => entry.type === "stage"),
  );
  const costs = begun.map((own) => {
    const done = own.map(({ entry }) => entry).filter(({ type }) => type !== "released");
    const whole = created ? [created, ...done] : done;
    return isLog(whole) ? sum(fold(whole).arms) : Number.NaN;
  });
  const rules: readonly (readonly [isSo: boolean, otherwise: string])[] = [
    [lost_attempts.length === begun.length, `shows ${lost_attempts.length} of ${begun.length} lost attempts`],
    [lost_attempts.every(({ cost_usd }, at) => near(cost_usd, costs[at])), "shows another cost of a lost attempt"],
    [near(totals.cost_usd, sum([...arms, ...lost_attempts])), "leaves lost attempts out of its cost"],
  ];
  return rules.flatMap(([isSo, otherwise]) => (isSo ? [] : [otherwise]));
}

const sum = (parts: readonly { readonly cost_usd: number | null }[]) =>
  parts.reduce((total, { cost_usd }) => total + (cost_usd ?? Number.NaN), 0);

const near = (one: number | null, other: number | undefined) => Math.abs((one ?? Number.NaN) - (other ?? 0)) < 1e-9;

/** What is wrong with what a reader heard: every decision of the last attempt in its order, after those of earlier ones, and one end. */
export function problemsOfStream(events: readonly RunEvent[], log: readonly StoredEntry[]): readonly string[] {
  const last = log.at(-1)?.attempt ?? 0;
  const decisions = events.flatMap((event) => (event.event === "decision" ? [event] : []));
  const heard = decisions.filter(({ attempt = 1 }) => attempt === last);
  const stored = log.flatMap(({ attempt, entry }) =>
    attempt === last && entry.type === "decision" ? [{ arm_id: entry.arm_id, decision: entry.decision }] : [],
  );
  const ends = events.filter(({ event }) => event === "verdict_ready" || event === "session_failed");
  const attempts = decisions.map(({ attempt = 1 }) => attempt);
  const rules: readonly (readonly [isSo: boolean, otherwise: string])[] = [
    [
      Bun.deepEquals(
        heard.map(({ arm_id, decision }) => ({ arm_id, decision })),
        stored,
      ),
      `gave ${heard.length} of ${stored.length} decisions of attempt ${last}, or others`,
    ],
    [attempts.every((attempt, index) => attempt >= (attempts[index - 1] ?? 1)), "went back to a lost attempt"],
    [ends.length === 1 && events.at(-1) === ends[0], `gave ${ends.length} ends`],
  ];
  return rules.flatMap(([isSo, otherwise]) => (isSo ? [] : [`a stream ${otherwise}`]));
}
