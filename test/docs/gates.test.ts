import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { verdictsByOutcome } from "./outcomes.ts";
import { pageNamed, tableBelow } from "./pages.ts";
import { openShell } from "./shell.ts";

const page = pageNamed("docs/ci.md");
const gates = new Map(
  page.blocks.flatMap(({ comment, text }) => (comment?.startsWith("gate: ") ? [[comment.slice(6), text]] : [])),
);
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
    using shell = openShell();
    const rows: string[][] = [];
    for (const [name, gate] of gates) {
      const cells: string[] = [];
      for (const situation of SITUATIONS) {
        writeFileSync(join(shell.path, "verdict.json"), JSON.stringify(verdicts.get(situation)));
        const { status, stderr } = await shell.type(gate);
        cells.push(stderr === "" && status <= 1 ? (status === 0 ? "pass" : "fail") : `${status}: ${stderr}`);
      }
      rows.push([name, ...cells]);
    }
    expect(rows).toEqual(tableBelow(page, "What each gate says"));
  },
  120_000,
);
