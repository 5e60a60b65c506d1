import { expect, test } from "bun:test";
import { drawLabels, nameArms } from "../../src/comparison/judge/view/labels.ts";

/** The draws in this order, then the last one again and again. */
function drawing(...draws: readonly string[]) {
  let asked = 0;
  const entropy = () => {
    asked += 1;
    return draws[asked - 1] ?? draws.at(-1) ?? "";
  };
  return { entropy, asked: () => asked };
}

const [ZEROS, ONES] = ["000000000000", "010101010101"];

test("two labels never start alike, even when chance repeats itself", () => {
  const [first, second] = drawLabels(drawing(ZEROS).entropy, "");
  expect([first, second]).toEqual(["B2B", "N2B"]);
});

for (const slot of [0, 1])
  test(`labels are drawn again when label ${slot + 1} occurs in the evidence`, () => {
    const taken = drawLabels(drawing(ZEROS).entropy, "");
    const fresh = drawLabels(drawing(ONES).entropy, "");
    expect(drawLabels(drawing(ZEROS, ONES).entropy, `x = ${taken[slot]};`)).toEqual(fresh);
  });

test("drawing labels ends, whatever the evidence holds", () => {
  const draws = drawing(ZEROS);
  expect([drawLabels(draws.entropy, "B2B"), draws.asked()]).toEqual([["B2B", "N2B"], 16]);
});

test("labels become names as whole words, in either order", () => {
  const names = { a: "plain", b: "tdd" };
  const named = (order: "ab" | "ba") => nameArms("K7P beats T4M, not K7PX.", { order, labels: ["K7P", "T4M"], names });
  expect([named("ab"), named("ba")]).toEqual(["plain beats tdd, not K7PX.", "tdd beats plain, not K7PX."]);
});
