import type { CostEstimate, DoctorCheck, DoctorReport } from "../../../domain/doctor-report.ts";
import { countText } from "../../../domain/number-text.ts";
import { plainText } from "../../../domain/plain-text.ts";
import { checksToTell, moneyText, readiness, seriesEstimateText } from "../../../domain/readiness.ts";
import { IDLE } from "../../doctor/check.ts";
import { hanging } from "./terminal.ts";

/** One file as it was named, with what was found. */
export interface CheckedFile {
  readonly file: string;
  readonly report: DoctorReport;
}

const WORDS: Readonly<Record<DoctorCheck["status"], string>> = { pass: "ok", warn: "warn", fail: "FAIL", skip: "-" };

/**
 * What doctor found, for people: the machine once, then each file. Each check is one line, with its hint below.
 * @param width cells of a line; `Infinity` wraps nothing
 */
export function doctorText(checked: readonly CheckedFile[], width: number): string {
  const machine = checked[0]?.report.checks.filter(({ scope }) => scope === "environment") ?? [];
  const ready = checked.filter(({ report }) => report.ok).length;
  const parts = [
    section("This machine", machine, width),
    ...checked.map((file, index) => fileSection(file, index === checked.length - 1, width)),
    ...(checked.length > 1 ? [`${ready} of ${checked.length} ready`] : []),
  ];
  return plainText(`${parts.join("\n\n")}\n`);
}

const FOUND: ReadonlySet<string | null> = new Set(Object.values(IDLE));

/** @param isLast all files are one series, which is told once */
function fileSection({ file, report }: CheckedFile, isLast: boolean, width: number): string {
  const checks = checksToTell(report).filter(({ scope }) => scope === "scenario");
  const found = [...checks.filter((check) => !isIdle(check)), ...idleOf(checks)];
  const estimate = report.estimate === null ? [] : hanging("  ", estimateText(report.estimate), width);
  const series = report.estimate === null || !isLast ? "" : seriesEstimateText(report.estimate, dollars);
  const trials = series === "" ? [] : hanging("  ", series, width);
  return [section(file, found, width), ...estimate, ...trials, conclusion(file, report)].join("\n");
}

const isIdle = ({ status, detail }: DoctorCheck): boolean =>
  (status === "pass" || status === "skip") && FOUND.has(detail);

/** One line for all checks that had nothing to look at. */
function idleOf(checks: readonly DoctorCheck[]): readonly CheckLine[] {
  const details = [...new Set(checks.filter(isIdle).map(({ detail }) => detail))];
  if (details.length === 0) return [];
  return [{ status: "skip", title: "Not applicable", detail: details.join("; "), hint: null }];
}

type CheckLine = Pick<DoctorCheck, "status" | "title" | "detail" | "hint">;

const section = (title: string, checks: readonly CheckLine[], width: number) =>
  [title, ...checks.flatMap((check) => checkLines(check, width))].join("\n");

const INDENT = " ".repeat(8);

function checkLines({ status, title, detail, hint }: CheckLine, width: number): string[] {
  const head = statusHead(status);
  const said = detail === null ? [] : detail.split("\n");
  const found =
    said.length === 1
      ? hanging(head, `${title}: ${said[0]}`, width)
      : [...hanging(head, title, width), ...said.flatMap((line) => hanging(INDENT, line, width))];
  return [...found, ...(hint === null ? [] : hanging(`${INDENT}-> `, hint, width))];
}

/** The beginning of a line about something with this status. */
export const statusHead = (status: DoctorCheck["status"]): string => `  ${WORDS[status].padEnd(4)}  `;

function estimateText(estimate: CostEstimate): string {
  const { low_tokens, high_tokens } = estimate;
  const what = estimate.round ? `A run of each of its ${estimate.round.arms.length} arms` : "A run of it";
  if (high_tokens === 0) return `${what} spends nothing.`;
  const money = moneyText(estimate, dollars);
  const tokens = `${countText(low_tokens)} to ${countText(high_tokens)} tokens`;
  return money === null
    ? `${what} spends about ${tokens} (cost unknown).`
    : `${what} is likely to cost ${money} (${tokens}).`;
}

/** Of what is cheap, to a hundredth of a cent. */
const dollars = (usd: number) => `${usd.toFixed(usd < 0.1 ? 4 : 2)} USD`;

/** The last line is the answer. What the machine lacks may matter to other scenarios only, so its warnings are not counted. */
function conclusion(file: string, { ok, checks }: DoctorReport): string {
  const counted = checks.filter(({ scope, status }) => scope === "scenario" || status === "fail");
  return `${file}: ${readiness(ok, counted)}`;
}
