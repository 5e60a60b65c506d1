import type { DoctorCheck, DoctorReport } from "../../domain/health.ts";
import { runDoctor as operation } from "../../operation/doctor.ts";
import { CLIPS, clipTexts, fullestThatFits } from "../fit.ts";
import { READS, tool } from "../tool.ts";

export const runDoctor = tool({
  name: operation.name,
  title: operation.title,
  description:
    "Tells whether runs can work here: sandbox, provider keys, directories. With a scenario it also materialises the fixture and runs the scenario's own setup and checks in private copies, up to two minutes, and estimates tokens and cost. " +
    "Never calls a model, spends nothing. Use it before a first run, and when a run failed for reasons of the environment. Each failed check has a hint. Next: run_scenario.",
  input: operation.input,
  output: operation.output,
  // A scenario's setup may use the network.
  annotations: { ...READS, openWorldHint: true },
  live: false,
  async call(services, input, { signal }) {
    const report = withoutHidden(await operation.run(services, input, signal));
    return fullestThatFits(CLIPS, (chars) => {
      const structured = clipTexts(report, chars);
      return { structured, text: reportText(structured) };
    });
  },
});

/** Checks of these say in their detail what they found, in the words of the hidden checks and the known fix. */
const HIDDEN_PARTS = /^(?:probe|reference|leak)\./;

/** What stays of them is whether they passed, and what to do; `abeval doctor` and the HTTP API tell the rest. */
function withoutHidden(report: DoctorReport): DoctorReport {
  const checks = report.checks.map((check) =>
    HIDDEN_PARTS.test(check.id) && check.status !== "skip" ? { ...check, detail: null } : check,
  );
  return { ...report, checks };
}

function reportText({ ok, checks, estimate }: DoctorReport): string {
  const passed = checks.filter(({ status }) => status === "pass").length;
  return [
    `${ok ? "Ready" : "Not ready"}: ${passed} of ${checks.length} checks passed`,
    ...checks.filter(({ status }) => status === "fail" || status === "warn").map(checkText),
    ...(estimate ? [estimateText(estimate)] : []),
  ].join("\n");
}

const checkText = ({ id, status, title, detail, hint }: DoctorCheck) =>
  `- ${status.toUpperCase()} ${id}: ${[detail ?? title, hint].filter((part) => part !== null).join("; ")}`;

function estimateText({ low_tokens, high_tokens, low_usd, high_usd }: NonNullable<DoctorReport["estimate"]>): string {
  const cost = low_usd === null || high_usd === null ? "cost unknown" : `${low_usd} to ${high_usd} USD`;
  return `A run takes ${low_tokens} to ${high_tokens} tokens, ${cost}`;
}
