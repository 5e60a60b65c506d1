import { expect, test } from "bun:test";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import { storedBaseline } from "../../src/comparison/session/baseline.ts";
import { openSeries } from "../../src/comparison/session/open-series.ts";
import { afterNight, nextNight, nightNotices, openWatch } from "../../src/comparison/session/watch.ts";
import { scored, scoredScenario, seriesOf } from "../baseline/scored.ts";
import { testServices } from "../harness.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";

const ONE_IN = 20;

/** A stored series of two arms, of which `new` is always better. */
async function openReference(trials = 9, one_in = ONE_IN) {
  const services = testServices();
  await using folder = await scenarioFolder({
    "scored.yaml": scoredScenario([scored("old", [1, 2]), scored("new", [4])]),
  });
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials, seed: "s" });
  const catalog = openCatalog("none");
  const night = async (series_id = record.series_id) => {
    const watch = await openWatch(services.store, series_id, { arm: undefined, one_in });
    const { source, options } = await nextNight(services.store, watch, catalog);
    const { done } = await openSeries(services, source, options);
    const ended = await done;
    return { watch, ended, report: await afterNight(services.store, watch, { record: ended, one_in }) };
  };
  return { services, reference: record, night };
}

test("a night runs one arm against stored runs of the other, and the next one knows it", async () => {
  const { services, reference, night } = await openReference();
  const { ended, report } = await night();
  expect(ended).toMatchObject({ watch: { reference: reference.series_id, arm: "new", night: 1 } });
  expect(ended.series_before).toBeUndefined();
  const rows = await services.store.trials({ series_id: ended.series_id });
  const sources = (await services.store.trials({ series_id: reference.series_id })).map(({ session_id }) => session_id);
  expect(rows).toHaveLength(1);
  expect(sources).toContain(rows[0]?.stored_run ?? "");
  expect(ended.plan.baseline?.side).toBe("a");
  expect(report).toMatchObject({ night: 1, nights: 1, alarm: false, detectors: [{ by: "difference", tonight: 1 }] });
  const next = await night();
  expect(next.watch.nights.map(({ record }) => record.series_id)).toEqual([ended.series_id]);
  expect(next.report).toMatchObject({ night: 2, nights: 2 });
  const listed = await services.store.series.list();
  expect(listed.map(({ watch }) => watch)).toEqual([reference.series_id, reference.series_id, undefined]);
});

test("a night is no baseline, and no reference", async () => {
  const { services, night } = await openReference();
  const { ended } = await night();
  expect((await storedBaseline(services.store, ended.series_id)).members.size).toBe(0);
  expect(await failureOf(night(ended.series_id))).toMatchObject({ code: "invalid_request" });
});

test("a night that was missed is told, and says nothing", async () => {
  const { services, reference, night } = await openReference();
  const { watch } = await night();
  const again = await openWatch(services.store, reference.series_id, { arm: undefined, one_in: ONE_IN });
  const last = Date.parse(again.nights[0]?.record.created_at ?? "");
  const told = (hours: number) => nightNotices(again, { one_in: ONE_IN, now: new Date(last + hours * 3_600_000) });
  expect(told(25)).toHaveLength(1);
  expect(told(73)[1]).toBe(
    "the night before ran 73 hours ago: one that was missed says nothing, and the count goes on",
  );
  expect(nightNotices(watch, { one_in: ONE_IN, now: new Date() })).toHaveLength(1);
});

test("a reference of too few runs, or none, is refused", async () => {
  const { night } = await openReference(1, 1_000);
  expect((await failureOf(night())).message).toContain("has too few runs of new");
  expect(await failureOf(night("series-20200101T000000000Z-00000000"))).toMatchObject({ code: "unknown_series" });
});
