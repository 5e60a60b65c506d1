import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reportOf } from "../../src/series/report.ts";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { results, rowsOf, seriesOf } from "../series/series.ts";
import { verdictsByOutcome } from "./outcomes.ts";
import { pageNamed, tableBelow } from "./pages.ts";
import { openShell } from "./shell.ts";

const page = pageNamed("docs/ci.md");
const gates = page.blocks.flatMap(({ comment, text }) =>
  comment?.startsWith("gate: ") ? [[comment.slice(6), text] as const] : [],
);
const isOfSeries = ([name]: readonly [string, string]) => name.startsWith("series: ");
const SITUATIONS = ["candidate wins", "tie", "neither passes the check", "baseline wins", "judge unusable"];

testNeeding(...EXAMPLE_TOOLS)(
  "each gate says to real verdicts what the table in docs/ci.md says",
  async () => {
    const verdicts = await verdictsByOutcome();
    expect([...verdicts].map(([name, { outcome, winner }]) => [name, outcome, winner])).toEqual([
      ["candidate wins", "winner", "candidate"],
      ["tie", "tie", null],
      ["neither passes the check", "inconclusive", null],
      ["baseline wins", "winner", "baseline"],
      ["judge unusable", "invalid", null],
    ]);
    const rows = await answers(
      gates.filter((gate) => !isOfSeries(gate)),
      "verdict.json",
      SITUATIONS.map((name) => verdicts.get(name)),
    );
    expect(rows).toEqual(tableBelow(page, "What each gate says"));
  },
  120_000,
);

testNeeding(...EXAMPLE_TOOLS)(
  "each gate of a series says what the table in docs/ci.md says",
  async () => {
    const conclusions = ["++++++++", "=".repeat(17), "+-", "--------", "xxxx"];
    const reports = conclusions.map((letters) =>
      reportOf(seriesOf({ state: "completed", stop: "exhausted" }), rowsOf(results(letters)), {
        stored: [],
        judge_unaudited: false,
      }),
    );
    const rows = await answers(gates.filter(isOfSeries), "series.json", await Promise.all(reports));
    expect(rows).toEqual(tableBelow(page, "What each of them says"));
  },
  120_000,
);

/** A row for each gate: what it says to each value, as the file that it reads. */
async function answers(
  asked: readonly (readonly [name: string, gate: string])[],
  file: string,
  values: readonly unknown[],
): Promise<string[][]> {
  using shell = openShell();
  const rows: string[][] = [];
  for (const [name, gate] of asked) {
    const cells: string[] = [];
    for (const value of values) {
      writeFileSync(join(shell.path, file), JSON.stringify(value));
      const { status, stderr } = await shell.type(gate);
      cells.push(stderr === "" && status <= 1 ? (status === 0 ? "pass" : "fail") : `${status}: ${stderr}`);
    }
    rows.push([name, ...cells]);
  }
  return rows;
}
