import { expect, test } from "bun:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { LoadedScenario } from "../../src/comparison/scenario/loaded-scenario.ts";
import { LoopClock, loopClock } from "../../src/runtime/clock.ts";
import { runOnce } from "../harness.ts";
import { talk, talkServices } from "./series.ts";

async function talkWithin(max_seconds: number): Promise<LoadedScenario> {
  const { definition, ...loaded } = await talk();
  const { policies } = definition;
  return {
    ...loaded,
    definition: { ...definition, policies: { ...policies, budget: { ...policies.budget, max_seconds } } },
  };
}

/** Both arms are asked. Then `stall` holds the loop up, and both answer some time later. */
function stalledAfterAsking(stall: () => void) {
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  return async (side: string) => {
    if (side === "b") asked.resolve();
    else {
      await asked.promise;
      stall();
      over.resolve();
    }
    await over.promise;
    await sleep(10);
  };
}

test("a pause of our own loop takes no arm's time, and the verdict says that there was one", async () => {
  let ticks = 0;
  const clock = new LoopClock({ now: () => new Date(), ticks: () => ticks });
  const before = stalledAfterAsking(() => {
    ticks += 60_000;
  });
  const { outcome } = await runOnce(talkServices({ judge: () => "b", before }, { clock }), await talkWithin(30));
  expect(
    outcome.arms.map(({ status, wall_ms, working_ms, stalled_ms }) => [status, wall_ms, working_ms, stalled_ms]),
  ).toEqual([
    ["finished", 100, 100, 59_900],
    ["finished", 100, 100, 59_900],
  ]);
  expect(outcome.verdict?.winner).toBe("b");
  expect(outcome.verdict?.flags).toContain("stalled");
  expect(outcome.fairness.observed).toEqual([
    "abeval itself stood still for 59900 ms while a ran and for 59900 ms while b did; this counts as no arm's time",
  ]);
});

test("an arm that was asked before a long pause is not ended by it", async () => {
  const before = stalledAfterAsking(() => Bun.sleepSync(4_000));
  const services = talkServices({ judge: () => "tie", before }, { clock: loopClock });
  const { outcome } = await runOnce(services, await talkWithin(2));
  expect(outcome.arms.map(({ stop_reason }) => stop_reason)).toEqual(["final_answer", "final_answer"]);
  expect(outcome.verdict?.flags).toContain("stalled");
});

test("without a pause nothing is told of one", async () => {
  const clock = new LoopClock({ now: () => new Date(), ticks: () => 0 });
  const { outcome } = await runOnce(talkServices({ judge: () => "tie" }, { clock }), await talkWithin(30));
  expect(JSON.stringify(outcome)).not.toContain("stalled");
});
