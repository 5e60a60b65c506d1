/** `bun hidden-check.ts <check>`: holds one part of report.md against what really happened. */
import { existsSync, readFileSync } from "node:fs";

const EXPECTED = {
  cause: ["Cause", /^invoice-backfill(\.batch_size)?$/],
  change: ["Change", /^CHG-4471$/],
  "first-failure": ["First failed request", /^req-7f4214$/],
  failures: ["Failed requests", /^91$/],
  customers: ["Customers affected", /^42$/],
  rollback: ["Rollback ended it", /^no$/],
  next: ["Next occurrence", /^15:05( UTC)?$/],
} as const satisfies Record<string, readonly [string, RegExp]>;

const LOGS = ["api.log", "db.log", "worker.log", "changes.log"];

const check = process.argv[2] ?? "";
const problem = existsSync("report.md") ? examine(readFileSync("report.md", "utf8")) : "there is no report.md";
if (problem !== null) {
  console.log(`${check}: ${problem}`);
  process.exit(1);
}
console.log(`holds against the logs: ${check}`);

function examine(report: string): string | null {
  if (check === "evidence") return examineQuotes(report);
  if (!isField(check)) return "no such check";
  const [label, expected] = EXPECTED[check];
  const value = field(report, label);
  if (value === null) return `the line "${label}: ..." is missing`;
  return expected.test(value) ? null : `"${value}" is not right`;
}

function isField(name: string): name is keyof typeof EXPECTED {
  return Object.hasOwn(EXPECTED, name);
}

/** The value of `Label: value`; a list mark, emphasis and code marks around either are let pass. */
function field(report: string, label: string): string | null {
  const plain = report.replace(/[*`]/g, "");
  const line = plain.split(/\r?\n/).find((text) => text.replace(/^\s*-?\s*/, "").startsWith(`${label}:`));
  return line === undefined ? null : line.slice(line.indexOf(":") + 1).trim();
}

/** At least three whole log lines from at least two files, and no invented one. */
function examineQuotes(report: string): string | null {
  const quotes = [...new Set(report.split(/\r?\n/).filter((line) => line.startsWith("> ")))].map((line) => line.slice(2));
  const files = new Map(LOGS.map((name) => [name, new Set(readFileSync(`logs/${name}`, "utf8").trimEnd().split("\n"))]));
  const sources = quotes.map((quote) => LOGS.find((name) => files.get(name)?.has(quote)));
  const invented = sources.indexOf(undefined);
  if (invented >= 0) return `not a line of any log: ${quotes[invented]}`;
  if (quotes.length < 3) return `${quotes.length} log lines quoted, 3 wanted`;
  return new Set(sources).size < 2 ? "all quotes come from one file" : null;
}
