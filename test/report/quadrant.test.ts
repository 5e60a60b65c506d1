import { expect, test } from "bun:test";
import { quadrantOf } from "../../src/domain/quadrant.ts";
import { seriesHtml } from "../../src/doors/report/series-html.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { results, rowsOf, seriesOf } from "../statistics/series.ts";

/** The candidate wins four of five trials, at a cost that its factor says. */
async function reportAt(factor: number | null, count = 40) {
  const rows = rowsOf(results("++-++".repeat(count / 5))).map((row, index) => ({
    ...row,
    arms: {
      a: { ...row.arms.a, cost_usd: factor === null ? null : factor * (1 + (index % 5) / 10) },
      b: { ...row.arms.b, cost_usd: 1 },
    },
  }));
  return await reportOf(seriesOf({ state: "completed", stop: "exhausted", trials: count }), rows, {
    stored: [],
    judge_unaudited: false,
  });
}

test("what is better stands above, what is cheaper to the left, and words say the same", async () => {
  const cheap = quadrantOf(await reportAt(0.5));
  const dear = quadrantOf(await reportAt(2));
  expect((cheap?.at.x ?? 0) < 180 && (dear?.at.x ?? 0) > 220).toBe(true);
  expect(cheap?.at.y).toBeLessThan(100);
  expect(cheap?.lines.filter(({ kind }) => kind === "range")).toHaveLength(2);
  expect(cheap?.label).toMatch(
    /^candidate against baseline: \+60 points \(\+\d+ to \+\d+\), at 0\.60 times the cost \(about 0\.\d\d to 0\.\d\d\)$/,
  );
  const few = quadrantOf(await reportAt(0.5, 20));
  expect(few?.lines.filter(({ kind }) => kind === "range")).toHaveLength(1);
  expect(few?.label).toEndWith("(range unknown)");
});

test("every mark lies in the picture, whatever the costs are", async () => {
  for (const factor of [1e-9, 0.5, 1, 1e9])
    for (const { x1, x2, y1, y2 } of quadrantOf(await reportAt(factor))?.lines ?? []) {
      for (const x of [x1, x2]) expect(x >= 0 && x <= 360).toBe(true);
      for (const y of [y1, y2]) expect(y >= 0 && y <= 240).toBe(true);
    }
});

test("the page of a series has the picture where costs are compared, and none where they are not known", async () => {
  const series = await reportAt(0.5);
  expect(await seriesHtml(series)).toContain(
    `<svg class="quadrant" viewBox="0 0 360 240" role="img" aria-label="candidate against`,
  );
  expect(await seriesHtml(await reportAt(null))).not.toContain("<svg class");
});
