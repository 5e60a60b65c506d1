import { expect, test } from "bun:test";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { blessedLines, storedBaseline } from "../../src/comparison/session/baseline.ts";
import { readBundle } from "../../src/comparison/session/read-bundle.ts";
import { canonicalJson } from "../../src/domain/canonical-json.ts";
import { caveatsOf } from "../../src/domain/caveat.ts";
import { sha256 } from "../../src/domain/sha256.ts";
import { readSession } from "../../src/store/read-session.ts";
import { startFakeProvider } from "../fake-provider/fake-provider.ts";
import { testServices } from "../harness.ts";
import { failureOf, scenarioFolder } from "../scenario/scenario-folder.ts";
import { scored, scoredScenario, seriesOf } from "./scored.ts";

const OLD = scored("old", [1, 2, 3]);
const NEW = scored("new", [4, 5, 6]);

const folderOf = (arms: readonly object[], parts: object = {}) =>
  scenarioFolder({ "scored.yaml": scoredScenario(arms, parts) });

async function bundleOf(services: SessionServices, series_id: string): Promise<string> {
  let text = "";
  for await (const line of blessedLines(services, series_id)) text += line;
  return text;
}

test("a candidate is compared with a blessed series, of which no arm runs again and no key is needed", async () => {
  const services = testServices({ ALPHA_API_KEY: "key-of-alpha-1234567890", ALPHA_BASE_URL: "http://127.0.0.1:9" });
  await using folder = await folderOf([OLD, scored("new", [2])]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 9, seed: "s" });
  await folder.write("base.jsonl", await bundleOf(services, record.series_id));
  await folder.write("scored.yaml", scoredScenario([OLD, NEW]));
  const elsewhere = testServices();
  const baseline = await readBundle(folder.path("base.jsonl"));
  const { record: after, series } = await seriesOf(elsewhere, folder.path("scored.yaml"), { trials: 9, baseline });
  expect(series).toMatchObject({ conclusion: "b_preferred", counts: { trials: 9, losses: 9 } });
  expect(series.flags).toContain("baseline_not_concurrent");
  expect(series.plan?.baseline).toMatchObject({
    series_id: record.series_id,
    side: "a",
    runs: 9,
    digest: baseline.digest,
  });
  expect(after.series_before).toBe(0);
  expect(series.statement).toContain(
    `old did not run again in 9 trials: its runs of ${record.series_id}, less than an hour older, stand in.`,
  );
  const sources = (await services.store.trials({ series_id: record.series_id })).map(({ session_id }) => session_id);
  const rows = await elsewhere.store.trials({ series_id: after.series_id });
  expect(rows.map(({ stored_run }) => stored_run)).toEqual(sources);
  const session = await readSession(elsewhere.store, rows[0]?.session_id ?? "");
  expect(session?.arms[0]).toMatchObject({
    status: "finished",
    imported: { run: { session_id: sources[0], arm_id: "old" } },
  });
  expect((await elsewhere.store.read(rows[0]?.session_id ?? "")).slice(0, 3).map(({ entry }) => entry.type)).toContain(
    "arm_imported",
  );
});

test("the provider of the stored arm may be out of reach: neither its key nor an answer of it is asked for", async () => {
  await using provider = await startFakeProvider({ reply: { text: "step 1;" } });
  const services = testServices(provider.environment);
  const old = { id: "old", model: "openai/gpt-x", tools: [] };
  await using folder = await folderOf([old, scored("new", [2])]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, seed: "s" });
  const asked = provider.requests.length;
  await folder.write("scored.yaml", scoredScenario([old, NEW]));
  const baseline = await storedBaseline(services.store, record.series_id);
  const ask = { trials: 2, seed: "t" };
  expect(await failureOf(seriesOf(testServices(), folder.path("scored.yaml"), ask))).toMatchObject({
    code: "credentials_missing",
  });
  const { series } = await seriesOf(testServices(), folder.path("scored.yaml"), { ...ask, baseline });
  expect(series.counts).toMatchObject({ trials: 2, losses: 2 });
  expect(provider.requests).toHaveLength(asked);
});

test("no key of a provider stands in a bundle, whatever an arm said", async () => {
  const key = "key-of-alpha-1234567890";
  const services = testServices({ ALPHA_API_KEY: key, ALPHA_BASE_URL: "http://127.0.0.1:9" });
  await using folder = await folderOf([OLD, { id: "new", model: "scripted/new", script: [{ say: `It is ${key}.` }] }]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 1, seed: "s" });
  expect(await bundleOf(services, record.series_id)).not.toContain(key);
});

test("beyond the stored runs both arms run, and the next series on them says that it is not the first", async () => {
  const services = testServices();
  await using folder = await folderOf([OLD, NEW]);
  const first = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, seed: "s" });
  const baseline = await storedBaseline(services.store, first.record.series_id);
  await folder.write("scored.yaml", scoredScenario([OLD, scored("new", [4, 5])]));
  const ask = { trials: 3, seed: "t", baseline };
  const { record } = await seriesOf(services, folder.path("scored.yaml"), ask);
  const rows = await services.store.trials({ series_id: record.series_id });
  expect(rows.map(({ stored_run }) => stored_run === undefined)).toEqual([false, false, true]);
  await folder.write("scored.yaml", scoredScenario([OLD, scored("new", [4])]));
  const { series } = await seriesOf(services, folder.path("scored.yaml"), ask);
  expect(series.series_before).toBe(1);
  expect(series.statement).toContain("in 1 both arms ran.");
  expect(series.statement).toContain(
    "1 series was begun on these stored runs before: claims that share a baseline tend to be wrong together.",
  );
});

test("a stored run counts once among all stored trials of a comparison", async () => {
  const services = testServices();
  await using folder = await folderOf([OLD, NEW]);
  const first = await seriesOf(services, folder.path("scored.yaml"), { trials: 8, seed: "s" });
  const baseline = await storedBaseline(services.store, first.record.series_id);
  await folder.write("scored.yaml", scoredScenario([OLD, scored("new", [4, 5])]));
  await seriesOf(services, folder.path("scored.yaml"), { trials: 4, seed: "t", baseline });
  const { series } = await seriesOf(services, folder.path("scored.yaml"), { trials: 8, seed: "u", baseline });
  expect(series.earlier?.trials).toBe(4);
  expect(series.statement).toContain("Among all stored trials 4 repeat another one");
});

test.each([
  ["the task", [OLD, NEW], { policies: { network: "open" } }, "does not fit scored: policies changed"],
  ["both arms", [scored("old", [1]), NEW], {}, 'arm "old" is none of its arms (scripts differs from its "old")'],
])(
  "a baseline is refused where %s changed, with what differs, before anything is spent",
  async (_what, arms, parts, words) => {
    const services = testServices();
    await using folder = await folderOf([OLD, scored("new", [3])]);
    const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, seed: "s" });
    const baseline = await storedBaseline(services.store, record.series_id);
    await folder.write("scored.yaml", scoredScenario(arms, parts));
    const failure = await failureOf(seriesOf(services, folder.path("scored.yaml"), { trials: 2, baseline }));
    expect(failure).toMatchObject({ code: "invalid_request", details: { field: "baseline" } });
    expect(failure.message).toContain(words);
    expect(await services.store.series.list()).toHaveLength(1);
  },
);

test("another judge and another rubric may judge stored runs", async () => {
  const services = testServices();
  await using folder = await folderOf([OLD, scored("new", [3])]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, seed: "s" });
  const baseline = await storedBaseline(services.store, record.series_id);
  const rubric = { criteria: [{ measure: "turns" }], judge: { model: "builtin/evidence" } };
  await folder.write("scored.yaml", scoredScenario([OLD, NEW], { rubric }));
  const { series } = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, baseline });
  expect(series.counts.trials).toBe(2);
});

test("only a series of fixed length is blessed, and nothing is concluded on one that was stopped or preferred the arm", async () => {
  const services = testServices();
  await using folder = await folderOf([OLD, NEW]);
  const stopped = await seriesOf(services, folder.path("scored.yaml"), { trials: 12, stop_when_sure: true, seed: "s" });
  const failure = await failureOf(bundleOf(services, stopped.record.series_id));
  expect(failure.message).toContain("may have been stopped by what it showed");
  const baseline = await storedBaseline(services.store, stopped.record.series_id);
  await folder.write("scored.yaml", scoredScenario([scored("worse", [1, 2]), NEW]));
  const { series } = await seriesOf(services, folder.path("scored.yaml"), { trials: 9, seed: "t", baseline });
  expect(series.flags).toContain("baseline_selected");
  const [listed] = await services.store.series.list();
  expect(caveatsOf(listed?.standing.flags ?? [])).toEqual(caveatsOf(series.flags));
  expect(series).toMatchObject({
    conclusion: "undecided",
    undecided_by: "selected_baseline",
    gate: { worse: null, new: null },
  });
  expect(series.headline.claim).toMatchObject({ side: "b" });
  expect(series.statement).toContain("No conclusion is stated: the stored runs of new were chosen by what they showed");
});

test.each([
  ["edited", (text: string) => text.replace("step 1;", "step 9;"), /base\.jsonl:\d+: was edited/],
  ["cut", (text: string) => text.slice(0, text.length / 2), /is not whole: its last line is missing/],
  ["something else", () => '{"a":1}\n', /base\.jsonl:1: is no such line/],
  ["no JSON", () => "hello\n", /base\.jsonl:1: no valid JSON/],
])("a bundle that is %s is refused", async (_what, change, words) => {
  const services = testServices();
  await using folder = await folderOf([OLD, NEW]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 1, seed: "s" });
  await folder.write("base.jsonl", change(await bundleOf(services, record.series_id)));
  const failure = await failureOf(readBundle(folder.path("base.jsonl")));
  expect(failure.message).toMatch(words);
});

test("a bundle and the series that it was made of are the same stored runs", async () => {
  const services = testServices();
  await using folder = await folderOf([OLD, scored("new", [3])]);
  const { record } = await seriesOf(services, folder.path("scored.yaml"), { trials: 2, seed: "s" });
  await folder.write("base.jsonl", await bundleOf(services, record.series_id));
  await folder.write("scored.yaml", scoredScenario([OLD, NEW]));
  const [bundle, stored] = [
    await readBundle(folder.path("base.jsonl")),
    await storedBaseline(services.store, record.series_id),
  ];
  const file = folder.path("scored.yaml");
  const first = await seriesOf(services, file, { trials: 2, seed: "t", baseline: bundle });
  const second = await seriesOf(services, file, { trials: 2, seed: "u", baseline: stored });
  expect([first.record.series_before, second.record.series_before]).toEqual([0, 1]);
});

/** A bundle was named by its last line, and stored runs in the order in which they were begun. */
const EARLIER_NAMES = {
  bundle: (text: string) => JSON.parse(text.trimEnd().split("\n").at(-1) ?? "").digest as string,
  stored: (series_id: string, session_ids: readonly string[]) => sha256(canonicalJson([series_id, session_ids])),
};

test("a series on stored runs that had another name before goes on, and counts among those on the same runs", async () => {
  const services = testServices();
  await using folder = await scenarioFolder({
    "z.yaml": scoredScenario([OLD, scored("new", [3])], { name: "z" }),
    "a.yaml": scoredScenario([OLD, scored("new", [3])], { name: "a" }),
  });
  const files = [folder.path("z.yaml"), folder.path("a.yaml")];
  const { record } = await seriesOf(services, files, { trials: 2, seed: "s" });
  const text = await bundleOf(services, record.series_id);
  await folder.write("base.jsonl", text);
  for (const name of ["z", "a"]) await folder.write(`${name}.yaml`, scoredScenario([OLD, NEW], { name }));
  const rows = await services.store.trials({ series_id: record.series_id });
  const ids = rows.map(({ session_id }) => session_id);
  const stored = await storedBaseline(services.store, record.series_id);
  const bundle = await readBundle(folder.path("base.jsonl"));
  const cases = [
    [bundle, EARLIER_NAMES.bundle(text)],
    [stored, EARLIER_NAMES.stored(record.series_id, ids)],
    [bundle, bundle.digest],
    [stored, stored.digest],
  ] as const;
  expect(new Set(cases.map(([, digest]) => digest)).size).toBe(3);
  for (const [baseline, digest] of cases) {
    const elsewhere = testServices();
    const ask = { trials: 1, seed: digest };
    const before = await seriesOf(elsewhere, files, { ...ask, baseline: { ...baseline, digest } });
    const longer = { trials: 2, baseline, goOn: before.record.series_id };
    const { record: after } = await seriesOf(elsewhere, files, longer);
    expect(after).toMatchObject({ plan_digest: before.record.plan_digest, limits: { trials: 2 } });
    expect((await seriesOf(elsewhere, files, { ...ask, baseline })).record.series_before).toBe(1);
  }
});
