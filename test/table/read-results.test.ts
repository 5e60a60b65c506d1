import { describe, expect, test } from "bun:test";
import { type Choice, readResults } from "../../src/comparison/table/read-results.ts";
import { TableFault, type TableForm } from "../../src/comparison/table/table-rows.ts";
import { MAX_RESULT_PAIRS, MAX_RESULT_SCENARIOS } from "../../src/domain/results.ts";
import { countTurns } from "../turns.ts";

const HEAD = "scenario,trial,arm,passed";

const csv = (...lines: readonly string[]) => lines.join("\n");

/** `line:column message` of what is wrong. */
async function faultOf(text: string, { form = "csv", ...choice }: Choice & { form?: TableForm } = {}) {
  try {
    await readResults(text, form, choice);
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    return `${[error.line, error.column].filter((part) => part !== undefined).join(":")} ${error.message}`;
  }
  return "no fault";
}

const lines = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).join("\n");

describe("a table of results", () => {
  test("gives each scenario its trials in order, with a result of each arm or none", async () => {
    const table = csv(
      `\ufeff${HEAD}`,
      "s,2,a,true",
      "s,1,a,1",
      "s,1,b,False",
      "",
      '"t, with ""words""",1,b,0',
      "s,2,b,",
      "u,3,a,1.0",
    );
    expect(await readResults(table, "csv")).toEqual({
      measure: "passed",
      arms: { a: "a", b: "b" },
      scenarios: [
        {
          scenario: "s",
          trials: [
            [1, 1, 0],
            [2, 1, null],
          ],
        },
        { scenario: 't, with "words"', trials: [[1, null, 0]] },
        { scenario: "u", trials: [[3, 1, null]] },
      ],
    });
  });

  test("may end its lines in any way, also where a quoted value holds another end", async () => {
    for (const end of ["\r\n", "\n", "\r", "\r\r\n"])
      for (const other of ["\n", "\r"]) {
        const table = [`${HEAD},"note${other}"`, `s,1,a,1,"x${other}y"`, "s,1,b,0,z", ""].join(end);
        expect((await readResults(table, "csv")).scenarios).toEqual([{ scenario: "s", trials: [[1, 1, 0]] }]);
      }
    expect(await faultOf([`${HEAD},note`, 's,1,a,1,"x\ny"', "s,0,b,0,z"].join("\r"))).toStartWith("4:2 trial: ");
  });

  test("may be JSON lines, with scores and without numbers of trials", async () => {
    const rows = [
      { scenario: "s", arm: "b", score: 0.25, note: [1] },
      { scenario: 7, arm: "a", score: "1e-1" },
      { scenario: "s", arm: "a", score: null },
      { scenario: 7, arm: "b", score: 0 },
    ];
    expect(await readResults(lines(rows), "jsonl")).toEqual({
      measure: "score",
      arms: { a: "b", b: "a" },
      scenarios: [
        { scenario: "s", trials: [[1, 0.25, null]] },
        { scenario: "7", trials: [[1, 0, 0.1]] },
      ],
    });
  });

  test("of many arms is read for two of them, whose names may hold commas", async () => {
    const table = csv(HEAD, "s,1,x,1", 's,1,"y, large",0', "s,1,z,1");
    expect((await readResults(table, "csv", { arms: "z, y, large" })).arms).toEqual({ a: "z", b: "y, large" });
    expect(await faultOf(table, { arms: "y, larg,x" })).toBe(
      '1 no row has the arm "y, larg"; did you mean "y, large"?',
    );
    expect(await faultOf(table, { arms: "x" })).toBe('1 two arms are compared: --arms <a>,<b>, not "x"');
    expect(await faultOf(table, { arms: "x,x" })).toBe('1 "x" cannot be compared with itself');
  });

  test("of more than two arms is read for all of them, or for those that are named", async () => {
    const table = csv(HEAD, "s,1,x,1", 's,1,"y, large",0', "s,1,old,1", "t,1,x,0", "t,1,old,1");
    const read = await readResults(table, "csv");
    expect(read).toMatchObject({
      arms: { a: "x", b: "y, large" },
      contest: { arms: ["x", "y, large", "old"], mode: "against", control: "old" },
      scenarios: [
        { scenario: "s", trials: [[1, 1, 0]], others: [[1]] },
        { scenario: "t", trials: [[1, 0, null]], others: [[1]] },
      ],
    });
    expect(read.contest?.pairs.map(({ arms }) => arms)).toEqual([
      ["old", "x"],
      ["old", "y, large"],
    ]);
    const best = await readResults(table, "csv", { arms: "old,y, large,x", best: true });
    expect(best.contest?.pairs.map(({ arms }) => arms.join("+"))).toEqual(["old+y, large", "old+x", "y, large+x"]);
    expect([best.contest?.control, best.scenarios[0]?.others]).toEqual([null, [[1]]]);
    expect(await faultOf(table, { arms: "x,old,x" })).toBe('1 the arm "x" is named twice; name each once');
    expect(await faultOf(table, { arms: "x,old,ypsilon" })).toBe(
      '1 no row has the arm "ypsilon"; the arms are x, y, large, old',
    );
    expect(await faultOf(table, { control: "odl" })).toBe('1 --control: no arm is "odl"; did you mean "old"?');
    expect(await faultOf(table, { arms: "x,old", best: true })).toBe(
      "1 --best is for three arms or more, and two are compared; leave it out",
    );
    const many = Array.from({ length: 33 }, (_, arm) => `s,1,arm${arm},1`);
    expect(await faultOf(csv(HEAD, ...many))).toEndWith("arm32; at most 32 are compared: --arms <a>,<b>,...");
    expect((await readResults(csv(HEAD, ...many.slice(1)), "csv")).contest?.pairs).toHaveLength(31);
  });

  test.each<readonly [fault: string, ...lines: readonly string[]]>([
    ["1 has no header; its first line names the columns"],
    ["1 has no rows", HEAD],
    ["1 has one arm, a; two are compared", HEAD, "s,1,a,1"],
    ['1 there is no column "passed" or "score"; is "pased" meant?', "scenario,trial,arm,pased", "s,1,a,1"],
    ['1 there is no column "scenario"; is "senario" meant?', "senario,trial,arm,passed", "s,1,a,1"],
    ['1 there is no column "arm"; there are scenario, passed', "scenario,passed", "s,1"],
    ['1 there is no column "trial"; is "trail" meant?', "scenario,trail,arm,passed", "s,1,a,1"],
    ['1:5 has "passed" and "score"; keep one', "scenario,trial,arm,passed,score", "s,1,a,1,1"],
    ['1:2 the header has "arm" twice; keep one', "arm,arm,scenario,passed"],
    ['3:2 trial: must be a whole number from 1, not "0"', HEAD, "s,1,a,1", "s,0,b,1"],
    ['2:4 passed: must be true, false, 1 or 0, or empty where there is no result, not "0.5"', HEAD, "s,1,a,0.5"],
    [
      '2:4 score: must be a number from 0 to 1, or empty where there is no result, not "1.01"',
      "scenario,trial,arm,score",
      "s,1,a,1.01",
    ],
    [
      '2:4 score: must be a number from 0 to 1, or empty where there is no result, not "nan"',
      "scenario,trial,arm,score",
      "s,1,a,NaN",
    ],
    [
      "4 a has trial 1 of s in line 2 too; number the trials of a scenario 1, 2, ...",
      HEAD,
      "s,1,a,1",
      "s,1,b,1",
      "s,1,a,0",
    ],
    ["3:3 a quote opens here and is never closed; put one at the end of the value", HEAD, "s,1,a,1", 's,1,"b,1'],
    [
      "3:3 a quote opens here and is never closed; put one at the end of the value",
      HEAD,
      's,1,"a ""b""",1',
      's,1,"b,1',
      's,2,""a"",0',
      "s,2,b,1",
    ],
    [
      '1 there is no column "passed" or "score"; the header is one column, "scenario;arm;passed": write commas between columns',
      "scenario;arm;passed",
      "s;a;1",
    ],
    [
      "2 has 3 values, and the header names 4 columns; a value with a comma in it needs quotes, an empty one keeps its comma",
      HEAD,
      "s,1,a",
    ],
    ["2:1 scenario: must name it", HEAD, ",1,a,1"],
    ["2:3 arm: must have 1 to 200 characters that can be seen, in one line", HEAD, "s,1,a\u0007,1"],
    ["2:1 scenario: must have 1 to 200 characters that can be seen, in one line", HEAD, "\u202es,1,a,1"],
    ["1 no scenario and trial has a result of both a and b", HEAD, "s,1,a,1", "s,2,b,1"],
  ])("is refused with the place: %s", async (fault, ...rows) => {
    const found = await faultOf(csv(...rows));
    // The parser counts the columns of a quote in characters.
    expect(found.replace(/^3:\d+ a quote/, "3:3 a quote")).toBe(fault);
  });

  test("of JSON lines names the line", async () => {
    const row = { scenario: "s", arm: "a", passed: true };
    const of = (...rows: readonly unknown[]) => faultOf(lines(rows), { form: "jsonl" });
    expect(await of(row, 3)).toBe("2 a row must be an object with columns and values");
    expect(await of(row, { ...row, arm: undefined })).toBe('2 there is no column "arm"; there are scenario, passed');
    expect(await of(row, { scenario: "s", arm: "b", score: 1 })).toBe(
      '2 has "score" where rows before it have "passed"; keep to one',
    );
    expect(await faultOf("{'scenario':'s'}", { form: "jsonl" })).toBe(
      "1 is not JSON: JSON Parse error: Single quotes (') are not allowed in JSON; each line is one whole object, with no comma after it or after its last value",
    );
    expect(await faultOf(`"${"x".repeat(2 ** 20)}"`, { form: "jsonl" })).toBe(
      "1 has more than 1048576 characters; shorten its values",
    );
  });

  test("gives others a turn after some rows, however many columns these have", async () => {
    const names = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`name_${n}`, n % 3]));
    const rows = Array.from({ length: 100 }, (_, n) => ({
      ...{ scenario: `s${n >> 1}`, arm: n % 2 ? "a" : "b", passed: true, ...names },
    }));
    const wide = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))].join("\n");
    for (const [text, form] of [[lines(rows), "jsonl"] as const, [wide, "csv"] as const]) {
      using turns = countTurns();
      await readResults(text, form);
      expect(turns.count).toBeGreaterThan(8);
    }
  });

  test("has a limit of scenarios and of pairs, told where it is passed", async () => {
    const many = Array.from({ length: MAX_RESULT_SCENARIOS + 1 }, (_, index) => `s${index},1,a,1`);
    expect(await faultOf(csv(HEAD, ...many))).toBe("2002 more than 2000 scenarios; split the table");
    const long = Array.from({ length: 2 * MAX_RESULT_PAIRS + 1 }, (_, index) => `s,${index + 1},a,1`);
    expect(await faultOf(csv(HEAD, ...long))).toBe("40002 more than 20000 pairs of results; split the table");
  });
});

describe("columns by which the scenarios of a table can be grouped", () => {
  const table = (column: string, values: readonly string[]) =>
    csv(
      `${HEAD},${column}`,
      ...values.flatMap((value, index) => [`s${index},1,a,1,${value}`, `s${index},1,b,0,${value}`]),
    );
  const columnsOf = async (text: string, form: TableForm = "csv") => (await readResults(text, form)).columns;

  test("have few short values, of which each scenario has one and several have the same", async () => {
    const many = Array.from({ length: 60 }, (_, index) => `v${index % 51}`);
    expect(await columnsOf(table("tier", ["x", "", "x"]))).toEqual([
      { field: "tier", values: ["x", ""], of_row: [0, 1, 0] },
    ]);
    for (const values of [["x", "y"], many, ["x", "x", "y".repeat(61)]])
      expect(await columnsOf(table("tier", values))).toBeUndefined();
    expect(await columnsOf(`${table("tier", ["x", "x", "y"])}\ns0,2,a,1,y`)).toBeUndefined();
  });

  test("are empty in rows of JSON that lack them", async () => {
    const rows = ["s", "t", "u"].flatMap((scenario, index) =>
      ["a", "b"].map((arm) => ({ scenario, arm, passed: 1, ...(index === 1 && { tier: 2 }) })),
    );
    expect(await columnsOf(lines(rows), "jsonl")).toEqual([{ field: "tier", values: ["", "2"], of_row: [0, 1, 0] }]);
  });

  test("are looked for among the first hundred that rows of JSON name: each costs a look at every scenario", async () => {
    const rowsWith = (fresh: number) =>
      lines(
        ["s", "s", "t", "u"].flatMap((scenario, index) =>
          ["a", "b"].map((arm) => {
            const useless = Array.from({ length: index === 1 ? fresh : 0 }, (_, n) => [`${arm}${n}`, "x"]);
            const tier = index > 1 && { tier: index === 2 ? "x" : "" };
            return { scenario, trial: 1 + (index % 2), arm, passed: 1, ...Object.fromEntries(useless), ...tier };
          }),
        ),
      );
    expect(await columnsOf(rowsWith(40), "jsonl")).toMatchObject([{ field: "tier" }]);
    expect(await columnsOf(rowsWith(60), "jsonl")).toBeUndefined();
  });

  test("are refused with their place where the one that is asked for cannot group", async () => {
    const three = table("tier", ["x", "x", "y"]);
    const long = table("tier", ["x", "y".repeat(61)]);
    const own = lines([{ scenario: "s", arm: "a", passed: 1, tier: "x" }]);
    const faults = [
      await faultOf(three, { by: "teir" }),
      await faultOf(three, { by: "arm" }),
      await faultOf(three, { by: "score" }),
      await faultOf(`${three}\ns0,2,a,1,y`, { by: "tier" }),
      await faultOf(long, { by: "tier" }),
      await faultOf(
        table(
          "tier",
          Array.from({ length: 60 }, (_, index) => `v${index}`),
        ),
        { by: "tier" },
      ),
      await faultOf(table("tier", ["x", "y"]), { by: "tier" }),
      await faultOf(own, { form: "jsonl", by: "tire" }),
    ];
    expect(faults).toEqual([
      '1 by: there is no column "teir"; is "tier" meant?',
      '1:3 by: "arm" says what a row is, so it groups no scenarios',
      '1 by: "score" says what a row is, so it groups no scenarios',
      '8:5 by: tier: s0 has "x" in line 2 and "y" here; a scenario is in one group',
      "4:5 by: tier: a value by which scenarios are grouped has at most 60 characters",
      "102:5 by: tier: more than 50 values; scenarios are grouped by a column with few",
      '1:5 by: each scenario has its own "tier", so there is nothing to group',
      "1 has one arm, a; two are compared",
    ]);
    expect(
      await faultOf(lines(["a", "b"].map((arm) => ({ scenario: "s", arm, passed: 1, tier: "x" }))), {
        form: "jsonl",
        by: "tire",
      }),
    ).toBe('1 by: no row has "tire"; is "tier" meant?');
  });
});
