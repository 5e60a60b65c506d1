import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCatalog } from "../../src/comparison/scenario/scenario-catalog.ts";
import type { ErrorBody } from "../../src/domain/error-body.ts";
import type { Series } from "../../src/domain/series.ts";
import { scored, scoredScenario } from "../baseline/scored.ts";
import { temporaryDirectory } from "../temporary.ts";
import { until } from "../turns.ts";
import { aService } from "./service.ts";

const OLD = scored("old", [1, 2, 3]);

test("POST /api/series takes a stored series as baseline, and refuses one that does not fit before it starts", async () => {
  using directory = temporaryDirectory();
  const write = (text: string) => writeFileSync(join(directory.path, "scored.yaml"), text);
  write(scoredScenario([OLD, scored("new", [2])]));
  await using service = aService({ persistent: true });
  Object.assign(service.services, { catalog: openCatalog(directory.path) });
  const post = async (parts: object) => {
    const answer = await service.post("/api/series", { scenarios: ["scored"], trials: 2, ...parts });
    return (await answer.json()) as ErrorBody & { readonly series_id: string };
  };
  const read = async (series_id: string) => (await (await service.get(`/api/series/${series_id}`)).json()) as Series;
  const ended = async (asked: Promise<{ readonly series_id: string }>) => {
    const { series_id } = await asked;
    return await until(async () => {
      const series = await read(series_id);
      return series.state !== "running" && series;
    });
  };
  const first = await ended(post({ seed: "s" }));
  const baseline = first.series_id;
  write(scoredScenario([OLD, scored("new", [4, 5, 6])]));
  const second = await ended(post({ seed: "t", baseline }));
  expect(second).toMatchObject({
    state: "completed",
    counts: { trials: 2 },
    plan: { baseline: { series_id: baseline } },
  });
  expect(second.flags).toContain("baseline_not_concurrent");

  const faults = [
    await post({ baseline: "series-20200101T000000000Z-00000000" }),
    await post({ baseline: "base.jsonl" }),
    await post({ baseline: `results-${"0".repeat(64)}` }),
  ].map(({ error }) => error.code);
  expect(faults).toEqual(["unknown_series", "invalid_request", "invalid_request"]);
  write(scoredScenario([scored("else", [1]), scored("new", [6])]));
  const { error } = await post({ baseline });
  expect(error).toMatchObject({ code: "invalid_request", details: { field: "baseline" } });
  expect(error.message).toContain("is none of its arms");
  expect((await (await service.get("/api/series")).json()) as unknown[]).toHaveLength(2);
});
