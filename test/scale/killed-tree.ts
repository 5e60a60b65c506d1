import { afterAll, beforeAll, expect, test } from "bun:test";
import type { SessionOutcome } from "../../src/domain/session.ts";
import { isFinal } from "../../src/domain/session-state.ts";
import { type Served, serve } from "../http/served.ts";
import { KINDS, openScene, SIGNALS, serverOf, signalBelow, signalTree } from "../killed/scene.ts";
import { ROOT_USER, SANDBOX } from "../machine.ts";
import { describeNeeding } from "../needs.ts";
import { LEASE_S, startRun } from "../postgres/fleet.ts";
import { POSTGRES, type PostgresServer, postgresServer } from "../postgres/server.ts";
import { until } from "../turns.ts";

const sessionOf = async ({ url }: Served, id: string) =>
  (await (await fetch(`${url}/api/sessions/${id}`)).json()) as SessionOutcome;

const endOf = async (served: Served, id: string) =>
  await until(async () => {
    const outcome = await sessionOf(served, id);
    return isFinal(outcome.state) && outcome;
  });

describeNeeding(
  POSTGRES,
  SANDBOX,
  ROOT_USER,
)("a run of a worker", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterAll(() => postgres[Symbol.asyncDispose]());

  /** A server that only asks, one worker, and a way to start another. */
  async function openFleet(parts: AsyncDisposableStack) {
    const scene = parts.use(await openScene());
    const env = { ...scene.env, ABEVAL_DATABASE_URL: (await postgres.create()).url };
    const start = async (...args: readonly string[]) => {
      const flags = [...scene.flags, "--lease", String(LEASE_S), ...args];
      return parts.use(await serve(flags, env, { supervised: true }));
    };
    const front = await start("--scenarios-dir", scene.scenarios, "--max-sessions", "0");
    const aWorker = () => start("--worker", "--max-sessions", String(KINDS.length));
    return { scene, front, aWorker, first: await aWorker() };
  }

  /** Every run has ended as it would have without a signal, and at least one of them had one. */
  async function expectNobodysLoss(front: Served, ids: readonly string[]): Promise<void> {
    const outcomes = await Promise.all(ids.map((id) => endOf(front, id)));
    expect(outcomes.map(({ state, verdict }) => ({ state, winner: verdict?.winner }))).toEqual(
      ids.map(() => ({ state: "completed", winner: "right" })),
    );
    expect(outcomes.flatMap(({ lost_attempts = [] }) => lost_attempts)).not.toEqual([]);
  }

  test.each(SIGNALS)("is done by another, and nobody loses it, when a %s reaches all processes", async (signal) => {
    await using parts = new AsyncDisposableStack();
    const { scene, front, first, aWorker } = await openFleet(parts);
    const ids = await Promise.all(KINDS.map((kind) => startRun(front, kind)));
    await scene.atWork();
    await aWorker();
    await signalTree(first.child.pid, signal);
    await expectNobodysLoss(front, ids);
  });

  test.each(SIGNALS)("is begun again, and nobody loses it, when a %s reaches all but the worker", async (signal) => {
    await using parts = new AsyncDisposableStack();
    const { scene, front, first } = await openFleet(parts);
    const ids = await Promise.all(KINDS.map((kind) => startRun(front, kind)));
    await scene.atWork();
    await signalBelow(serverOf(first.child.pid), signal);
    await expectNobodysLoss(front, ids);
  });

  test("is given up when its processes are killed for the third time, and nobody has lost it", async () => {
    await using parts = new AsyncDisposableStack();
    const { scene, front, first } = await openFleet(parts);
    const id = await startRun(front, "command");
    for (let kills = 1; kills <= 3; kills += 1) {
      await scene.atWork(["command"]);
      await signalBelow(serverOf(first.child.pid), "SIGKILL");
      await until(async () => {
        const { state, lost_attempts = [] } = await sessionOf(front, id);
        return isFinal(state) || lost_attempts.length === kills;
      });
    }
    const { state, verdict, failure, lost_attempts } = await endOf(front, id);
    expect([state, verdict, failure?.code]).toEqual(["interrupted", null, "killed_from_outside"]);
    expect(lost_attempts?.map(({ killed_from_outside }) => killed_from_outside)).toEqual([true, true]);
  });
});
