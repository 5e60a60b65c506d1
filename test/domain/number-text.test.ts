import { expect, test } from "bun:test";
import { durationText, percentText } from "../../src/domain/number-text.ts";

test.each([
  [0.5, "50%"],
  [0.5041, "50.4%"],
  [0.496, "49.6%"],
  [0.50001, "just above 50%"],
  [0.49999, "just below 50%"],
  [0, "0%"],
  [1e-9, "below 0.1%"],
  [1, "100%"],
  [0.996, "99.6%"],
  [0.9999, "over 99.9%"],
  [0.79, "79%"],
  // Half of the weights 0.1, 0.2 and 0.3, and all of 0.1, 0.2 and 0.7: sums of fractions are a little off.
  [0.3 / (0.1 + 0.2 + 0.3), "50%"],
  [0.7 + 0.2 + 0.1, "100%"],
])("a share of %p reads %p", (share, text) => {
  expect(percentText(share)).toBe(text);
});

test.each([
  [0, "0 ms"],
  [0.2, "under 1 ms"],
  [38, "38 ms"],
  [999.7, "1.0 s"],
  [4_160, "4.2 s"],
  [59_970, "1 min"],
  [200_000, "3 min 20 s"],
])("a time of %p ms reads %p", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
