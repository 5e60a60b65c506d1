import { expect, test } from "bun:test";
import { readResults } from "../../src/comparison/table/read-results.ts";
import { TableFault } from "../../src/comparison/table/table-rows.ts";

const HEAD = "scenario,arm,passed,question";
const ROWS = ["s,a,1,Where?", "s,b,0,where?  ", "t,a,1,When?", "t,b,0,When?", "u,a,1,where?", "u,b,1,Where?"];

const read = (rows: readonly string[], cluster: string) => readResults([HEAD, ...rows].join("\n"), "csv", { cluster });

async function faultOf(rows: readonly string[], cluster: string): Promise<string> {
  try {
    await read(rows, cluster);
  } catch (error) {
    if (!(error instanceof TableFault)) throw error;
    return `${[error.line, error.column].filter((part) => part !== undefined).join(":")} ${error.message}`;
  }
  return "no fault";
}

test("a column names the clusters of a table's scenarios", async () => {
  expect((await read(ROWS, "question")).cluster).toEqual({ field: "question", of_row: [0, 1, 0] });
});

test("clusters that there are not have a line and words", async () => {
  expect(await faultOf(ROWS, "qestion")).toBe('1 cluster: there is no column "qestion"; is "question" meant?');
  expect(await faultOf(ROWS, "arm")).toBe('1:2 cluster: "arm" says what a row is, so it names no cluster');
  expect(await faultOf(ROWS.with(2, "t,a,1,"), "question")).toBe(
    '4:4 cluster: the row "t" has no value for question, by which rows are clustered; give it in every row, or in none',
  );
  expect(await faultOf(ROWS.with(3, "t,b,0,Where?"), "question")).toBe(
    '5:4 cluster: t has "when?" in line 4 and "where?" here; a scenario is in one cluster',
  );
  expect(await faultOf(ROWS.slice(0, 2), "question")).toStartWith(
    '1:4 cluster: every row has the same "question", so there is one cluster',
  );
  const json = ['{"scenario":"s","arm":"a","passed":1,"question":"x"}', '{"scenario":"s","arm":"b","passed":1}'];
  await expect(readResults(json.join("\n"), "jsonl", { cluster: "question" })).rejects.toThrow('no column "question"');
});
