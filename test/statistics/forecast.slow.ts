import { expect, test } from "bun:test";
import { awaitedIn } from "../../src/statistics/claim/awaited.ts";
import { findingsOf } from "../../src/statistics/claim/findings.ts";
import { forecast } from "../../src/statistics/claim/forecast.ts";
import { plannedSubject } from "../../src/statistics/words/subject.ts";
import { pageNamed } from "../docs/pages.ts";
import { type Chance, chanceOf } from "../judge/simulation/pairs.ts";
import { type Result, rowsOf, seriesOf } from "./series.ts";

const words = pageNamed("docs/series.md").text.replaceAll(/\s+/g, " ");

const SERIES = 2_000;
const SEED = 1;
/** Trials after which it is asked, and of the plan. */
const [ASKED, PLANNED] = [10, 40];
const TIE = 0.2;

/** The middle of three is as the prior expects it. */
const shareOf = (chance: Chance) => [chance(), chance(), chance()].toSorted((one, other) => one - other)[1] ?? 0.5;

function trialsOf(win: number, chance: Chance): Result[] {
  return Array.from({ length: PLANNED }, () => (chance() < TIE ? "tie" : chance() < win ? "a" : "b"));
}

interface Told {
  readonly said: number;
  readonly came: boolean;
}

async function saidAndCame(): Promise<readonly Told[]> {
  const chance = chanceOf(SEED);
  const record = seriesOf({ trials: PLANNED, stop_when_sure: true, stop_at: "better" });
  const subject = plannedSubject(record);
  const told: Told[] = [];
  for (let series = 0; series < SERIES; series += 1) {
    const rows = rowsOf(trialsOf(series % 2 === 0 ? 0.5 : shareOf(chance), chance));
    const begun = findingsOf(subject, rows.slice(0, ASKED));
    if (begun.sequential.claim) continue;
    const { standing, levels } = awaitedIn(begun, PLANNED);
    const { chance_of_claim: said } = await forecast(standing, levels);
    told.push({ said, came: findingsOf(subject, rows).sequential.claim !== null });
  }
  return told;
}

test(`a forecast comes true as often as it says (${SERIES} series from seed ${SEED}, half of them of equal arms)`, async () => {
  const told = await saidAndCame();
  const borders = [0, 0.1, 0.25, 0.5, 1];
  const figures = borders.slice(1).flatMap((high, index) => {
    const own = told.filter(({ said }) => said >= (borders[index] ?? 0) && said < high);
    if (own.length === 0) return [];
    const said = own.reduce((sum, one) => sum + one.said, 0) / own.length;
    const came = own.filter((one) => one.came).length / own.length;
    return [{ series: own.length, said, came }];
  });
  for (const { said, came } of figures) expect(Math.abs(said - came)).toBeLessThanOrEqual(0.1);
  const percents = (of: "said" | "came") => figures.map((one) => `${(100 * one[of]).toFixed(0)}%`).join(", ");
  const toldByPage = /after 10 of 40 trials (it said .*? came true)/.exec(words)?.[1];
  expect(toldByPage).toBe(`it said ${percents("said")}, and ${percents("came")} came true`);
});
