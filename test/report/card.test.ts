import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, inflateSync } from "node:zlib";
import { isContest } from "../../src/domain/contest.ts";
import { wordsText } from "../../src/domain/words.ts";
import { EXAMPLES } from "../../src/doors/endpoint/examples.ts";
import { seriesOfResults } from "../../src/doors/operation/results.ts";
import { contestCard, seriesCard, verdictCard } from "../../src/doors/report/card.ts";
import { cardPng } from "../../src/doors/report/card-png.ts";
import { reportedSession } from "../../src/doors/report/reported.ts";
import { firstLine } from "../../src/statistics/first-line.ts";
import { ROOT } from "../abeval.ts";

const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text);

test("a verdict as a picture says who won, how surely, what stands against it, and what it rests on", () => {
  const { session } = EXAMPLES;
  const verdict = session.verdict && { ...session.verdict, flags: ["judge_failed_self_test" as const] };
  const texts = textsOf(verdictCard(reportedSession({ ...session, verdict })));
  expect(texts).toContain(`${session.verdict?.winner} won`);
  expect(texts).toContain("Before you trust it: judge failed its self-test");
  for (const { arm_id } of session.arms) expect(texts).toContain(arm_id);
  expect(texts.join(" ")).toContain("One run: it does not tell how often this happens.");
  expect(texts.filter((text) => /^score .*checks/.test(text) && !text.endsWith("…")).length).toBe(2);
});

test("a verdict without a winner says so, with no confidence in anything, and a panel is told by its size", () => {
  const { session } = EXAMPLES;
  const nobody = {
    outcome: "inconclusive",
    winner: null,
    winner_side: null,
    decided_by: "none",
    confidence: "none",
  } as const;
  const judge = session.verdict && { ...session.verdict.judge, model: "panel(a/x+b/y+c/z)" };
  const verdict = session.verdict && judge && { ...session.verdict, ...nobody, judge };
  const texts = textsOf(verdictCard(reportedSession({ ...session, verdict })));
  expect(texts).toContain("No winner: too little to tell");
  expect(texts.join(" ")).toContain("a panel of 3 judges");
  expect(texts.join(" ")).not.toMatch(/confidence|panel\(/);
});

test("a series as a picture says what it shows, with the range", () => {
  const texts = textsOf(seriesCard(EXAMPLES.series)).join(" ");
  const { series } = EXAMPLES;
  const names = { a: series.arms.a.arm_id, b: series.arms.b.arm_id };
  expect(texts).toContain(wordsText(firstLine({ ...series, names })));
});

/** Six arms of which the last passes every one of 40 tasks, and the others half of them. */
const outcomes = Array.from({ length: 240 }, (_, place) => {
  const [arm, task] = [place % 6, Math.floor(place / 6)];
  return `t${task},1,arm${arm},${arm === 5 || task % 2}`;
});

test.each([
  [{}, "arm5 is better", /^Against arm0: arm5 is better/],
  [{ best: true }, "arm5 is best", /^arm5 is best: each of the other 5 is out/],
])(
  "a contest as a picture says who is ahead, and shows its best arms on one axis (%p)",
  async (choice, headline, first) => {
    const { series } = await seriesOfResults(["scenario,trial,arm,passed", ...outcomes].join("\n"), "csv", choice);
    if (!isContest(series)) throw new Error("six arms are a contest");
    const svg = contestCard(series);
    const texts = textsOf(svg);
    expect(texts).toContain(headline);
    expect(texts.some((text) => first.test(text))).toBe(true);
    expect(texts.filter((text) => /^arm\d$/.test(text))).toEqual(["arm5", "arm0", "arm1", "arm2", "arm3"]);
    expect(texts.join(" ")).toContain("the first 5 of 6 arms, 1 trial of 40 tasks");
    const [best = 0, ...others] = [...svg.matchAll(/<circle cx="(\d+)"/g)].map(([, x]) => Number(x));
    expect(others).toHaveLength(4);
    expect(best).toBeGreaterThan(Math.max(...others));
  },
);

test("a name that holds markup is text in the picture, and a long one stays within it", () => {
  const { session } = EXAMPLES;
  const [first, second] = session.arms;
  const arm_id = `<script>${"W".repeat(300)}`;
  const svg = verdictCard(reportedSession({ ...session, verdict: null, arms: [{ ...first, arm_id }, second] }));
  expect(svg).not.toContain("<script");
  expect(svg).toContain("&#60;script&#62;");
  for (const text of textsOf(svg)) expect(text.length).toBeLessThan(120);
});

test("a line that became smaller to fit is not cut as well", () => {
  const { session } = EXAMPLES;
  const [first, second] = session.arms;
  const names = Array.from({ length: 12 }, (_, more) => "n".repeat(18 + more));
  const cut = names.filter((arm_id) => {
    const svg = verdictCard(reportedSession({ ...session, verdict: null, arms: [{ ...first, arm_id }, second] }));
    return !textsOf(svg).includes(arm_id);
  });
  expect(cut).toEqual([]);
});

test("the PNG has the picture's size and colours", async () => {
  const png = Buffer.from(await cardPng(verdictCard(reportedSession(EXAMPLES.session))));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 630]);
  const from = png.indexOf("IDAT") + 4;
  const pixels = inflateSync(png.subarray(from, from + png.readUInt32BE(from - 8)));
  expect(pixels.length).toBe((1200 * 4 + 1) * 630);
  const colourOf = (x: number, y: number) =>
    pixels.subarray(y * 4801 + 1 + x * 4, y * 4801 + 4 + x * 4).toString("hex");
  const winner = EXAMPLES.session.verdict?.winner_side === "a" ? "1a5fb4" : "a34a00";
  expect([colourOf(600, 5), colourOf(600, 625)]).toEqual([winner, "ffffff"]);
});

test("the renderer that lies here is the package's", () => {
  const own = readFileSync(join(ROOT, "src/doors/report/renderer/resvg.wasm.gz"));
  expect(gunzipSync(own).equals(readFileSync(Bun.resolveSync("@resvg/resvg-wasm/index_bg.wasm", ROOT)))).toBe(true);
});
