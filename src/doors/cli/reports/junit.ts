import { isMissed } from "../../../domain/check-result.ts";
import type { Contest } from "../../../domain/contest.ts";
import { whyDisqualified } from "../../../domain/disqualification.ts";
import type { CheckResult } from "../../../domain/evidence.ts";
import { memberName } from "../../../domain/member.ts";
import { plainText } from "../../../domain/plain-text.ts";
import type { Series } from "../../../domain/series.ts";
import { controlSide } from "../../../domain/series-result.ts";
import { trialResult } from "../../../domain/series-status.ts";
import type { ArmSummary, SessionOutcome } from "../../../domain/session.ts";
import type { Verdict } from "../../../domain/verdict.ts";
import { unmetText } from "../../../domain/verdict-text.ts";
import { type ArmNames, wordsText } from "../../../domain/words.ts";
import { armText, contestLines } from "../../../statistics/contest-words.ts";
import { gateReasonText } from "../../../statistics/first-line.ts";
import { namesOf, originOfTrial } from "../../../statistics/series-words.ts";
import { type Again, type SixLines, sixLines } from "../../../statistics/six-lines.ts";

/**
 * The session as JUnit XML: one test case for the verdict, one for its gate, and for each arm whose work was examined one for
 * the rules and one for each hidden check. The verdict's case is in error when there is no verdict or an invalid one. The case
 * `gate` fails where the gate does not let the candidate pass. What the control failed is a property of its cases.
 */
export function junitOf(outcome: SessionOutcome): string {
  const { verdict, arms } = outcome;
  const control = arms[controlSide(armIds(arms)) === "a" ? 0 : 1];
  const cases = [
    verdictCase(outcome),
    ...(verdict === null ? [] : [gateOfVerdictCase(memberOf(outcome), verdict, armIds(arms))]),
    ...arms.flatMap((arm) => armCases(memberOf(outcome), arm, arm === control)),
  ];
  const { created_at, totals } = outcome;
  return junitXml([{ name: `abeval ${memberOf(outcome)}`, cases, timestamp: created_at, wall_ms: totals.wall_ms }]);
}

const memberOf = ({ scenario, input }: SessionOutcome) => memberName({ scenario, input: input?.id });

function verdictCase(outcome: SessionOutcome): string {
  const { verdict, failure, totals } = outcome;
  const open = `<testcase ${attributes({ classname: memberOf(outcome), name: "verdict", time: seconds(totals.wall_ms) })}>`;
  if (verdict === null) {
    const message = failure?.message ?? "the session has no verdict";
    return `${open}<error ${attributes({ type: failure?.code ?? "no_verdict", message })}/></testcase>`;
  }
  const error =
    verdict.outcome === "invalid" ? `<error ${attributes({ type: "invalid", message: verdict.statement })}/>` : "";
  return `${open}${error}<system-out>${xmlText(verdict.statement)}</system-out></testcase>`;
}

const armIds = ([a, b]: SessionOutcome["arms"]) => ({ a: a.arm_id, b: b.arm_id });

function gateOfVerdictCase(classname: string, { gate, gate_reasons }: Verdict, names: ArmNames): string {
  const side = controlSide(names) === "a" ? "b" : "a";
  const [candidate, control] = [names[side], names[side === "a" ? "b" : "a"]];
  const reason = gate_reasons?.[candidate];
  const text = () =>
    reason?.because === "not_shown"
      ? `${candidate} did not win`
      : reason && gateReasonText(reason, { candidate, control, not_worse_by: 0 });
  const why = reason ? `, because ${text()}` : "";
  const opens = gate[candidate] != null;
  return gateCase(classname, opens, `The gate ${opens ? `lets ${candidate} pass` : `stays shut${why}`}.`);
}

function armCases(scenario: string, arm: ArmSummary, is_control: boolean): string[] {
  const classname = `${scenario}.${arm.arm_id}`;
  const { checks: counted = [], not_repeatable = [] } = arm.probe ?? {};
  const checks = [
    ...counted.map((check) => checkCase(classname, check, is_control)),
    ...not_repeatable.map((check) => skippedCase(classname, check)),
  ];
  return arm.changes === null && arm.status !== "disqualified"
    ? checks
    : [rulesCase(classname, arm, is_control), ...checks];
}

/** The name has blanks, so no check's id can be the same. */
function rulesCase(classname: string, arm: ArmSummary, is_control: boolean): string {
  const { status, stop_reason, violations, wall_ms } = arm;
  const open = `<testcase ${attributes({ classname, name: "kept to the rules", time: seconds(wall_ms) })}`;
  const left = unmetText(arm).map((text) => `required, not done: ${text}`);
  if (status !== "disqualified")
    return left.length === 0 ? `${open}/>` : `${open}><system-out>${xmlText(left.join("\n"))}</system-out></testcase>`;
  const why = whyDisqualified(violations);
  const message = why[0] ?? stop_reason ?? status;
  return `${open}>${is_control ? ofControl(message, why.join("\n")) : `<failure ${attributes({ type: status, message })}>${xmlText(why.join("\n"))}</failure>`}</testcase>`;
}

/** What the control failed says nothing against the candidate. */
const ofControl = (message: string, output: string): string =>
  `<properties><property ${attributes({ name: "failed", value: message })}/></properties><system-out>${xmlText(output)}</system-out>`;

function skippedCase(classname: string, { id, duration_ms }: CheckResult): string {
  const message = "not repeatable: it told equal work apart";
  return `<testcase ${attributes({ classname, name: id, time: seconds(duration_ms) })}><skipped ${attributes({ message })}/></testcase>`;
}

/** The number of a check that gives one, and what it says of it. */
function scoreProperties(score: number, why: string | undefined): string {
  const properties = Object.entries({ score: String(score), why: why ?? "" }).filter(([, value]) => value !== "");
  return `<properties>${properties.map(([name, value]) => `<property ${attributes({ name, value })}/>`).join("")}</properties>`;
}

function checkCase(classname: string, check: CheckResult, is_control: boolean): string {
  const { id, status, reason, output, duration_ms, score } = check;
  const open = `<testcase ${attributes({ classname, name: id, time: seconds(duration_ms) })}`;
  const said = score === undefined ? "" : scoreProperties(score, check.why);
  if (!isMissed(check)) return said === "" ? `${open}/>` : `${open}>${said}</testcase>`;
  if (is_control) return `${open}>${ofControl(reason ?? status, output)}</testcase>`;
  const tag = status === "fail" ? "failure" : "error";
  return `${open}><${tag} ${attributes({ message: reason ?? status })}>${xmlText(output)}</${tag}></testcase>`;
}

interface Suite {
  readonly name: string;
  /** Elements `testcase`. */
  readonly cases: readonly string[];
  /** When it began, ISO 8601. Null = unknown. */
  readonly timestamp: string | null;
  /** Milliseconds; null = unknown. */
  readonly wall_ms: number | null;
}

/** JUnit XML as CI servers read it. */
const junitXml = (suites: readonly Suite[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteElement).join("")}</testsuites>\n`;

function suiteElement({ name, cases, timestamp, wall_ms }: Suite): string {
  const count = (tag: string) => cases.filter((text) => text.includes(`<${tag} `)).length;
  const suite = attributes({
    name,
    tests: cases.length,
    failures: count("failure"),
    errors: count("error"),
    ...(timestamp !== null && { timestamp }),
    time: seconds(wall_ms),
  });
  return `  <testsuite ${suite}>\n${cases.map((text) => `    ${text}\n`).join("")}  </testsuite>\n`;
}

const seconds = (ms: number | null) => ((ms ?? 0) / 1000).toFixed(3);

const attributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${xmlText(String(value))}"`)
    .join(" ");

/** Escapes text and attributes. It drops what XML 1.0 cannot hold and what would steer a terminal. */
const xmlText = (text: string) =>
  plainText(text)
    .replace(/[\ufffe\uffff]/g, "")
    .replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * The series as JUnit XML: a suite for what the trials say together, and one for each scenario with a case for each trial. The
 * case `gate` fails where the gate does not let the candidate pass. A case is in error when its trial gave nothing, or the
 * series failed. The time of a trial is that of its slower arm.
 */
export function seriesJunit(series: Series, again?: Again): string {
  const { created_at, scenarios, trials } = series;
  const wall_ms = wallOf(series);
  const trialsOf = Map.groupBy(trials, memberName);
  return junitXml([
    {
      name: "abeval series",
      cases: [seriesCase(series, again), gateOfSeriesCase(series)],
      timestamp: created_at,
      wall_ms,
    },
    ...scenarios.map(memberName).map((name) => scenarioSuite(series, name, trialsOf.get(name) ?? [])),
  ]);
}

/** The contest as JUnit XML: a case for what all trials say, and one for each candidate, red where its gate is shut. */
export function contestJunit(contest: Contest, again?: Again): string {
  const { series_id, created_at, state, stop, failure } = contest;
  const { control, arms } = contest.contest;
  const wall_ms = wallOf(contest);
  const name = attributes({ classname: series_id, name: "contest", time: seconds(wall_ms) });
  const error =
    state === "failed"
      ? `<error ${attributes({ type: stop ?? state, message: failure ?? "the contest failed" })}/>`
      : "";
  const cases = arms
    .filter(({ arm_id }) => arm_id !== control)
    .map(({ arm_id, gate }) => gateCase(series_id, gate !== null, armText(contest, arm_id), `gate of ${arm_id}`));
  const answer = linesText(contestLines(contest, again));
  const whole = `<testcase ${name}>${error}<system-out>${xmlText(answer)}</system-out></testcase>`;
  return junitXml([{ name: "abeval contest", cases: [whole, ...cases], timestamp: created_at, wall_ms }]);
}

const wallOf = ({ created_at, finished_at }: Pick<Series, "created_at" | "finished_at">) =>
  created_at === null || finished_at === null ? null : Date.parse(finished_at) - Date.parse(created_at);

function seriesCase(series: Series, again: Again): string {
  const { series_id, state, stop, failure } = series;
  const name = attributes({ classname: series_id, name: "conclusion", time: seconds(wallOf(series)) });
  const error =
    state === "failed"
      ? `<error ${attributes({ type: stop ?? state, message: failure ?? "the series failed" })}/>`
      : "";
  return `<testcase ${name}>${error}<system-out>${xmlText(answerText(series, again))}</system-out></testcase>`;
}

const answerText = (series: Series, again: Again): string => linesText(sixLines(series, again));

function linesText({ first, lines }: SixLines): string {
  const below = lines.map(({ label, words, command = "" }) => `${label}: ${wordsText(words)} ${command}`.trimEnd());
  return [wordsText(first), ...below].join("\n");
}

function gateOfSeriesCase(series: Series): string {
  const { series_id, arms, control, gate } = series;
  const candidate = arms[arms.a.arm_id === control ? "b" : "a"].arm_id;
  const [so] = sixLines(series).lines;
  return gateCase(series_id, gate[candidate] != null, so ? wordsText(so.words) : "");
}

const gateCase = (classname: string, opens: boolean, message: string, name = "gate"): string =>
  `<testcase ${attributes({ classname, name, time: seconds(0) })}>${
    opens ? "" : `<failure ${attributes({ type: "gate", message })}/>`
  }<system-out>${xmlText(message)}</system-out></testcase>`;

function scenarioSuite({ arms }: Series, scenario: string, trials: Series["trials"]): Suite {
  const cases = trials.map((trial) => trialCase(trial, arms));
  const wall_ms = trials.reduce((sum, { arms_ms }) => sum + (arms_ms ?? 0), 0);
  return { name: `abeval ${scenario}`, cases, timestamp: null, wall_ms };
}

function trialCase(trial: Series["trials"][number], arms: Series["arms"]): string {
  const { trial: number, d, failure, arms_ms } = trial;
  const name = attributes({ classname: memberName(trial), name: `trial ${number}`, time: seconds(arms_ms) });
  const text = trialResult(trial, namesOf(arms));
  const type = trial.outcome ?? trial.state;
  const error = d === null ? `<error ${attributes({ type, message: failure ?? text })}/>` : "";
  return `<testcase ${name}>${error}<system-out>${xmlText(`${text} (${originOfTrial(trial)})`)}</system-out></testcase>`;
}
