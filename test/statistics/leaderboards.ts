import { type Contest, isContest } from "../../src/domain/contest.ts";
import { seriesOfResults } from "../../src/doors/operation/results.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";

/** By agent and task, what its trials came to: 1 solved, 0 not. */
export type Leaderboard = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;

interface Drawn {
  readonly agents: number;
  readonly tasks: number;
  readonly trials: number;
  readonly seed: number;
}

/** Agents that solve 20 to 60% of tasks which differ much, the last one most. */
export function drawnLeaderboard({ agents, tasks, trials, seed }: Drawn): Leaderboard {
  const chance = chanceOf(seed);
  const ease = Array.from({ length: tasks }, () => chance() - 0.5);
  const outcomesOf = (strength: number) =>
    ease.map((own, task) => {
      const solves = () => (chance() < strength + own ? 1 : 0);
      return [`task ${task}`, Array.from({ length: trials }, solves)] as const;
    });
  const strengthOf = (place: number) => 0.2 + (0.4 * place) / (agents - 1);
  return new Map(
    Array.from({ length: agents }, (_, place) => [`agent ${place}`, new Map(outcomesOf(strengthOf(place)))]),
  );
}

/** The agents with the most tasks of so many trials, and the tasks on which each of them has as many: no choice looks at an outcome. */
export function inCommon(board: Leaderboard, { agents, trials }: Pick<Drawn, "agents" | "trials">): Leaderboard {
  const wholeOf = (agent: string) => new Map([...(board.get(agent) ?? [])].filter(([, own]) => own.length >= trials));
  const whole = new Map([...board.keys()].map((agent) => [agent, wholeOf(agent)]));
  const chosen = [...whole].toSorted(([, one], [, other]) => other.size - one.size).slice(0, agents);
  return new Map(
    chosen.map(([agent, tasks]) => {
      const common = [...tasks].filter(([task]) => chosen.every(([, others]) => others.has(task)));
      return [agent, new Map(common.map(([task, own]) => [task, own.slice(0, trials)]))];
    }),
  );
}

/** Of all pairs of agents how many are told apart, and how many of these against their order when all trials are known. */
export async function claimsOf(board: Leaderboard) {
  const { pairs } = (await bestOf(board)).contest;
  const against = ({ arms, claim }: (typeof pairs)[number]) =>
    claim !== null && arms.some((arm) => solvedBy(board, arm) > solvedBy(board, claim));
  return {
    pairs: pairs.length,
    claimed: pairs.filter(({ claim }) => claim !== null).length,
    against: pairs.filter(against).length,
  };
}

/** The same trials in other orders: in how many the agent that solved most may still be the best, and how often agents had to run. */
export async function ordersOf(board: Leaderboard, { orders, seed }: { orders: number; seed: number }) {
  const chance = chanceOf(seed);
  const best = [...board.keys()].reduce((one, other) => (solvedBy(board, other) > solvedBy(board, one) ? other : one));
  const runs: number[] = [];
  let stays = 0;
  for (let order = 0; order < orders; order += 1) {
    const { contest, rounds, members } = await bestOf(reordered(board, chance));
    const isLeft = contest.arms.some(({ arm_id, status }) => arm_id === best && status === "best_set");
    stays += Number(isLeft);
    const left = contest.arms.filter(({ status }) => status === "best_set").length;
    const last = left > 1 ? rounds : Math.max(...contest.arms.map(({ out_at_round }) => out_at_round ?? 0));
    runs.push(contest.arms.reduce((sum, { out_at_round }) => sum + members * (out_at_round ?? last), 0));
  }
  return { best, stays, least: Math.min(...runs), most: Math.max(...runs), runs: sum(runs) / orders };
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);

export function solvedBy(board: Leaderboard, agent: string): number {
  const outcomes = [...(board.get(agent)?.values() ?? [])].flat();
  return sum(outcomes) / outcomes.length;
}

/** What `abeval results <table> --best` tells of it. */
async function bestOf(board: Leaderboard): Promise<Contest> {
  const lines = [...board].flatMap(([agent, tasks]) =>
    [...tasks].flatMap(([task, outcomes]) =>
      outcomes.map((passed, index) => JSON.stringify({ scenario: task, trial: index + 1, arm: agent, passed })),
    ),
  );
  const { series } = await seriesOfResults(lines.join("\n"), "jsonl", { best: true });
  if (isContest(series)) return series;
  throw new Error("two agents are no contest");
}

const reordered = (board: Leaderboard, chance: Chance): Leaderboard =>
  new Map(
    [...board].map(([agent, tasks]) => [
      agent,
      new Map([...tasks].map(([task, outcomes]) => [task, shuffled(outcomes, chance)])),
    ]),
  );

function shuffled(outcomes: readonly number[], chance: Chance): readonly number[] {
  const drawn = outcomes.map((outcome) => ({ outcome, place: chance() }));
  return drawn.toSorted((one, other) => one.place - other.place).map(({ outcome }) => outcome);
}
