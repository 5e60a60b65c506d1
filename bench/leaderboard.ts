import {
  claimsOf,
  drawnLeaderboard,
  inCommon,
  type Leaderboard,
  ordersOf,
  solvedBy,
} from "../test/statistics/leaderboards.ts";
import { round } from "./measure.ts";

const ORDERS = { orders: 20, seed: 1 };
const DRAWN = { agents: 13, tasks: 80, trials: 5, seed: 1 };

/** What a contest claims of the agents of a leaderboard, and what it takes to find the best of those with equally many trials. */
export async function leaderboard(published?: Leaderboard): Promise<void> {
  const board = published ?? drawnLeaderboard(DRAWN);
  console.log(`\nA leaderboard of ${board.size} agents${published ? "" : ", drawn (--outcomes takes a real one)"}`);
  const began = performance.now();
  const { pairs, claimed, against } = await claimsOf(board);
  const took = round(performance.now() - began);
  const held = against === 0 ? "" : " MISS";
  console.log(`  ${claimed} of ${pairs} pairs are told apart, ${against} against the final order${held} (${took} ms)`);
  const common = inCommon(board, { agents: 8, trials: DRAWN.trials });
  const [tasks] = [...common.values()].map(({ size }) => size);
  if (common.size < 3 || tasks === undefined || tasks < 50)
    return console.log(`  fewer than 50 tasks have ${DRAWN.trials} trials of each of 8 agents`);
  const { best, stays, runs, least, most } = await ordersOf(common, ORDERS);
  const planned = common.size * tasks * DRAWN.trials;
  console.log(
    `  ${common.size} agents x ${tasks} tasks x ${DRAWN.trials} trials: ${best} (${round(100 * solvedBy(common, best))}%) may still be the best in ${stays} of ${ORDERS.orders} orders${stays < ORDERS.orders ? " MISS" : ""}; ${Math.round(runs)} runs of ${planned} (${least} to ${most})`,
  );
}
