import type { CostEstimate, DoctorCheck, DoctorReport } from "../domain/health.ts";
import { plainText } from "../domain/plain-text.ts";
import type { CheckedFile } from "./check-scenarios.ts";

const WORDS: Readonly<Record<DoctorCheck["status"], string>> = { pass: "ok", warn: "warn", fail: "FAIL", skip: "-" };

/** What doctor found, for people: the machine once, then each file, a line a check, and what to do below it. */
export function doctorText(checked: readonly CheckedFile[]): string {
  const machine = checked[0]?.report.checks.filter(({ scope }) => scope === "environment") ?? [];
  const parts = [section("This machine", machine), ...checked.map(fileSection)];
  return plainText(`${parts.join("\n\n")}\n`);
}

function fileSection({ file, report }: CheckedFile): string {
  const checks = report.checks.filter(({ scope }) => scope === "scenario");
  const estimate = report.estimate === null ? [] : [estimateLine(report.estimate)];
  return [section(file, checks), ...estimate, conclusion(file, report)].join("\n");
}

const section = (title: string, checks: readonly DoctorCheck[]) => [title, ...checks.map(checkLines)].join("\n");

function checkLines({ status, title, detail, hint }: DoctorCheck): string {
  const head = `  ${WORDS[status].padEnd(4)}  ${title}`;
  const said = detail === null ? [] : detail.split("\n");
  const [first, ...rest] = said.length === 1 ? [`${head}: ${said[0]}`] : [head, ...said.map(indented)];
  return [first, ...rest, ...(hint === null ? [] : [indented(`-> ${hint}`)])].join("\n");
}

const indented = (line: string) => `        ${line}`;

function estimateLine({ low_usd, high_usd, low_tokens, high_tokens }: CostEstimate): string {
  const money = low_usd === null || high_usd === null ? "cost unknown" : `${dollars(low_usd)} to ${dollars(high_usd)}`;
  if (high_tokens === 0) return "  A run of it spends nothing.";
  return `  A run of it spends about ${counted(low_tokens)} to ${counted(high_tokens)} tokens (${money}).`;
}

const dollars = (usd: number) => `${usd.toFixed(2)} USD`;

const counted = (tokens: number) => tokens.toLocaleString("en-US");

/** The last line is the answer. What the machine lacks may matter to other scenarios only, so its warnings are not counted. */
function conclusion(file: string, { ok, checks }: DoctorReport): string {
  const warned = checks.filter(({ scope, status }) => scope === "scenario" && status === "warn").length;
  const warnings = warned > 0 ? `, ${warned} to look at` : "";
  if (ok) return `${file}: ready${warnings}`;
  const failed = checks.filter(({ status }) => status === "fail").length;
  return `${file}: not ready, ${failed} failed${warnings}`;
}
