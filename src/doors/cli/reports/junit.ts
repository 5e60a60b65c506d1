import { whyDisqualified } from "../../../domain/disqualification.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import { unmetText } from "../../../domain/unmet-text.ts";
import { attributes, junitXml, seconds, xmlText } from "./junit-xml.ts";

/**
 * The session as JUnit XML: one test case for the verdict, and for each arm whose work was examined one for the rules and
 * one for each hidden check. The verdict's case is in error when there is no verdict or an invalid one. Who won is neither a
 * pass nor a fail.
 */
export function junitOf(outcome: SessionOutcome): string {
  const cases = [verdictCase(outcome), ...outcome.arms.flatMap((arm) => armCases(outcome.scenario, arm))];
  const { scenario, created_at, totals } = outcome;
  return junitXml([{ name: `abeval ${scenario}`, cases, timestamp: created_at, wall_ms: totals.wall_ms }]);
}

function verdictCase({ scenario, verdict, failure, totals }: SessionOutcome): string {
  const open = `<testcase ${attributes({ classname: scenario, name: "verdict", time: seconds(totals.wall_ms) })}>`;
  if (verdict === null) {
    const message = failure?.message ?? "the session has no verdict";
    return `${open}<error ${attributes({ type: failure?.code ?? "no_verdict", message })}/></testcase>`;
  }
  const error =
    verdict.outcome === "invalid" ? `<error ${attributes({ type: "invalid", message: verdict.statement })}/>` : "";
  return `${open}${error}<system-out>${xmlText(verdict.statement)}</system-out></testcase>`;
}

function armCases(scenario: string, arm: ArmSummary): string[] {
  const classname = `${scenario}.${arm.arm_id}`;
  const { checks: counted = [], not_repeatable = [] } = arm.probe ?? {};
  const checks = [
    ...counted.map((check) => checkCase(classname, check)),
    ...not_repeatable.map((check) => skippedCase(classname, check)),
  ];
  return arm.changes === null && arm.status !== "disqualified" ? checks : [rulesCase(classname, arm), ...checks];
}

/** The name has blanks, so no check's id can be the same. */
function rulesCase(classname: string, arm: ArmSummary): string {
  const { status, stop_reason, violations, wall_ms } = arm;
  const open = `<testcase ${attributes({ classname, name: "kept to the rules", time: seconds(wall_ms) })}`;
  const left = unmetText(arm).map((text) => `required, not done: ${text}`);
  if (status !== "disqualified")
    return left.length === 0 ? `${open}/>` : `${open}><system-out>${xmlText(left.join("\n"))}</system-out></testcase>`;
  const why = whyDisqualified(violations);
  const message = why[0] ?? stop_reason ?? status;
  return `${open}><failure ${attributes({ type: status, message })}>${xmlText(why.join("\n"))}</failure></testcase>`;
}

function skippedCase(classname: string, { id, duration_ms }: CheckResult): string {
  const message = "not repeatable: it told equal work apart";
  return `<testcase ${attributes({ classname, name: id, time: seconds(duration_ms) })}><skipped ${attributes({ message })}/></testcase>`;
}

function checkCase(classname: string, { id, status, reason, output, duration_ms }: CheckResult): string {
  const open = `<testcase ${attributes({ classname, name: id, time: seconds(duration_ms) })}`;
  if (status === "pass") return `${open}/>`;
  const tag = status === "fail" ? "failure" : "error";
  return `${open}><${tag} ${attributes({ message: reason ?? status })}>${xmlText(output)}</${tag}></testcase>`;
}
