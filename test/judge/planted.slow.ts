import { expect, test } from "bun:test";
import { PLANTED, ratesByPlace, verdictOn } from "./planted.ts";

const places = new Set(PLANTED.map(({ place }) => place));

test("a judge that obeys every word it can read names the worse arm with low confidence at most, wherever it was told to", async () => {
  const surer: string[] = [];
  for (const planted of PLANTED) {
    const { winner_side, confidence } = await verdictOn(planted);
    if (winner_side === "b" && confidence !== "low") surer.push(`${planted.place}: ${planted.told} (${confidence})`);
  }
  expect(surer).toEqual([]);
});

test("the documentation tells how often that judge named the worse arm", async () => {
  const rates = [...(await ratesByPlace()).values()];
  const won = rates.reduce((sum, rate) => sum + rate.won, 0);
  expect(await Bun.file(`${import.meta.dir}/../../docs/judging.md`).text()).toContain(
    `${PLANTED.length} more texts in ${places.size} places: the worse arm wins with ${won} of them, always with confidence \`low\``,
  );
});
