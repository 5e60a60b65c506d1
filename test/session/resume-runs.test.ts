import { expect, test } from "bun:test";
import { prepareSession } from "../../src/comparison/planning/prepare-session.ts";
import type { RunNews } from "../../src/comparison/planning/services.ts";
import { openIntake } from "../../src/comparison/scenario/intake/intake-catalog.ts";
import { CANCELLED } from "../../src/comparison/session/cancel.ts";
import { inheritRuns, resumeRuns } from "../../src/comparison/session/resume-runs.ts";
import { createSession } from "../../src/comparison/session/run/conduct-session.ts";
import { Failure } from "../../src/domain/failure.ts";
import type { CreatedEntry } from "../../src/domain/session-entry.ts";
import { readSession } from "../../src/store/read-session.ts";
import { light, testServices } from "../harness.ts";

/** A run that was accepted and begun by nobody, for a server that begins in the place of another. */
async function inherited(change: Partial<CreatedEntry["session"]> = {}, scenario = light("extract-rate-limit")) {
  const news: RunNews[] = [];
  const base = testServices({}, { news: (one) => void news.push(one) });
  const loaded = await scenario;
  const services = { ...base, catalog: { get: async () => loaded } };
  const plan = await prepareSession(services, loaded, {});
  const run = await createSession(services, { plan, place: undefined, requester: {} }, (entry) =>
    services.store.create({ ...entry, session: { ...entry.session, ...change } }),
  );
  const begin = async () => {
    const runs = inheritRuns(services, [run]);
    expect(services.runs.live(run.session_id)?.waits()).toBe(true);
    await resumeRuns(services, runs);
    await Promise.all(services.runs.all().map(({ done }) => done));
    expect(services.runs.all()).toEqual([]);
    return await readSession(services.store, run.session_id);
  };
  return { services, run, news, begin };
}

test("a run that a server inherits is in flight at once, and is done", async () => {
  const { begin, news } = await inherited();
  expect(await begin()).toMatchObject({ state: "completed" });
  expect(news.map(({ event }) => event)).toEqual(["claimed", "ended"]);
});

test("a run that somebody cancelled is not begun again, and the news have its end", async () => {
  const { services, run, news, begin } = await inherited();
  await services.store.add([run.session_id], { type: "cancel_asked", at: "2026-01-02T03:04:06.000Z" });
  expect(await begin()).toMatchObject({ state: "cancelled", started_at: null });
  expect(news).toMatchObject([{ event: "ended", state: "cancelled" }]);
});

test("a run that is cancelled before it is planned again is not begun", async () => {
  const { services, run, begin } = await inherited();
  const { get } = services.catalog;
  services.catalog.get = async () => {
    services.runs.live(run.session_id)?.cancel(CANCELLED);
    return await get();
  };
  expect(await begin()).toMatchObject({ state: "cancelled", started_at: null });
});

const unknown = async () => {
  throw new Failure("unknown_scenario", "there is no scenario");
};

test("a run whose scenario came with its request is done without a file", async () => {
  const arm = (id: string) => ({ id, model: `scripted/${id}`, tools: [], script: [{ say: "Hi." }] });
  const definition = {
    task: { prompt: "Hi." },
    arms: ["a", "b"].map(arm),
    rubric: { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } },
  };
  const scenarios = openIntake("/", { git_fixtures: false, commands: false });
  const { services, begin } = await inherited({}, scenarios.load({ ...definition, name: "sent" }));
  services.catalog.get = unknown;
  expect(await begin()).toMatchObject({ state: "completed" });
});

test("a run whose scenario is gone is not begun again where it had files", async () => {
  const { services, begin } = await inherited();
  services.catalog.get = unknown;
  expect(await begin()).toMatchObject({ state: "interrupted" });
});

test("a run that would compare something else is not begun again, and says why", async () => {
  const { begin, news } = await inherited({ comparison: "0".repeat(64) });
  const { failure } = (await begin()) ?? {};
  expect(failure?.message).toEndWith("its judge, its sandbox or an install of an arm has changed");
  expect(news).toMatchObject([{ event: "ended", state: "interrupted" }]);
});
