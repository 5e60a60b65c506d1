import { expect, spyOn, test } from "bun:test";
import type { SessionServices } from "../../src/comparison/planning/services.ts";
import { readSession } from "../../src/store/read-session.ts";
import { runTable, talkServices } from "./series.ts";

test("a table is not read again for each trial: what ends a round is, in the moment of its write", async () => {
  const services = talkServices({ judge: () => "a" });
  const { store } = services;
  let [whole, others] = [0, 0];
  const read = <T>(value: T): T => {
    whole += 1;
    return value;
  };
  const counting: SessionServices["store"] = {
    ...store,
    trials: (of) => {
      if ("comparison" in of) others += 1;
      return "series_id" in of ? read(store.trials(of)) : store.trials(of);
    },
    append: (started, given, safety) =>
      store.append(started, typeof given === "function" ? (rows) => given(read(rows)) : given, safety),
  };
  const series = await runTable({ ...services, store: counting }, 40, { trials: 2, parallel: 8 });
  expect(series).toMatchObject({ stop: "exhausted", counts: { trials: 80, wins: 80 }, rounds: 2 });
  // One trial reads them at the end of each of the two rounds, the series at its start, and its report.
  expect(whole).toBeLessThan(8);
  expect(others).toBeLessThan(8 * 40);
  expect(series.trials.filter(({ counted }) => !counted)).toEqual([]);
  const told = await Promise.all(series.trials.map(({ session_id }) => readSession(store, session_id ?? "")));
  const counts = told.map((session) => session?.verdict?.series?.trials ?? 0);
  expect(new Set(counts)).toEqual(new Set([0, 40, 80]));
});

test.each([
  { mb: 1, at_once: true },
  { mb: 1_000, at_once: false },
])(
  "a long series has its garbage collected on its way, beside the work where that takes long: of $mb MB",
  async ({ mb, at_once }) => {
    using memory = spyOn(process, "memoryUsage");
    using collect = spyOn(Bun, "gc");
    memory.mockReturnValue({ rss: 0, heapTotal: 0, heapUsed: mb * 1024 * 1024, external: 0, arrayBuffers: 0 });
    await runTable(talkServices({ judge: () => "a" }), 500, { trials: 1, parallel: 8 });
    expect(collect.mock.calls).toEqual([[at_once]]);
  },
);
