import { expect, test } from "bun:test";
import fc from "fast-check";
import { type JudgeFinding, mergeFindings, silenceIn } from "../../src/comparison/judge/panel-votes.ts";
import type { Outcome, Side } from "../../src/domain/verdict.ts";

const vote = (side: Side): JudgeFinding => ({ outcome: "winner", winner_side: side, lean_side: null });
const none = (outcome: Outcome, lean_side: Side | null = null): JudgeFinding => ({
  outcome,
  winner_side: null,
  lean_side,
});

/** `+` and `-` vote for arm a and b; `0` finds a tie, `?` is inconsistent, `>` and `<` lean to a and b, `x` is silent. */
const BALLOTS: Readonly<Record<string, JudgeFinding>> = {
  "+": vote("a"),
  "-": vote("b"),
  "0": none("tie"),
  "?": none("inconsistent"),
  ">": none("inconclusive", "a"),
  "<": none("inconclusive", "b"),
  x: none("invalid"),
};
const ballots = (marks: string): JudgeFinding[] => [...marks].map((mark) => BALLOTS[mark] ?? none("invalid"));

/** What a panel finds: a mark as above, `.` for an outcome of nobody without a lean. */
function found(marks: string): string {
  const finding = mergeFindings(ballots(marks));
  const known = Object.entries(BALLOTS).find(([, one]) => JSON.stringify(one) === JSON.stringify(finding));
  return known?.[0] ?? (finding.outcome === "inconclusive" ? "." : JSON.stringify(finding));
}

/** Every case of votes for arm a, for arm b, for neither (a tie), and abstentions. */
const cases = (size: number): string[] =>
  range(size).flatMap((a) =>
    range(size - a).flatMap((b) =>
      range(size - a - b).map(
        (ties) => "+".repeat(a) + "-".repeat(b) + "0".repeat(ties) + "x".repeat(size - a - b - ties),
      ),
    ),
  );
const range = (most: number) => Array.from({ length: most + 1 }, (_, index) => index);

test("a panel of three: every case of votes", () => {
  expect(Object.fromEntries(cases(3).map((marks) => [marks, found(marks)]))).toEqual({
    "+++": "+",
    "++-": ">",
    "++0": "+",
    "++x": ">",
    "+--": "<",
    "+-0": ".",
    "+-x": ".",
    "+00": ">",
    "+0x": ">",
    "+xx": "x",
    "---": "-",
    "--0": "-",
    "--x": "<",
    "-00": "<",
    "-0x": "<",
    "-xx": "x",
    "000": "0",
    "00x": ".",
    "0xx": "x",
    xxx: "x",
  });
});
test("a panel of five: every case of votes", () => {
  const FOUND: Readonly<Record<string, string>> = {
    "+": "+++0x +++00 +++-0 ++++x ++++0 ++++- +++++",
    "-": "---0x ---00 +---0 ----x ----0 +---- -----",
    "0": "00000",
    ">": "+0xxx +00xx +000x +0000 ++xxx ++0xx ++00x ++000 ++-xx ++-0x ++-00 +++-- +++xx +++-x",
    "<": "-0xxx -00xx -000x -0000 --xxx --0xx --00x --000 +--xx +--0x +--00 ++--- ---xx +---x",
    ".": "00xxx 000xx 0000x +-xxx +-0xx +-00x +-000 ++--x ++--0",
    x: "xxxxx 0xxxx -xxxx +xxxx",
  };
  const expected = Object.entries(FOUND).flatMap(([mark, all]) => all.split(" ").map((marks) => [marks, mark]));
  expect(Object.fromEntries(cases(5).map((marks) => [marks, found(marks)]))).toEqual(Object.fromEntries(expected));
});

test.each([
  ["most are pulled by the order", "??0", "?"],
  ["most are pulled by the order, one votes", "??+", ">"],
  ["a tie and two leans", "0>>", ">"],
  ["two ties and a lean", "00>", "0"],
  ["leans that cancel", "?<>", "."],
  ["a vote outweighs a lean", "+<?", ">"],
  ["two leans equal a vote", "+<<", "."],
  ["no two agree", "0?x", "."],
])("without a majority that votes: %s", (_title, marks, finding) => {
  expect(found(marks)).toBe(finding);
});

test("silence helps nobody: it finds nothing that the panel would not find whatever the silent judge had said", () => {
  const claims = ["+", "-", "0"];
  for (const size of [3, 5])
    for (const marks of cases(size).filter((one) => one.includes("x"))) {
      const finding = found(marks);
      if (!claims.includes(finding)) continue;
      const others = Object.keys(BALLOTS).map((mark) => [mark, found(marks.replace("x", mark))]);
      expect(others.filter(([, other]) => other !== finding)).toEqual([]);
    }
});

test("in a stored verdict of the first rule a silent judge counts for nothing, as it did", () => {
  const winner = { outcome: "winner", winner_side: "a", lean_side: null } as const;
  expect(mergeFindings(ballots("++x"), silenceIn("swapped-pair/2+panel/1"))).toEqual(winner);
  expect(mergeFindings(ballots("++x"), silenceIn("swapped-pair/3+panel/2"))).toEqual({
    ...winner,
    ...{ outcome: "inconclusive", winner_side: null, lean_side: "a" },
  });
});

test("the order of the judges means nothing, and exchanging the arms mirrors what they find", () => {
  const mirror = (marks: string) => [...marks].map((mark) => MIRRORED[mark] ?? mark).join("");
  const MIRRORED: Readonly<Record<string, string>> = { "+": "-", "-": "+", "<": ">", ">": "<" };
  const votes = fc
    .constantFrom(3, 5)
    .chain((size) => fc.array(fc.constantFrom(...Object.keys(BALLOTS)), { minLength: size, maxLength: size }));
  fc.assert(
    fc.property(votes, (marks) => {
      const finding = found(marks.join(""));
      expect(found(marks.toReversed().join(""))).toBe(finding);
      expect(found(mirror(marks.join("")))).toBe(mirror(finding));
    }),
  );
});
