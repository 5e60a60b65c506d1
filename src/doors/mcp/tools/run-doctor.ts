import { Type } from "@sinclair/typebox";
import { CONTEST_MODES } from "../../../domain/contest-plan.ts";
import { type CostEstimate, type DoctorCheck, DoctorReport } from "../../../domain/doctor-report.ts";
import { checksToTell, moneyText, readiness, seriesEstimateText } from "../../../domain/readiness.ts";
import { nullable, oneOf, record } from "../../../domain/schema.ts";
import { ENDPOINTS } from "../../endpoint/endpoints.ts";
import { runDoctor as operation } from "../../operation/doctor.ts";
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import { READS, tool } from "../tool.ts";
import { pick } from "../view/pick.ts";

const HiddenFindings = Type.Optional(
  Type.Boolean({
    description:
      "Also say what was found in hidden checks, reference fix and leaks, for the scenario's author. Default false.",
  }),
);

/** The HTTP API's document describes the estimate; here it would fill much of the list of tools. */
const ReportFields = record("DoctorFields", {
  ...DoctorReport.properties,
  estimate: nullable(Type.Record(Type.String(), Type.Unknown())),
});

/** The measure, the points and the control of an estimate are left to the HTTP API: they would make the list of tools too long. */
const ASKED = pick(ENDPOINTS.runDoctor.fields.properties, ["scenario", "trials", "cluster"]);

export const runDoctor = tool("runDoctor", {
  description:
    "Checks whether runs can work here: sandbox, provider keys, directories. With a scenario it also materialises the fixture and runs the scenario's own setup and checks in private copies, up to two minutes, and estimates tokens and cost. " +
    "Never calls a model, spends nothing. Use it before a first run, and when the environment made a run fail. Next: run_scenario.",
  input: record("DoctorToolRequest", {
    ...ASKED,
    contest: Type.Optional(oneOf(CONTEST_MODES, { description: "Of more than two arms." })),
    include_hidden: HiddenFindings,
  }),
  output: ReportFields,
  // A scenario's setup may use the network.
  annotations: { ...READS, openWorldHint: true },
  live: false,
  async call(services, { include_hidden = false, ...input }, { signal }) {
    const report = await operation(services, input, signal);
    const shown = include_hidden ? report : withoutHidden(report);
    return fullestThatFits(CLIPS, (chars) => {
      const structured = clipTexts(shown, chars);
      return { structured, text: reportText(structured) };
    });
  },
});

/**
 * Parts whose findings everybody may read. Findings on the others (`probe`, `reference`, `leak`) quote hidden
 * checks and the reference fix.
 */
const OPEN_PARTS = new Set([
  ...["arms", "budget", "credentials", "database", "disk", "fixture", "listen", "models", "parse", "queue", "rubric"],
  ...["sandbox", "scenarios", "shell", "state", "version", "web", "workers"],
]);

const isHidden = ({ id, status }: DoctorCheck) => !OPEN_PARTS.has(id.split(".")[0] ?? "") && status !== "skip";

/** The report without the details of hidden parts; their status and hint stay. */
function withoutHidden(report: DoctorReport): DoctorReport {
  const checks = report.checks.map((check) => (isHidden(check) ? { ...check, detail: null } : check));
  return { ...report, checks };
}

function reportText(report: DoctorReport): string {
  const { ok, scenario, checks, estimate } = report;
  return [
    `${scenario ?? "This machine"}: ${readiness(ok, checks)}`,
    ...(checks.some(isWithheld) ? [WITHHELD] : []),
    ...checksToTell(report).map(checkText),
    ...(estimate ? [estimateText(estimate)] : []),
    ...(estimate?.series ? [seriesEstimateText(estimate, (usd) => `${usd} USD`)] : []),
  ].join("\n");
}

/** A failed check without its finding. */
const isWithheld = (check: DoctorCheck) =>
  isHidden(check) && check.detail === null && (check.status === "fail" || check.status === "warn");

const WITHHELD =
  "What was found in the hidden parts is left out; include_hidden: true shows it to the scenario's author.";

function checkText({ id, status, title, detail, hint }: DoctorCheck): string {
  const said = [title, detail].filter((part) => part !== null).join(": ");
  return [`- ${status.toUpperCase()} ${id}: ${said}`, ...(hint === null ? [] : [`  hint: ${hint}`])].join("\n");
}

function estimateText(estimate: CostEstimate): string {
  const { low_tokens, high_tokens, note, round } = estimate;
  if (high_tokens === 0) return `Estimate: ${note}`;
  const cost = moneyText(estimate, (usd) => `${usd} USD`) ?? "unknown";
  return `Estimate: the likely cost of a run${round ? ` of each of ${round.arms.length} arms` : ""} is ${cost}; it takes ${low_tokens} to ${high_tokens} tokens (${note})`;
}
