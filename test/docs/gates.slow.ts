import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SIDES, type Side } from "../../src/domain/verdict.ts";
import { reportOf } from "../../src/statistics/report.ts";
import { EXAMPLE_TOOLS } from "../machine.ts";
import { testNeeding } from "../needs.ts";
import { results, rowsOf, seriesOf } from "../statistics/series.ts";
import { verdictsByOutcome } from "./outcomes.ts";
import { PAGES, type Page, pageNamed, readPage, tableBelow } from "./pages.ts";
import { openShell } from "./shell.ts";

const page = pageNamed("docs/ci.md");
const gates = blocksNamed(page, "gate: ");
const checks = new Map(blocksNamed(page, "checks: "));

/** The situations of the table in docs/ci.md, in the order of its columns. */
const CONCLUSIONS = {
  "series: candidate preferred": "+++++++++",
  "series: no difference": "=".repeat(17),
  "series: undecided": "+-",
  "series: fragile": "xxxx+++++++++",
  "series: baseline preferred": "---------",
  "series: no trial counts": "xxxx",
  "series: judge failed its self-test": "+++++++++",
};

testNeeding(...EXAMPLE_TOOLS)(
  "each gate says what the table in docs/ci.md says, of verdicts and of series, whichever arm stands first",
  async () => {
    const documents = await situations();
    for (const first of SIDES) {
      const files = [...documents.values()].map((situation) => situation[first]);
      expect([first, await answers(gates, files)]).toEqual([
        first,
        tableBelow(page, "This table shows what these gates answer"),
      ]);
    }
  },
  240_000,
);

testNeeding(...EXAMPLE_TOOLS)(
  "no line of jq in any document lets a candidate pass that lost, whose judge failed its self-test, or that is not there",
  async () => {
    const documents = await situations();
    const lines = new Set([...PAGES, await readPage("docs/mcp.md")].flatMap(gateLines));
    expect(lines.size).toBeGreaterThan(5);
    const lost = [...documents].flatMap(([name, { a, b }]) => (/baseline|failed/.test(name) ? [a, b] : []));
    const misspelt = [...documents.values()].flatMap(({ a, b }) => [a, b].map(withoutCandidate));
    using shell = openShell();
    // One start of jq reads all documents. `-e` fails for what is false or null.
    const texts = [...lost, ...misspelt].map((document) => JSON.stringify(document));
    writeFileSync(join(shell.path, "all.json"), texts.join("\n"));
    for (const condition of lines) {
      const { stdout, stderr } = await shell.type(`jq -c '[${condition}] | last | not' all.json`);
      expect([condition, stderr, stdout]).toEqual([condition, "", "true\n".repeat(texts.length)]);
    }
  },
  240_000,
);

testNeeding(...EXAMPLE_TOOLS)(
  "the gates without a preference ask the checks of the candidate alone",
  async () => {
    const documents = await situations();
    const passed = async (kind: string, names: readonly string[]) => {
      const files = names.flatMap((name) => SIDES.map((first) => documents.get(name)?.[first]));
      const [[, ...cells] = []] = await answers([[kind, checks.get(kind) ?? ""]], files);
      return cells;
    };
    expect(await passed("of a verdict", ["candidate won", "tie", "baseline won"])).toEqual([
      ...["pass", "pass"],
      ...["pass", "pass"],
      ...["fail", "fail"],
    ]);
    expect(await passed("of a series", ["series: candidate preferred", "series: baseline preferred"])).toEqual([
      ...["pass", "pass"],
      ...["fail", "fail"],
    ]);
  },
  240_000,
);

/** Each with the candidate as arm a, and as arm b. */
let made: Promise<ReadonlyMap<string, Readonly<Record<Side, unknown>>>> | undefined;

function situations() {
  made ??= make();
  return made;
}

async function make() {
  const [a, b] = [await verdictsByOutcome("candidate"), await verdictsByOutcome("baseline")];
  const verdicts = [...b.keys()].map((name) => [name, { a: a.get(name), b: b.get(name) }] as const);
  const reports = Object.entries(CONCLUSIONS).map(async ([name, letters]) => {
    const swapped = letters.replaceAll(/[+-]/g, (sign) => (sign === "+" ? "-" : "+"));
    return [
      name,
      {
        a: await report(name, letters, ["candidate", "baseline"]),
        b: await report(name, swapped, ["baseline", "candidate"]),
      },
    ] as const;
  });
  return new Map<string, Readonly<Record<Side, unknown>>>([...verdicts, ...(await Promise.all(reports))]);
}

const report = (name: string, letters: string, arms: string[]) =>
  reportOf(seriesOf({ state: "completed", stop: "exhausted", arms }), rowsOf(results(letters)), {
    stored: [],
    judge_unaudited: false,
    failed_self_tests: name.includes("failed") ? ["S"] : [],
  });

function blocksNamed({ blocks }: Page, kind: string) {
  return blocks.flatMap(({ comment, text }) =>
    comment?.startsWith(kind) ? [[comment.slice(kind.length), text] as const] : [],
  );
}

/** Every condition on who won. Those that look for something else (a check, a limit) say nothing of it. */
function gateLines({ text }: Page): string[] {
  const inShell = text.matchAll(/jq -e '([^']+)' \w+\.json/g);
  const inAction = text.matchAll(/^\s*gate: (\..*)$/gm);
  return [...inShell, ...inAction]
    .flatMap(([, condition]) => condition ?? [])
    .filter((condition) => /gate(?!_reasons)|winner|conclusion|outcome/.test(condition));
}

/** As if the pipeline's author had misspelt the arm. */
const withoutCandidate = (document: unknown): unknown =>
  JSON.parse(JSON.stringify(document).replaceAll(/"(candidate|root-cause)"/g, '"other"'));

/** A row for each gate: what it says to each document. */
async function answers(
  asked: readonly (readonly [name: string, gate: string])[],
  documents: readonly unknown[],
): Promise<string[][]> {
  using shell = openShell();
  for (const [index, document] of documents.entries()) {
    const directory = join(shell.path, String(index));
    mkdirSync(directory);
    for (const name of ["verdict.json", "series.json"]) writeFileSync(join(directory, name), JSON.stringify(document));
  }
  const rows: string[][] = [];
  for (const [name, gate] of asked) {
    const { stdout, stderr } = await shell.type(
      `for n in $(seq 0 ${documents.length - 1}); do (cd $n; ${gate.trim()} && echo 0 || echo $?); done`,
    );
    expect([name, stderr]).toEqual([name, ""]);
    rows.push([name, ...stdout.trim().split("\n").flatMap(said)]);
  }
  return rows;
}

/** The status of jq stands below what it printed. */
const said = (line: string): readonly string[] => {
  if (line === "true" || line === "false") return [];
  return [line === "0" ? "pass" : line === "1" ? "fail" : line];
};
